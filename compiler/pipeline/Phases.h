// The phase table: what each phase is called, what is true after it, and which
// passes make it so. Everything that needs the order of passes asks here.
#ifndef TENON_COMPILER_PIPELINE_PHASES_H
#define TENON_COMPILER_PIPELINE_PHASES_H

#include "dialects/tenon/TenonDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ArrayRef.h"

namespace tenon {

/// What the pipeline needs to know of the target and the user's wishes; filled
/// from CompileOptions in one place.
struct PipelineOptions {
  int64_t vectorBytes = 32;  ///< bytes of a vector register
  int64_t amxParts = 0;      ///< of bf16, that f32 operands of products are
                             ///< split into for AMX; 0: there is none
  bool nativeHalf = true;    ///< the target converts f16 to f32 and back
  bool foldBatchNorm = true; ///< batch normalization after a convolution
                             ///< becomes part of its kernel
  int64_t weightBits = 32;   ///< of an element of a contraction's weight: 32,
                             ///< 16 (bf16), 8 or 4
  Products products = Products::Chain; ///< what the target forms at the
                                       ///< precision that is wanted
};

struct Phase {
  llvm::StringLiteral name;
  llvm::StringLiteral rule; ///< true afterwards, in one line
  void (*build)(mlir::OpPassManager &pm, const PipelineOptions &options);
  /// Whether `op` may stand in a module after this phase; null: no check.
  bool (*allowed)(mlir::Operation *op);
};

/// All phases in order; `imported` has no passes, for importers make it.
llvm::ArrayRef<Phase> phaseTable();

/// Checks the rule of `phase` on a module: the first op that must not be there,
/// or null.
mlir::Operation *findViolation(const Phase &phase, mlir::ModuleOp module);

/// Writes into an imported module which extents must agree, as `shaped` does,
/// and nothing else.
llvm::LogicalResult checkSizes(mlir::ModuleOp module);

/// Dialects and interface implementations the phases need.
void registerPipelineDialects(mlir::DialectRegistry &registry);

/// Registers our passes and a pipeline `tenon-to-PHASE` per phase, for
/// tenon-opt.
void registerPipelines();

} // namespace tenon

#endif // TENON_COMPILER_PIPELINE_PHASES_H
