// Neighbouring threads compute a row, four lanes of the numerics contract each.
// A block of columns has one column for each lane. Where rows are aligned a
// thread has four neighbouring lanes, so its accesses are wide. Elsewhere its
// lanes are as far apart as the row has threads, so that accesses of
// neighbouring threads are neighbours; blocks begin where a sector of memory
// does, so that no access touches one sector more. That turns the lanes in a
// circle, in which lane i is still combined with i + n / 2, i + n / 4 and so
// on. Lanes of other threads come by shuffles, in which each warp takes part as
// a whole.
#include "passes/gpu/WarpRows.h"

#include "dialects/tenon/NumericsContract.h"
#include "passes/gpu/AlignedVectors.h"
#include "passes/gpu/BlockKernel.h"
#include "passes/kernel/rows/RowReducer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
    sectorElements = sectorElementsOfRows(kernel.fusion, rowRank);
    mostShift = mostShiftOfRows(kernel.fusion, rowRank);
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
    Value column;           ///< the first one, also if it does not exist
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
  Quad quadAt(Value column);
  Quad partAt(Value column, Columns columns);
  Quad heldQuad(int64_t first);
  Value isWholeBlock(Value column, Columns columns);
  /// True if 0 <= `number` < `count`.
  Value isBelow(Value number, Value count) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number,
                                 count);
  }
  SmallVector<LaneIndex> placeOf(const Quad &four);
  Value numbersOf(Value first);
  Partial reduce(Operation *op, RowReducer &reducer, Columns columns);
  Partial fold(RowReducer &reducer, const Partial &lanes);
  void writeRow();
  void write(Quad &four);
  void storeElements(Value firstRow, Value rows, ArrayRef<Value> extents);

  WarpRowsPlanAttr plan;
  int64_t threads;      ///< of a row
  int64_t blockColumns; ///< one for each lane
  int64_t rowRank;
  Value width;
  Value thread; ///< its number among those of the row
  Value exists; ///< the thread's row does; null if all do
  Values row;   ///< the indices of the row; of the last one if it is behind it
  Value shift;  ///< from the sector's begin to the row's, if it is not wide
  int64_t sectorElements, mostShift;
  bool isWide;
  Value firstColumn;
  int64_t stride; ///< of a thread's columns
  SmallVector<std::pair<Value, Value>> reduced;
  SmallVector<Quad, 0> held;
  /// The block's elements of each result that has one a row and of at least a
  /// word, in shared memory; null for other results.
  Values elements;
};

void WarpRows::emit() {
  ElementEmitter sizes(kernel, 1);
  Values extents;
  Value rows = at().constant(1);
  for (int64_t d = 0; d < rowRank; ++d) {
    extents.push_back(sizes.extent(kernel.outputs[0], d));
    rows = at().mul(rows, extents.back());
  }
  for (auto [result, output] : results()) {
    Value value = result, memory = output;
    std::string name = "elements" + std::to_string(elements.size());
    auto type = cast<MemRefType>(memory.getType());
    elements.push_back(isWholeRow(value) || type.getElementTypeBitWidth() < 32
                           ? Value()
                           : shared(name, blockRows(), type.getElementType()));
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
    shift = mostShift == 0 ? at().constant(0)
                           : at().remainder(at().mul(mine, width),
                                            at().constant(sectorElements));
    ifAligned(
        kernel, width, quad, [&] { emitRow(true); }, [&] { emitRow(false); });
  });
  storeElements(firstRow, rows, extents);
}

