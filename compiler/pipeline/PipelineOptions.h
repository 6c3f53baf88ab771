// The options of the phases, which depend on the user's options and on the
// target. Each field is also an option of tenon-opt's pipelines, under the name
// given here.
#ifndef TENON_COMPILER_PIPELINE_PIPELINEOPTIONS_H
#define TENON_COMPILER_PIPELINE_PIPELINEOPTIONS_H

#include "compiler/codegen/Target.h"
#include "compiler/options/CompileOptions.h"
#include "dialects/tenon/Machine.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/ArrayRef.h"

namespace tenon {

struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  PipelineOptions() = default;
  /// For phases that do not depend on a target.
  explicit PipelineOptions(const CompileOptions &options);
  /// For phases that make code for `target`, one of `targets`.
  PipelineOptions(const CompileOptions &options, const TargetChoice &target,
                  llvm::ArrayRef<TargetChoice> targets);

  Option<bool> nativeHalf{
      *this, "native-half",
      llvm::cl::desc("the target converts f16 to f32 and back"),
      llvm::cl::init(true)};
  Option<bool> nativeFma{*this, "native-fma",
                         llvm::cl::desc("the target has fused multiply-add"),
                         llvm::cl::init(true)};
  Option<bool> nativeRound{*this, "native-round",
                           llvm::cl::desc("the target rounds to whole numbers"),
                           llvm::cl::init(true)};
  Option<bool> device{*this, "device",
                      llvm::cl::desc("kernels run on a device, the code around "
                                     "them on the host"),
                      llvm::cl::init(false)};
  Option<bool> foldBatchNorm{
      *this, "fold-batch-norm",
      llvm::cl::desc("batch normalization after a convolution becomes part of "
                     "its kernel"),
      llvm::cl::init(true)};
  Option<WeightFormat> weightFormat{
      *this, "weight-format",
      llvm::cl::desc("how the weights of contractions are stored"),
      llvm::cl::init(WeightFormat::F32),
      llvm::cl::values(
          clEnumValN(WeightFormat::F32, "f32",
                     "with the precision of each weight"),
          clEnumValN(WeightFormat::F16, "f16", "rounded to f16"),
          clEnumValN(WeightFormat::Bf16, "bf16", "rounded to bf16"),
          clEnumValN(WeightFormat::Int8, "int8", "8-bit integers and scales"),
          clEnumValN(WeightFormat::Int4, "int4", "4-bit integers and scales"))};
  Option<Products> products{
      *this, "products",
      llvm::cl::desc("how products of f32 are formed at the wanted precision"),
      llvm::cl::init(Products::Chain),
      llvm::cl::values(
          clEnumValN(Products::Chain, "chain", "exact, joined one by one"),
          clEnumValN(Products::Pairs, "pairs",
                     "two products of bf16 by one instruction"))};
};

/// The machine that code for `target` runs on, for passes that estimate costs.
/// It has AMX tiles only if their products are as precise as `options`
/// requires.
MachineAttr machineFor(mlir::MLIRContext *context,
                       const CompileOptions &options,
                       const TargetChoice &target);

} // namespace tenon

#endif // TENON_COMPILER_PIPELINE_PIPELINEOPTIONS_H
