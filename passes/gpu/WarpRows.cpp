// Neighbouring threads compute a row, four lanes of the numerics contract each.
// A block of columns has one column for each lane. Where rows are aligned a
// thread has four neighbouring lanes, so its accesses are wide. Elsewhere its
// lanes are as far apart as the row has threads, so that accesses of
// neighbouring threads are neighbours. Lanes of other threads come by shuffles,
// in which each warp takes part as a whole.
#include "passes/gpu/WarpRows.h"

#include "dialects/tenon/NumericsContract.h"
#include "passes/gpu/AlignedVectors.h"
#include "passes/gpu/BlockKernel.h"
#include "passes/kernel/rows/RowReducer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

namespace {
class WarpRows : BlockKernel {
public:
  WarpRows(Kernel &kernel, WarpRowsPlanAttr plan)
      : BlockKernel(kernel), plan(plan), threads(plan.getThreads()),
        blockColumns(threads * quad) {
    Value operand = rowReductions(kernel.fusion).front()->getOperand(0);
    rowRank = cast<RankedTensorType>(operand.getType()).getRank() - 1;
    width = ElementEmitter(kernel, 1).extent(operand, rowRank);
  }

  void emit();
  int64_t blockRows() const { return warpRowsThreads / threads; }
  bool beginsWithWholeRows() const {
    return isWholeRow(kernel.fusion.getYield().getValues().front());
  }

private:
  using Partial = RowReducer::Partial;
  /// Four columns of a thread.
  struct Quad {
    Value column;           ///< the first one
    Value mask;             ///< lanes that exist; null if all do
    ElementEmitter emitter; ///< for the four elements of any value
  };

  bool isWholeRow(Value value) const {
    return cast<RankedTensorType>(value.getType()).getRank() > rowRank;
  }
  static Type elementOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  }
  auto results() {
    return llvm::zip(kernel.fusion.getYield().getValues(), kernel.outputs);
  }

  void emitRow(bool wide);
  Quad quadAt(Value column, Value existing = {});
  Quad lastQuad(Value column, Value high);
  Quad heldQuad(int64_t first);
  Value endOfBlocks(Columns columns);
  SmallVector<LaneIndex> placeOf(const Quad &four);
  Value numbersOf(Value first);
  Partial reduce(Operation *op, RowReducer &reducer, Columns columns);
  Partial fold(RowReducer &reducer, const Partial &lanes);
  void writeRow();
  void write(Quad &four);

  WarpRowsPlanAttr plan;
  int64_t threads;      ///< of a row
  int64_t blockColumns; ///< one for each lane
  int64_t rowRank;
  Value width;
  Value thread; ///< its number among those of the row
  Value exists; ///< the thread's row does; null if all do
  Values row;   ///< the indices of the row; of the last one if it is behind it
  bool isWide;
  Value firstColumn;
  int64_t stride; ///< of a thread's columns
  SmallVector<std::pair<Value, Value>> reduced;
  SmallVector<Quad, 0> held;
};

void WarpRows::emit() {
  ElementEmitter sizes(kernel, 1);
  Values extents;
  Value rows = at().constant(1);
  for (int64_t d = 0; d < rowRank; ++d) {
    extents.push_back(sizes.extent(kernel.outputs[0], d));
    rows = at().mul(rows, extents.back());
  }
  Value number = threadNumber(), lanes = at().constant(threads);
  thread = at().remainder(number, lanes);
  Value firstRow = at().mul(kernel.begin, at().constant(blockRows())),
        mine = at().add(firstRow, at().floorDiv(number, lanes));
  int64_t warpRows = warpThreads / threads;
  Value warp = at().floorDiv(number, at().constant(warpThreads)),
        firstOfWarp =
            at().add(firstRow, at().mul(warp, at().constant(warpRows)));
  when(at().less(firstOfWarp, rows), [&] {
    if (getConstantIntValue(rows).value_or(1) % warpRows != 0) {
      exists = at().less(mine, rows);
      mine = at().min(mine, at().sub(rows, at().constant(1)));
    }
    row = at().delinearize(mine, extents);
    ifAligned(
        kernel, width, quad, [&] { emitRow(true); }, [&] { emitRow(false); });
  });
}