void WarpRows::emitRow(bool wide) {
  isWide = wide;
  stride = isWide ? 1 : threads;
  firstColumn =
      isWide ? at().mul(thread, at().constant(quad)) : at().sub(thread, shift);
  reduced.clear();
  held.clear();
  if (plan.getHeld())
    for (int64_t first = 0,
                 end = *getConstantIntValue(width) + (isWide ? 0 : mostShift);
         first < end; first += blockColumns)
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

/// The columns from `column` on, which exist.
WarpRows::Quad WarpRows::quadAt(Value column) {
  return {column, {}, rowEmitter(kernel, quad, reduced)};
}

/// The columns from `column` on of a row that is not wide, those of `columns`.
WarpRows::Quad WarpRows::partAt(Value column, Columns columns) {
  Quad four = quadAt(column);
  SmallVector<Value> isInside;
  for (int64_t lane = 0; lane < quad; ++lane) {
    Value own = at().add(column, at().constant(lane * stride));
    isInside.push_back(isBelow(at().sub(own, columns.low),
                               at().sub(columns.high, columns.low)));
  }
  four.mask = vector::FromElementsOp::create(
      b, loc, VectorType::get({quad}, b.getI1Type()), isInside);
  four.emitter.setMask(four.mask);
  return four;
}

/// Columns of the block that begins at `first`, less the shift. A wide row's
/// thread behind the last column computes columns that exist, with a mask that
/// has none.
WarpRows::Quad WarpRows::heldQuad(int64_t first) {
  Value column = at().add(firstColumn, at().constant(first));
  int64_t rest = *getConstantIntValue(width) - first;
  bool isBehindShift = isWide || first >= mostShift;
  if (rest >= blockColumns && isBehindShift)
    return quadAt(column);
  if (!isWide)
    return partAt(column, {at().constant(0), width});
  Quad four = quadAt(at().min(column, at().sub(width, at().constant(quad))));
  four.mask = vector::BroadcastOp::create(
      b, loc, VectorType::get({quad}, b.getI1Type()), at().less(column, width));
  return four;
}

/// True if the block of columns in which a thread has `column` exists as a
/// whole; the same for all threads of the row.
Value WarpRows::isWholeBlock(Value column, Columns columns) {
  Value first = at().sub(at().sub(column, thread), columns.low),
        count = at().sub(at().sub(columns.high, columns.low),
                         at().constant(blockColumns - 1));
  return isBelow(first, at().max(count, at().constant(0)));
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
  if (plan.getHeld())
    for (Quad &four : held)
      sum = step(four, sum);
  else
    sum = carry(at().add(low, firstColumn), high, blockColumns, sum,
                [&](Value column, const Partial &former) {
                  auto whole = [&] {
                    Quad four = quadAt(column);
                    return step(four, former);
                  };
                  if (isWide)
                    return whole();
                  return choose(isWholeBlock(column, columns), former, whole,
                                [&] {
                                  Quad four = partAt(column, columns);
                                  return step(four, former);
                                });
                });
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
  Value slot = at().floorDiv(threadNumber(), at().constant(threads));
  bool hasWholeRows = false;
  for (auto [result, output, collected] : llvm::zip(
           kernel.fusion.getYield().getValues(), kernel.outputs, elements)) {
    Value value = result, into = collected ? collected : output;
    Values where = collected ? Values{slot} : row;
    hasWholeRows |= isWholeRow(value);
    if (!isWholeRow(value))
      when(isFirst, [&] {
        ElementEmitter one = rowEmitter(kernel, 1, reduced);
        one.store(one.emit(value, place), elementOf(value), into, where);
      });
  }
  if (!hasWholeRows)
    return;
  for (Quad &four : held)
    write(four);
  if (plan.getHeld())
    return;
  Columns all{at().constant(0), width};
  forRange(firstColumn, width, blockColumns, [&](Value column) {
    auto whole = [&] {
      Quad four = quadAt(column);
      write(four);
    };
    if (isWide)
      return whole();
    choose(isWholeBlock(column, all), whole, [&] {
      Quad four = partAt(column, all);
      write(four);
    });
  });
}

/// Stores the block's elements side by side: those of a warp alone would be
/// parts of a sector.
void WarpRows::storeElements(Value firstRow, Value rows,
                             ArrayRef<Value> extents) {
  if (llvm::none_of(elements, [](Value memory) { return bool(memory); }))
    return;
  barrier();
  Value slot = threadNumber(), number = at().add(firstRow, slot),
        count = at().min(at().sub(rows, firstRow), at().constant(blockRows()));
  when(at().less(slot, count), [&] {
    Values place = at().delinearize(number, extents);
    for (auto [from, to] : llvm::zip(elements, kernel.outputs))
      if (from)
        memref::StoreOp::create(
            b, loc, memref::LoadOp::create(b, loc, from, slot), to, place);
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
