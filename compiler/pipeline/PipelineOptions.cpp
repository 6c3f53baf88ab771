// From options and targets to what passes ask.
#include "compiler/pipeline/PipelineOptions.h"

#include "runtime/tenon_abi.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon {

/// Parts of bf16 whose products in tiles are precise enough; 0: no tiles.
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

/// How products are formed of operands that the graph rounds, for all versions
/// alike. For more precision than bf16 pairs are no use: three of their
/// products take longer than one of f32.
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
  return MachineAttr::x86(context, target.vectorBytes,
                          amxPartsFor(options.matmulPrecision, target),
                          target.bf16Pairs);
}

PipelineOptions pipelineFor(const CompileOptions &options) {
  PipelineOptions pipeline;
  pipeline.foldBatchNorm = options.foldBatchNorm;
  pipeline.weightBits = bitsOf(options.weightFormat);
  return pipeline;
}

PipelineOptions pipelineFor(const CompileOptions &options,
                            const TargetChoice &target,
                            llvm::ArrayRef<TargetChoice> targets) {
  PipelineOptions pipeline = pipelineFor(options);
  pipeline.nativeHalf = target.nativeHalf;
  pipeline.nativeFma = target.has(TENON_CPU_FMA);
  pipeline.products = productsFor(options.matmulPrecision, targets);
  return pipeline;
}

} // namespace tenon