void WarpRows::emitRow(bool wide) {
  isWide = wide;
  stride = isWide ? 1 : threads;
  firstColumn = isWide ? at().mul(thread, at().constant(quad)) : thread;
  reduced.clear();
  held.clear();
  if (plan.getHeld())
    for (int64_t first = 0; first < *getConstantIntValue(width);
         first += blockColumns)
      held.push_back(heldQuad(first));
  for (Operation *op : rowReductions(kernel.fusion)) {
    RowReducer reducer(kernel, op, row, reduced);
    Value element = reducer.reduceRow(
        width, [&](Columns columns) { return reduce(op, reducer, columns); });
    reduced.push_back({op->getResult(0), element});
    Value four = vector::BroadcastOp::create(
        b, loc, VectorType::get({quad}, element.getType()), element);
    for (Quad &each : held)
      each.emitter.preset(op->getResult(0), four);
  }
  if (exists)
    return when(exists, [&] { writeRow(); });
  writeRow();
}

/// The columns from `column` on, of which `existing` exist, or all.
WarpRows::Quad WarpRows::quadAt(Value column, Value existing) {
  Quad four{column, {}, rowEmitter(kernel, quad, reduced)};
  if (existing) {
    four.mask = firstLanes(b, loc, quad, existing);
    four.emitter.setMask(four.mask, existing);
  }
  return four;
}

/// Columns of the block that begins with column `first`. A thread behind the
/// last column computes columns that exist, with a mask that has none.
WarpRows::Quad WarpRows::heldQuad(int64_t first) {
  Value column = at().add(firstColumn, at().constant(first));
  int64_t rest = *getConstantIntValue(width) - first;
  if (rest >= blockColumns)
    return quadAt(column);
  Value isInside = at().less(column, width),
        inside =
            at().min(column, at().sub(width, at().constant(isWide ? quad : 1)));
  if (isWide) {
    Quad four = quadAt(inside);
    four.mask = vector::BroadcastOp::create(
        b, loc, VectorType::get({quad}, b.getI1Type()), isInside);
    return four;
  }
  Value existing = at().ceilDiv(at().sub(width, inside), stride);
  Quad four = quadAt(inside, existing);
  four.mask = firstLanes(
      b, loc, quad,
      arith::SelectOp::create(b, loc, isInside, existing, at().constant(0)));
  return four;
}

/// Where whole blocks of columns end. Where rows are aligned, blocks of quads
/// need no more than that: a quad exists as a whole.
Value WarpRows::endOfBlocks(Columns columns) {
  if (isWide)
    return columns.high;
  Value block = at().constant(blockColumns),
        count = at().floorDiv(at().sub(columns.high, columns.low), block);
  return at().add(columns.low, at().mul(count, block));
}

WarpRows::Quad WarpRows::lastQuad(Value column, Value high) {
  return quadAt(column, at().ceilDiv(at().sub(high, column), stride));
}

SmallVector<LaneIndex> WarpRows::placeOf(const Quad &four) {
  SmallVector<LaneIndex> place = placeInRow(row, four.column);
  place.back().stride = stride;
  return place;
}

/// Reduces at most one piece. All threads of the row get the result.
WarpRows::Partial WarpRows::reduce(Operation *op, RowReducer &reducer,
                                   Columns columns) {
  Value low = columns.low, high = columns.high;
  Partial neutral = reducer.neutral(quad, at().sub(high, low));
  Partial sum = neutral;
  auto step = [&](Quad &four, const Partial &former) {
    Partial own =
        reducer.partials(four.emitter.emit(op->getOperand(0), placeOf(four)),
                         numbersOf(at().sub(four.column, low)));
    if (four.mask)
      for (auto [lanes, none] : llvm::zip(own, neutral))
        lanes = arith::SelectOp::create(b, loc, four.mask, lanes, none);
    return reducer.combine(former, own);
  };
  for (Quad &four : held)
    sum = step(four, sum);
  if (!plan.getHeld()) {
    Value end = endOfBlocks(columns);
    sum = carry(at().add(low, firstColumn), end, blockColumns, sum,
                [&](Value column, const Partial &former) {
                  Quad four = quadAt(column);
                  return step(four, former);
                });
    if (end != high) {
      Value column = at().add(end, firstColumn);
      sum = choose(
          at().less(column, high), sum,
          [&] {
            Quad four = lastQuad(column, high);
            return step(four, sum);
          },
          [&] { return sum; });
    }
  }
  return reducer.ofPiece(fold(reducer, sum), low);
}

