// Row kernels: reductions along the last extent with the elementwise ops before
// and after them, one row at a time.
#include "passes/kernel/rows/RowKernels.h"

#include "dialects/tenon/NumericsContract.h"
#include "passes/kernel/rows/RowReducer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

constexpr int64_t rowGrain = 8192;

namespace {
class RowWriter {
public:
  explicit RowWriter(Kernel &kernel)
      : kernel(kernel), b(kernel.builder), loc(kernel.loc()) {
    lanes = std::min(kernel.lanes(), reductionLanes);
  }

  /// Computes one whole row.
  void write(ArrayRef<Value> row, Value width) {
    for (Operation *op : rowReductions(kernel.fusion)) {
      RowReducer reducer(kernel, op, row, reduced);
      Value element = reducer.reduceRow(
          width, [&](Columns columns) { return reducer.reducePiece(columns); });
      reduced.push_back({op->getResult(0), element});
    }
    writeOutputs(row, {at().constant(0), width});
  }

  /// Computes one piece of a row in one phase: a partial of the reduction with
  /// the phase's number, from the results of those before it, or the outputs.
  /// The partials of the row's pieces begin at `first` in `scratch`.
  void writePiece(ArrayRef<Value> row, Columns columns, Value piece,
                  int64_t pieces, Value first, ValueRange scratch,
                  size_t phase) {
    for (auto [number, op] : llvm::enumerate(rowReductions(kernel.fusion))) {
      RowReducer reducer(kernel, op, row, reduced);
      size_t parts = reducer.partialTypes().size();
      ValueRange own = scratch.take_front(parts);
      scratch = scratch.drop_front(parts);
      if (number == phase) {
        RowReducer::Partial partial = reducer.reducePiece(columns);
        for (auto [part, memory] : llvm::zip(partial, own))
          memref::StoreOp::create(b, loc, part, memory, at().add(first, piece));
        return;
      }
      reduced.push_back(
          {op->getResult(0), joinPieces(reducer, pieces, first, own)});
    }
    writeOutputs(row, columns);
  }

private:
  Value joinPieces(RowReducer &reducer, int64_t pieces, Value first,
                   ValueRange scratch) {
    auto loop =
        scf::ForOp::create(b, loc, at().constant(0), at().constant(pieces),
                           at().constant(1), reducer.none());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    RowReducer::Partial next;
    for (Value memory : scratch)
      next.push_back(memref::LoadOp::create(
          b, loc, memory, at().add(first, loop.getInductionVar())));
    scf::YieldOp::create(
        b, loc,
        reducer.join(RowReducer::Partial(loop.getRegionIterArgs()), next));
    b.setInsertionPointAfter(loop);
    return reducer.finish(RowReducer::Partial(loop.getResults()));
  }

  void writeOutputs(ArrayRef<Value> row, Columns columns) {
    for (auto [value, output] :
         llvm::zip(kernel.fusion.getYield().getValues(), kernel.outputs))
      writeOutput(value, output, row, columns);
  }

  IndexBuilder at() { return {b, loc}; }

  ElementEmitter emitter(int64_t lanes) {
    return rowEmitter(kernel, lanes, reduced);
  }

  void writeOutput(Value value, Value output, ArrayRef<Value> row,
                   Columns columns) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() == int64_t(row.size())) {
      // The task of the row's first columns writes it.
      OpBuilder::InsertionGuard guard(b);
      if (getConstantIntValue(columns.low) != 0)
        b.setInsertionPointToStart(
            &scf::IfOp::create(
                 b, loc,
                 arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       columns.low, at().constant(0)),
                 false)
                 .getThenRegion()
                 .front());
      ElementEmitter scalar = emitter(1);
      SmallVector<LaneIndex> indices;
      for (Value index : row)
        indices.push_back({index, 0});
      scalar.store(scalar.emit(value, indices), type.getElementType(), output,
                   row);
      return;
    }
    Value step = at().constant(lanes);
    Value width = at().sub(columns.high, columns.low),
          whole =
              at().add(columns.low, at().mul(at().floorDiv(width, step), step));
    auto loop = scf::ForOp::create(b, loc, columns.low, whole, step);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ElementEmitter wide = emitter(lanes);
    if (!writeColumn(wide, value, output, row, loop.getInductionVar())) {
      b.setInsertionPointAfter(loop);
      loop.erase();
      auto each = scf::ForOp::create(b, loc, columns.low, columns.high,
                                     at().constant(1));
      b.setInsertionPointToStart(each.getBody());
      ElementEmitter scalar = emitter(1);
      writeColumn(scalar, value, output, row, each.getInductionVar());
      return;
    }
    b.setInsertionPointAfter(loop);
    Value rest = at().sub(columns.high, whole);
    if (getConstantIntValue(rest) == 0)
      return;
    auto branch =
        scf::IfOp::create(b, loc, at().less(whole, columns.high), false);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    ElementEmitter tail = emitter(lanes);
    tail.setValid(rest);
    writeColumn(tail, value, output, row, whole);
  }

  bool writeColumn(ElementEmitter &element, Value value, Value output,
                   ArrayRef<Value> row, Value column) {
    Value computed = element.emit(value, placeInRow(row, column));
    if (element.failed())
      return false;
    SmallVector<Value> where(row);
    where.push_back(column);
    element.store(computed,
                  cast<RankedTensorType>(value.getType()).getElementType(),
                  output, where);
    return true;
  }

  Kernel &kernel;
  OpBuilder &b;
  Location loc;
  int64_t lanes;
  SmallVector<std::pair<Value, Value>> reduced;
};
} // namespace

