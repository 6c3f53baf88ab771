// Row kernels: reductions along the last extent with the elementwise ops before
// and after them, one row at a time.
#include "passes/cpu/rows/RowKernels.h"

#include "dialects/tenon/NumericsContract.h"
#include "passes/cpu/rows/RowReducer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

constexpr int64_t rowGrain = 8192;

namespace {
class RowWriter {
public:
  RowWriter(Kernel &kernel, Value width)
      : kernel(kernel), b(kernel.builder), loc(kernel.loc()), width(width) {
    lanes = std::min(kernel.lanes(), reductionLanes);
  }

  void write(ArrayRef<Value> row) {
    for (Operation &op : kernel.fusion.getBlock())
      if (isRowReduction(&op))
        reduced.push_back(
            {op.getResult(0),
             RowReducer(kernel, &op, row, reduced).reduceRow(width)});
    for (auto [value, output] :
         llvm::zip(kernel.fusion.getYield().getValues(), kernel.outputs))
      writeOutput(value, output, row);
  }

private:
  IndexBuilder at() { return {b, loc}; }

  ElementEmitter emitter(int64_t lanes) {
    return rowEmitter(kernel, lanes, reduced);
  }

  void writeOutput(Value value, Value output, ArrayRef<Value> row) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() == int64_t(row.size())) {
      ElementEmitter scalar = emitter(1);
      SmallVector<LaneIndex> indices;
      for (Value index : row)
        indices.push_back({index, 0});
      scalar.store(scalar.emit(value, indices), type.getElementType(), output,
                   row);
      return;
    }
    Value step = at().constant(lanes);
    Value whole = at().mul(at().floorDiv(width, step), step);
    auto loop = scf::ForOp::create(b, loc, at().constant(0), whole, step);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ElementEmitter wide = emitter(lanes);
    if (!writeColumn(wide, value, output, row, loop.getInductionVar())) {
      b.setInsertionPointAfter(loop);
      loop.erase();
      auto each =
          scf::ForOp::create(b, loc, at().constant(0), width, at().constant(1));
      b.setInsertionPointToStart(each.getBody());
      ElementEmitter scalar = emitter(1);
      writeColumn(scalar, value, output, row, each.getInductionVar());
      return;
    }
    b.setInsertionPointAfter(loop);
    Value rest = at().sub(width, whole);
    if (getConstantIntValue(rest) == 0)
      return;
    auto branch = scf::IfOp::create(b, loc, at().less(whole, width), false);
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
  Value width;
  int64_t lanes;
  SmallVector<std::pair<Value, Value>> reduced;
};
} // namespace

TaskCounter emitRows(Kernel &kernel) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  Value reduced;
  for (Operation &op : kernel.fusion.getBlock())
    if (isRowReduction(&op))
      reduced = op.getOperand(0);
  auto full = cast<RankedTensorType>(reduced.getType());
  int64_t rowRank = full.getRank() - 1;
  bool fullOutput =
      cast<RankedTensorType>(kernel.fusion.getYield().getOperand(0).getType())
          .getRank() == full.getRank();
  ElementEmitter sizes(kernel, 1);
  // Count the rows of the output: its extents are known where the kernel is
  // launched.
  SmallVector<Value> rowExtents;
  Value rows = at.constant(1);
  for (int64_t d = 0; d < rowRank; ++d) {
    rowExtents.push_back(sizes.extent(kernel.outputs[0], d));
    rows = at.mul(rows, rowExtents.back());
  }
  Value width = sizes.extent(reduced, rowRank);
  int64_t knownWidth = getConstantIntValue(width).value_or(256);
  int64_t perTask =
      std::max<int64_t>(1, rowGrain / std::max<int64_t>(1, knownWidth));
  auto loop = scf::ForOp::create(
      b, loc, at.mul(kernel.begin, at.constant(perTask)),
      at.min(at.mul(kernel.end, at.constant(perTask)), rows), at.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  RowWriter(kernel, width)
      .write(at.delinearize(loop.getInductionVar(), rowExtents));
  return [perTask, fullOutput](OpBuilder &b, Location loc,
                               ArrayRef<OpFoldResult> sizes) -> Value {
    IndexBuilder at{b, loc};
    return at.ceilDiv(at.product(fullOutput ? sizes.drop_back() : sizes),
                      perTask);
  };
}

} // namespace tenon