/// The numbers of a thread's four columns, as i32.
Value WarpRows::numbersOf(Value first) {
  SmallVector<int32_t> steps;
  for (int64_t lane = 0; lane < quad; ++lane)
    steps.push_back(int32_t(lane * stride));
  auto type = VectorType::get({quad}, b.getI32Type());
  Value number = arith::IndexCastOp::create(b, loc, b.getI32Type(), first);
  return arith::AddIOp::create(
      b, loc, vector::BroadcastOp::create(b, loc, type, number),
      arith::ConstantOp::create(b, loc,
                                DenseElementsAttr::get(type, ArrayRef(steps))));
}

/// Combines lane i with lane i + n / 2, then with i + n / 4, and so on: far
/// lanes are those of other threads if a thread's lanes are neighbours. If no
/// order is promised, a thread's own lanes come first, for one shuffle a step.
WarpRows::Partial WarpRows::fold(RowReducer &reducer, const Partial &lanes) {
  SmallVector<Partial> parts(quad);
  for (auto [number, part] : llvm::enumerate(parts))
    for (Value value : lanes)
      part.push_back(vector::ExtractOp::create(b, loc, value, number));
  auto foldOwn = [&] {
    for (; parts.size() > 1; parts.resize(parts.size() / 2))
      for (size_t i = 0; i < parts.size() / 2; ++i)
        parts[i] = reducer.combine(parts[i], parts[i + parts.size() / 2]);
  };
  if (!isWide || !reducer.isOrdered())
    foldOwn();
  for (int64_t distance = threads / 2; distance > 0; distance /= 2)
    for (Partial &part : parts) {
      Partial other;
      for (Value value : part)
        other.push_back(fromLane(value, distance));
      part = reducer.combine(part, other);
    }
  foldOwn();
  return parts.front();
}

void WarpRows::writeRow() {
  SmallVector<LaneIndex> place;
  for (Value index : row)
    place.push_back({index, 0});
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        thread, at().constant(0));
  bool hasWholeRows = false;
  for (auto [result, output] : results()) {
    Value value = result, memory = output;
    hasWholeRows |= isWholeRow(value);
    if (!isWholeRow(value))
      when(isFirst, [&] {
        ElementEmitter one = rowEmitter(kernel, 1, reduced);
        one.store(one.emit(value, place), elementOf(value), memory, row);
      });
  }
  if (!hasWholeRows)
    return;
  for (Quad &four : held)
    write(four);
  if (plan.getHeld())
    return;
  Value end = endOfBlocks({at().constant(0), width});
  forRange(firstColumn, end, blockColumns, [&](Value column) {
    Quad four = quadAt(column);
    write(four);
  });
  Value column = at().add(end, firstColumn);
  if (end != width)
    when(at().less(column, width), [&] {
      Quad four = lastQuad(column, width);
      write(four);
    });
}

/// Computes and stores four columns of each result. No result is in the memory
/// of an operand.
void WarpRows::write(Quad &four) {
  auto store = [&](int64_t lane, llvm::function_ref<void()> body) {
    if (!four.mask)
      return body();
    when(vector::ExtractOp::create(b, loc, four.mask, lane), body);
  };
  Values place = row;
  place.push_back(four.column);
  for (auto [result, output] : results()) {
    if (!isWholeRow(result))
      continue;
    Type element = elementOf(result);
    Value value = four.emitter.emit(result, placeOf(four)), memory = output;
    if (isWide) {
      store(0, [&] { four.emitter.store(value, element, memory, place); });
      continue;
    }
    for (int64_t lane = 0; lane < quad; ++lane)
      store(lane, [&] {
        place.back() = at().add(four.column, at().constant(lane * stride));
        ElementEmitter(kernel, 1).store(
            vector::ExtractOp::create(b, loc, value, lane), element, memory,
            place);
      });
  }
}
} // namespace

TaskCounter emitWarpRows(Kernel &kernel, WarpRowsPlanAttr plan) {
  WarpRows rows(kernel, plan);
  rows.emit();
  return [blockRows = rows.blockRows(), isWhole = rows.beginsWithWholeRows()](
             OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes) {
    IndexBuilder at{b, loc};
    return at.ceilDiv(at.product(isWhole ? sizes.drop_back() : sizes),
                      blockRows);
  };
}

} // namespace tenon
