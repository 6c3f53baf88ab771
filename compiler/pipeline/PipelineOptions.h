// What the passes are told of the target and the user's wishes, worked out in
// one place.
#ifndef TENON_COMPILER_PIPELINE_PIPELINEOPTIONS_H
#define TENON_COMPILER_PIPELINE_PIPELINEOPTIONS_H

#include "compiler/CompileOptions.h"
#include "compiler/codegen/Target.h"
#include "dialects/tenon/Machine.h"

#include "llvm/ADT/ArrayRef.h"

namespace tenon {

struct PipelineOptions {
  bool nativeHalf = true;    ///< the target converts f16 to f32 and back
  bool nativeFma = true;     ///< the target has fused multiply-add
  bool foldBatchNorm = true; ///< batch normalization after a convolution
                             ///< becomes part of its kernel
  int64_t weightBits = 32;   ///< of an element of a contraction's weight: 32,
                             ///< 16 (bf16), 8 or 4
  Products products = Products::Chain; ///< what the target forms at the
                                       ///< precision that is wanted
};

/// For passes that ask nothing of a target.
PipelineOptions pipelineFor(const CompileOptions &options);

/// The machine of `target` for passes that price something, with the tiles that
/// are precise enough.
MachineAttr machineFor(mlir::MLIRContext *context,
                       const CompileOptions &options,
                       const TargetChoice &target);

/// For the passes that make code for `target`, one of `targets`.
PipelineOptions pipelineFor(const CompileOptions &options,
                            const TargetChoice &target,
                            llvm::ArrayRef<TargetChoice> targets);

} // namespace tenon

#endif // TENON_COMPILER_PIPELINE_PIPELINEOPTIONS_H
