// Builds Loop and Scan as scf loops. The body is first imported into a shell.
// Its carried values and its condition show which extents change and how many
// rows there can be at the end. This determines the memory that the loop needs.
#ifndef TENON_COMPILER_IMPORT_ONNX_GRAPH_LOOPBUILDER_H
#define TENON_COMPILER_IMPORT_ONNX_GRAPH_LOOPBUILDER_H

#include "compiler/import/onnx/graph/GraphImporter.h"
#include "compiler/import/sizes/LoopExtents.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tenon::onnx {

/// Registers Loop and Scan. registerControlOps registers If.
void registerLoopOps(OpRegistry &registry);

/// The initial values of a loop, and the meaning of its body's inputs and
/// outputs.
struct LoopPlan {
  const Graph *body;
  llvm::SmallVector<mlir::Value> initial; ///< initial carried values
  size_t firstInput;  ///< first carried value among the body's inputs
  size_t firstResult; ///< first carried value among the body's outputs
  Size trips;         ///< upper bound of the iterations
  bool canGrow;       ///< carried values may change their extents
  llvm::SmallVector<int64_t> scanAxes; ///< axes of the per-iteration results
  llvm::SmallVector<bool> scanReversed;
  /// Null if only the trip count ends the loop. Otherwise the condition of the
  /// first iteration; body output 0 is the condition of each further one.
  mlir::Value condition;
};

/// `value` with the extents that the body declares for it. Extents not known to
/// agree are checked at run time; `whose` names the value in messages.
mlir::Value asDeclared(NodeContext &ctx, mlir::Value value,
                       const Type &declared, const llvm::Twine &whose);

class LoopBuilder {
public:
  /// Makes the body's inputs from the iteration number and the carried values.
  using Inputs = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value position, mlir::ValueRange carried)>;

  LoopBuilder(NodeContext &ctx, LoopPlan plan, Inputs inputs)
      : ctx(ctx), g(ctx.g), plan(std::move(plan)), inputs(inputs) {}

  /// Builds the loop. Returns the final carried values, then the per-iteration
  /// results.
  llvm::FailureOr<llvm::SmallVector<mlir::Value>> build();

private:
  /// An extent of a carried value that changes. `current` is its placeholder in
  /// the body; its computation is added later.
  struct OpenExtent {
    OpenExtent(size_t value, int64_t dim) : value(value), dim(dim) {}
    size_t value;
    int64_t dim;
    BoundOp current;
    Size first, next, capacity;
    ExtentStep step;
    /// True if the extent grows by a known number of rows. Otherwise the loop
    /// carries the extent as a number.
    bool isCounted() const { return step.isExact && step.rows; }
  };

  llvm::LogicalResult importBody();
  /// Opens every extent that differs between the beginning and the end of an
  /// iteration. True if there was one, so that another attempt is needed.
  llvm::FailureOr<bool> openChanged();
  bool isOpen(size_t value, int64_t dim) const;
  void openAll();
  void sortOpen();
  llvm::LogicalResult findSteps();
  void recordCounters(Progressions &counters);
  llvm::LogicalResult findTrips();
  void computeCapacities();
  void define(OpenExtent &extent, Size size);
  void preallocate(size_t i);
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
  llvm::SmallVector<mlir::Value> results; ///< results of the body
  mlir::Value goesOn; ///< the condition after an iteration; null without one
  llvm::SmallVector<OpenExtent> open; ///< sorted by value and dimension
  llvm::SmallVector<Sizes> starts;    ///< of the carried values, per iteration
  /// For each carried tensor with capacity for all iterations: the slice at its
  /// beginning that the body reads.
  llvm::DenseMap<size_t, mlir::Value> beginnings;
  // The carried values of the loop, then its per-iteration results.
  llvm::SmallVector<mlir::Value> initial, next;
  llvm::SmallVector<Sizes> sizes;
};

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_GRAPH_LOOPBUILDER_H
