// Loop and Scan as scf loops. The body is imported aside first: its carried
// values and its condition tell which extents change, how many rows there can
// be in the end, and so how much memory the loop is given.
#ifndef TENON_COMPILER_IMPORT_ONNX_GRAPH_LOOPBUILDER_H
#define TENON_COMPILER_IMPORT_ONNX_GRAPH_LOOPBUILDER_H

#include "compiler/import/onnx/graph/GraphImporter.h"
#include "compiler/import/sizes/LoopExtents.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tenon::onnx {

/// Loop and Scan, beside the branches of registerControlOps.
void registerLoopOps(OpRegistry &registry);

/// The initial values of a loop and the roles of its body's inputs and outputs.
struct LoopPlan {
  const Graph *body;
  llvm::SmallVector<mlir::Value> initial; ///< of the carried values
  size_t firstInput;  ///< of the carried among the body's inputs
  size_t firstResult; ///< of the carried among the body's outputs
  Size trips;         ///< at most
  bool canGrow;       ///< carried values may change their extents
  llvm::SmallVector<int64_t> scanAxes; ///< of the per-iteration results
  llvm::SmallVector<bool> scanReversed;
  /// Null where the trip count alone ends the loop; otherwise what must hold
  /// before the first iteration, and body output 0 before each further one.
  mlir::Value condition;
};

/// `value` in the extents that the body declares for it. Extents that are not
/// known to agree are checked in the run; `whose` names the value for messages.
mlir::Value asDeclared(NodeContext &ctx, mlir::Value value,
                       const Type &declared, const llvm::Twine &whose);

/// A bool of one element as a scalar; `whose` says what must be one.
llvm::FailureOr<mlir::Value> conditionOf(NodeContext &ctx, mlir::Value value,
                                         const llvm::Twine &whose);

class LoopBuilder {
public:
  /// The body's inputs.
  using Inputs = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value position, mlir::ValueRange carried)>;

  LoopBuilder(NodeContext &ctx, LoopPlan plan, Inputs inputs)
      : ctx(ctx), g(ctx.g), plan(std::move(plan)), inputs(inputs) {}

  /// The carried values at the end, then the per-iteration results.
  llvm::FailureOr<llvm::SmallVector<mlir::Value>> build();

private:
  /// An extent of a carried value that changes. `current` stands for it in the
  /// body; its operands are found later.
  struct OpenExtent {
    OpenExtent(size_t value, int64_t dim) : value(value), dim(dim) {}
    size_t value;
    int64_t dim;
    BoundOp current;
    Size first, next, capacity;
    ExtentStep step;
    /// Exact and growing by itself; otherwise the loop carries the number.
    bool isCounted() const { return step.isExact && step.rows; }
  };

  llvm::LogicalResult importBody();
  /// Whether values end the iteration with other extents than they began it
  /// with; those are open in the next attempt.
  llvm::FailureOr<bool> openChanged();
  bool isOpen(size_t value, int64_t dim) const;
  void openAll();
  void sortOpen();
  llvm::LogicalResult findSteps();
  void recordCounters(Progressions &counters);
  llvm::LogicalResult findTrips();
  void giveCapacity();
  void define(OpenExtent &extent, Size size);
  void widen(size_t i);
  void store(size_t i);
  llvm::LogicalResult addScans();
  void carryExtents();
  llvm::SmallVector<mlir::Value> finishFor();
  llvm::SmallVector<mlir::Value> finishWhile();
  llvm::SmallVector<mlir::Value> atEnd(mlir::ValueRange carried, Size count);

  mlir::Location loc() const { return g.loc; }
  mlir::Block *block() { return shell.getBody(); }
  mlir::Value argument(size_t i) { return shell.getRegionIterArg(i); }

  NodeContext &ctx;
  GraphBuilder &g;
  LoopPlan plan;
  Inputs inputs;
  mlir::scf::ForOp shell;
  llvm::SmallVector<mlir::Value> results; ///< of the body
  mlir::Value goesOn; ///< with a condition: it holds after the iteration
  llvm::SmallVector<OpenExtent> open; ///< sorted
  llvm::SmallVector<Sizes> starts;    ///< sizes of the carried in an iteration
  /// For each carried tensor with room, the slice that the body sees.
  llvm::DenseMap<size_t, mlir::Value> beginnings;
  // The loop's carried values, then its per-iteration results.
  llvm::SmallVector<mlir::Value> initial, next;
  llvm::SmallVector<Sizes> sizes;
};

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_GRAPH_LOOPBUILDER_H
