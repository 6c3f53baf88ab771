// Reductions of the columns of one row, in vectors. The order is that of the
// numerics contract: 64 lanes within a piece, pieces one after another.
#ifndef TENON_PASSES_KERNEL_ROWS_ROWREDUCER_H
#define TENON_PASSES_KERNEL_ROWS_ROWREDUCER_H

#include "passes/kernel/Kernel.h"
#include "passes/kernel/element/ElementEmitter.h"

namespace tenon {

/// The reductions of a row kernel, in order: each is a ReduceOp or an
/// ArgReduceOp along the last dimension.
llvm::SmallVector<mlir::Operation *> rowReductions(FusionOp fusion);

/// The columns [low, high) of a row.
struct Columns {
  mlir::Value low, high;
};

class RowReducer {
public:
  /// The scalars that stand for the columns reduced so far: the sum in the type
  /// that it is kept in, or the element that wins and its column.
  using Partial = llvm::SmallVector<mlir::Value>;

  /// `row` is the indices of the row. Reductions before `op` are in `reduced`.
  RowReducer(Kernel &kernel, mlir::Operation *op,
             llvm::ArrayRef<mlir::Value> row,
             llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> reduced);

  /// The partial of no columns.
  Partial none();
  /// The scalar types of a partial.
  llvm::SmallVector<mlir::Type, 2> partialTypes();
  /// Reduces at most one piece.
  Partial reducePiece(Columns columns);
  /// True if the result depends on the order of the columns.
  bool isOrdered();
  /// Lanes of partials that change no other: those of no columns, for a piece
  /// of `width`.
  Partial neutral(int64_t lanes, mlir::Value width);
  /// Lanes of partials of one column each: elements of the operand, and the
  /// columns' numbers in the piece as i32.
  Partial partials(mlir::Value elements, mlir::Value numbers);
  /// Combines partials of the same piece, scalars or lanes.
  Partial combine(const Partial &x, const Partial &y);
  /// The partial of a piece whose columns begin at `low`, from the scalars that
  /// are left of its lanes.
  Partial ofPiece(Partial scalars, mlir::Value low);
  /// Joins a partial and that of the columns after it.
  Partial join(const Partial &before, const Partial &after);
  /// The element of the result.
  mlir::Value finish(const Partial &partial);

  /// The element of the result for all `width` columns. `reducePiece` reduces
  /// at most one piece.
  mlir::Value reduceRow(mlir::Value width,
                        llvm::function_ref<Partial(Columns)> reducePiece);

private:
  IndexBuilder at() { return {b, loc}; }
  mlir::Value load(mlir::Value column, mlir::Value valid = {});
  Partial step(const Partial &carried, mlir::Value column, mlir::Value base,
               mlir::Value valid = {});
  Partial fold(llvm::ArrayRef<Partial> vectors, mlir::Value low);
  mlir::Value strictlyBeats(mlir::Value candidate, mlir::Value best);
  Partial reduceInOrder(Columns columns);

  Kernel &kernel;
  mlir::Operation *op;
  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::ArrayRef<mlir::Value> row;
  llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> reduced;
  ReduceKind kind;
  bool isArg, last = false;
  mlir::Type element, sum; ///< of the operand, and what it is combined in
  int64_t lanes, vectors;
  bool failed = false;
};

/// An emitter with the reduced values of the row.
ElementEmitter
rowEmitter(Kernel &kernel, int64_t lanes,
           llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> reduced);

/// The indices of the elements of a row from `column` on.
llvm::SmallVector<LaneIndex> placeInRow(llvm::ArrayRef<mlir::Value> row,
                                        mlir::Value column);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ROWS_ROWREDUCER_H
