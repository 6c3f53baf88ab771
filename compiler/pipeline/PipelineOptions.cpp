// Derives the options of the phases from the options of a compilation and its
// targets.
#include "compiler/pipeline/PipelineOptions.h"

#include "runtime/tenon_abi.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon {

/// The number of bf16 parts with which products in tiles are precise enough; 0
/// means no tiles.
static int64_t amxPartsFor(MatmulPrecision precision,
                           const TargetChoice &target) {
  if (!target.bf16Tiles)
    return 0;
  switch (precision) {
  case MatmulPrecision::Strict:
    return 0;
  case MatmulPrecision::F32:
    return 3;
  case MatmulPrecision::High:
    return 2;
  case MatmulPrecision::Bf16:
    return 1;
  }
}

/// Chooses how products are formed from operands that the graph rounds. All
/// versions use the same form. Pairs do not help if more precision than bf16 is
/// wanted: three products of pairs take longer than one f32 product.
static Products productsFor(MatmulPrecision precision,
                            llvm::ArrayRef<TargetChoice> targets) {
  auto hasPairs = [](const TargetChoice &target) { return target.bf16Pairs; };
  return precision == MatmulPrecision::Bf16 && llvm::all_of(targets, hasPairs)
             ? Products::Pairs
             : Products::Chain;
}

MachineAttr machineFor(mlir::MLIRContext *context,
                       const CompileOptions &options,
                       const TargetChoice &target) {
  return MachineAttr::x86(
      context, target.vectorBytes,
      {.tiles = amxPartsFor(options.matmulPrecision, target),
       .byteTiles = target.byteTiles,
       .pairs = target.bf16Pairs,
       .quads = target.byteQuads,
       .readsAhead = target.readsAhead,
       .costlyBroadcasts = target.costlyBroadcasts});
}

PipelineOptions::PipelineOptions(const CompileOptions &options) {
  foldBatchNorm = options.foldBatchNorm;
  weightFormat = options.weightFormat;
}

PipelineOptions::PipelineOptions(const CompileOptions &options,
                                 const TargetChoice &target,
                                 llvm::ArrayRef<TargetChoice> targets)
    : PipelineOptions(options) {
  nativeHalf = target.nativeHalf;
  nativeFma = target.has(TENON_CPU_FMA);
  nativeRound = target.has(TENON_CPU_SSE42);
  device = target.hasDevice();
  products = productsFor(options.matmulPrecision, targets);
}

} // namespace tenon
