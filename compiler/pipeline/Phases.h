// The phase table: the name of each phase, the rule that holds after it, and
// its passes. All code that needs the order of passes reads this table.
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
  /// Appends the phase's passes. Null for the first phase: importers make its
  /// modules.
  void (*build)(mlir::OpPassManager &pm, const PipelineOptions &options);
  /// True if `op` may be in a module after this phase.
  bool (*allowed)(mlir::Operation *op);
  /// After this phase weights have the form in which the artifact stores them.
  bool storesWeights = false;
  /// This phase chooses how f32 products are formed.
  bool decidesProducts = false;
  /// This phase depends on the instructions of one target. Earlier phases read
  /// only one fact: whether all targets have pairs of bf16
  /// (PipelineOptions::products).
  /// From the first such phase on there is one module per target.
  bool needsTarget = false;
};

/// All phases in order.
llvm::ArrayRef<Phase> phaseTable();

/// The phase called `name`, or null.
const Phase *findPhase(llvm::StringRef name);

/// The first op in `module` that the rule of `phase` forbids, or null.
mlir::Operation *findViolation(const Phase &phase, mlir::ModuleOp module);

/// Emits an error at the first op in `module` that the rule of `phase` forbids.
llvm::LogicalResult checkPhase(const Phase &phase, mlir::ModuleOp module);

/// Appends the passes of `phase` and, last, a check of its rule.
void buildPhase(mlir::OpPassManager &pm, const Phase &phase,
                const PipelineOptions &options);

/// Adds checks to an imported module that extents agree, as the phase `shaped`
/// does at its start.
llvm::LogicalResult checkSizes(mlir::ModuleOp module);

/// Registers the dialects and interface implementations that the phases need.
void registerPipelineDialects(mlir::DialectRegistry &registry);

} // namespace tenon

#endif // TENON_COMPILER_PIPELINE_PHASES_H
