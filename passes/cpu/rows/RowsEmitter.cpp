// Row kernels: reductions along the last extent with the elementwise ops before
// and after them, one row at a time. Sums are kept in the 64 lanes of the
// numerics contract (element i in lane i mod 64), which one fixed tree
// combines: the bits are the same for every vector width.
#include "passes/cpu/rows/RowKernels.h"

#include "dialects/tenon/NumericsContract.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"
#include "passes/kernel/numerics/LaneFolds.h"
#include "passes/kernel/numerics/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
      if (auto reduce = dyn_cast<ReduceOp>(op))
        reduced.push_back({reduce.getResult(), reduceRow(reduce, row)});
    for (auto [value, output] :
         llvm::zip(kernel.fusion.getYield().getValues(), kernel.outputs))
      writeOutput(value, output, row);
  }

private:
  IndexBuilder at() { return {b, loc}; }

  ElementEmitter emitter(int64_t lanes) {
    ElementEmitter result(kernel, lanes);
    for (auto [value, scalar] : reduced)
      result.preset(
          value, lanes == 1
                     ? scalar
                     : Value(vector::BroadcastOp::create(
                           b, loc, VectorType::get({lanes}, scalar.getType()),
                           scalar)));
    return result;
  }

  SmallVector<LaneIndex> place(ArrayRef<Value> row, Value column) {
    SmallVector<LaneIndex> indices;
    for (Value index : row)
      indices.push_back({index, 0});
    indices.push_back({column, 1});
    return indices;
  }

  static Type sumType(Type element) {
    return isa<Float16Type, BFloat16Type>(element)
               ? Float32Type::get(element.getContext())
               : element;
  }

  Value reduceRow(ReduceOp op, ArrayRef<Value> row) {
    Type element =
             cast<RankedTensorType>(op.getOperand().getType()).getElementType(),
         sum = sumType(element);
    int64_t vectors = reductionLanes / lanes;
    Type laneType = emitter(lanes).laneType(sum);
    Value identity = emitIdentity(b, loc, op.getKind(), sum, laneType);
    Value step = at().constant(reductionLanes);
    Value whole = at().mul(at().floorDiv(width, step), step);
    auto loop = scf::ForOp::create(b, loc, at().constant(0), whole, step,
                                   SmallVector<Value>(vectors, identity));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      ElementEmitter element_ = emitter(lanes);
      SmallVector<Value> sums;
      for (int64_t v = 0; v < vectors; ++v) {
        Value column =
            at().add(loop.getInductionVar(), at().constant(v * lanes));
        Value value = element_.emit(op.getOperand(), place(row, column));
        if (element_.failed())
          break;
        sums.push_back(emitCombine(b, loc, op.getKind(), sum,
                                   loop.getRegionIterArg(v),
                                   emitConvert(b, loc, value, element, sum)));
      }
      if (element_.failed()) {
        b.setInsertionPointAfter(loop);
        loop.erase();
        return reduceInOrder(op, row);
      }
      scf::YieldOp::create(b, loc, sums);
    }
    SmallVector<Value> sums = addTail(
        op, row, whole, SmallVector<Value>(loop.getResults()), identity);
    // Combines lane i with lane i + 32, then with i + 16, and so on.
    Value result = foldLanes(b, loc, sums, [&](Value x, Value y) {
      return emitCombine(b, loc, op.getKind(), sum, x, y);
    });
    return emitConvert(b, loc, result, sum, element);
  }

  /// Adds the remainder after the last full block, each element to its own
  /// lane.
  SmallVector<Value> addTail(ReduceOp op, ArrayRef<Value> row, Value whole,
                             SmallVector<Value> sums, Value identity) {
    Value rest = at().sub(width, whole);
    if (getConstantIntValue(rest) == 0)
      return sums;
    Type element =
             cast<RankedTensorType>(op.getOperand().getType()).getElementType(),
         sum = sumType(element);
    for (auto [v, partial] : llvm::enumerate(sums)) {
      Value skipped = at().constant(int64_t(v) * lanes);
      if (auto known = getConstantIntValue(rest);
          known && *known <= int64_t(v) * lanes)
        break;
      Value count = at().min(at().sub(rest, skipped), at().constant(lanes));
      auto branch = scf::IfOp::create(b, loc, partial.getType(),
                                      at().less(skipped, rest), true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&branch.getThenRegion().front());
      Value mask = firstLanes(b, loc, lanes, count);
      ElementEmitter element_ = emitter(lanes);
      element_.setMask(mask, count);
      Value value =
          element_.emit(op.getOperand(), place(row, at().add(whole, skipped)));
      value = emitConvert(b, loc, value, element, sum);
      value = arith::SelectOp::create(b, loc, mask, value, identity);
      scf::YieldOp::create(
          b, loc, emitCombine(b, loc, op.getKind(), sum, partial, value));
      b.setInsertionPointToStart(&branch.getElseRegion().front());
      scf::YieldOp::create(b, loc, partial);
      sums[v] = branch.getResult(0);
    }
    return sums;
  }

  /// Reduces the elements one after another, if an operand cannot be computed
  /// as a vector.
  Value reduceInOrder(ReduceOp op, ArrayRef<Value> row) {
    SmallVector<LaneIndex> indices;
    for (Value index : row)
      indices.push_back({index, 0});
    return emitter(1).emit(op.getResult(), indices);
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
    Value computed = element.emit(value, place(row, column));
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
  ReduceOp model;
  for (Operation &op : kernel.fusion.getBlock())
    if (auto reduce = dyn_cast<ReduceOp>(op))
      model = reduce;
  auto full = cast<RankedTensorType>(model.getOperand().getType());
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
  Value width = sizes.extent(model.getOperand(), rowRank);
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