/// The operand of a reduction: all its rows.
static Value rowsOf(FusionOp fusion) {
  return rowReductions(fusion).front()->getOperand(0);
}

/// Emits a loop over the rows or pieces in the kernel's task range. `body` gets
/// the number and the indices of the row, and which of `parts` of it.
static void
forEachPart(Kernel &kernel, int64_t rowRank, int64_t perTask, int64_t parts,
            llvm::function_ref<void(Value, ArrayRef<Value>, Value)> body) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  ElementEmitter sizes(kernel, 1);
  // Count the rows of the output: its extents are known where the kernel is
  // launched.
  SmallVector<Value> rowExtents;
  Value count = at.constant(parts);
  for (int64_t d = 0; d < rowRank; ++d) {
    rowExtents.push_back(sizes.extent(kernel.outputs[0], d));
    count = at.mul(count, rowExtents.back());
  }
  auto loop = scf::ForOp::create(
      b, loc, at.mul(kernel.begin, at.constant(perTask)),
      at.min(at.mul(kernel.end, at.constant(perTask)), count), at.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar(), part = at.constant(0);
  if (parts != 1) {
    part = at.remainder(row, at.constant(parts));
    row = at.floorDiv(row, at.constant(parts));
  }
  body(row, at.delinearize(row, rowExtents), part);
}

TaskCounter emitRows(Kernel &kernel) {
  Value all = rowsOf(kernel.fusion);
  int64_t rowRank = cast<RankedTensorType>(all.getType()).getRank() - 1;
  bool fullOutput =
      cast<RankedTensorType>(kernel.fusion.getYield().getOperand(0).getType())
          .getRank() > rowRank;
  Value width = ElementEmitter(kernel, 1).extent(all, rowRank);
  int64_t knownWidth = getConstantIntValue(width).value_or(256);
  int64_t perTask =
      kernel.hasFineTasks
          ? 1
          : std::max<int64_t>(1, rowGrain / std::max<int64_t>(1, knownWidth));
  forEachPart(kernel, rowRank, perTask, 1,
              [&](Value, ArrayRef<Value> row, Value) {
                RowWriter(kernel).write(row, width);
              });
  return [perTask, fullOutput](OpBuilder &b, Location loc,
                               ArrayRef<OpFoldResult> sizes) -> Value {
    IndexBuilder at{b, loc};
    return at.ceilDiv(at.product(fullOutput ? sizes.drop_back() : sizes),
                      perTask);
  };
}

void emitLongRows(Kernel &kernel, ValueRange scratch, size_t phase) {
  auto type = cast<RankedTensorType>(rowsOf(kernel.fusion).getType());
  int64_t rowRank = type.getRank() - 1, width = type.getShape().back(),
          pieces = llvm::divideCeil(width, rowPiece);
  IndexBuilder at{kernel.builder, kernel.loc()};
  forEachPart(kernel, rowRank, 1, pieces,
              [&](Value number, ArrayRef<Value> row, Value piece) {
                Value step = at.constant(rowPiece), low = at.mul(piece, step);
                RowWriter(kernel).writePiece(
                    row, {low, at.min(at.add(low, step), at.constant(width))},
                    piece, pieces, at.mul(number, at.constant(pieces)), scratch,
                    phase);
              });
}

} // namespace tenon
