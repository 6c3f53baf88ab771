// The phase table: what each phase is called, what is true after it, and which
// passes make it so. Everything that needs the order of passes asks here.
#ifndef TENON_COMPILER_PIPELINE_PHASES_H
#define TENON_COMPILER_PIPELINE_PHASES_H

#include "compiler/pipeline/PipelineOptions.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ArrayRef.h"

namespace tenon {

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
