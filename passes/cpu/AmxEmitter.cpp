// A task splits its rows into bf16 parts once for all its columns, and each
// panel of columns once for all its rows, a piece of the depth at a time; two
// by two tiles of sums stay in registers over a piece and wait on the stack
// between pieces. Tiles take denormals for zeros and a split infinity is NaN,
// so that of three parts a sum counts only where none of that can have touched
// it: no operand is huge, and either none is tiny or the sum is not. Any other
// is computed again by fused multiply-adds of the operands as they were.
#include "passes/cpu/AmxEmitter.h"

#include "passes/cpu/BfloatParts.h"
#include "passes/cpu/Conversions.h"
#include "passes/cpu/GemmTask.h"
#include "passes/cpu/TileEpilogue.h"
#include "passes/cpu/TileKernel.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace tenon {

/// Lanes of a vector, which are the columns of a tile.
constexpr int64_t lanes = amxTile;
/// Elements of a tile of bf16 and of one of sums.
constexpr int64_t bfloatTile = amxTile * amxStep, sumTile = amxTile * amxTile;

/// With all operands up to this nothing overflows; with all that are not zero
/// from `least` on every partial sum is zero or a normal number, for all are
/// multiples of 2^-126; and what flushing takes from a sum of at least
/// `leastSum` is less than half a unit in its last place a product.
constexpr float greatest = 0x1p30f, least = 0x1p-40f, leastSum = 0x1p-60f;

/// Which parts are multiplied, in the order that loads the fewest tiles: each
/// differs from the one before in one part. Those whose numbers add up to more
/// than the last part's are too small to matter.
constexpr std::pair<int64_t, int64_t> products[] = {{0, 2}, {0, 1}, {1, 1},
                                                    {1, 0}, {2, 0}, {0, 0}};

namespace {
/// Columns [first, first + vectors * lanes): two tiles, or what is left.
struct Panel {
  Value first;
  int64_t vectors;
  SmallVector<Value> masks, valid; ///< null: all lanes exist
};

class AmxEmitter {
public:
  AmxEmitter(Kernel &kernel, Value dot, const ContractionNest &nest,
             const AmxPlan &plan)
      : kernel(kernel), b(kernel.builder), loc(kernel.loc()), nest(nest),
        plan(plan), task(kernel, nest, plan.block), tiles(kernel, nest, lanes),
        epilogue(kernel, dot, nest.sum, lanes),
        words(VectorType::get({lanes}, b.getI32Type())),
        floats(VectorType::get({lanes}, b.getF32Type())) {}

  void emit();

private:
  using Values = SmallVector<Value>;

  IndexBuilder at() { return {b, loc}; }
  Value scratch(Type element, int64_t elements);
  void forRange(Value low, Value high, int64_t step,
                llvm::function_ref<void(Value)> body);
  void when(Value condition, llvm::function_ref<void()> body);
  void forPanels(llvm::function_ref<void(const Panel &)> body);
  Value numberOf(const Panel &panel);
  Value startOf(Value row);
  Value wordsOf(int32_t word);
  Value load(VectorType type, Value memory, Value place);
  void store(Value value, Value memory, Value place);
  Value loadFloats(Value memory, Type element, Value place, Value mask);
  Value existing(Value k, Value last);
  void storeParts(Value word, Value memory, Value place);

  void emitTask();
  void clear();
  void splitRow(Value row, Value k, Value steps);
  void splitColumns(const Panel &panel, Value k, Value steps);
  void multiply(const Panel &panel, Value steps);
  void multiplyTiles(const Panel &panel, Value firstTile, int64_t rowTiles,
                     Value steps);
  void finishRow(Value row);
  void finish(const Panel &panel, Value row, ArrayRef<Value> position,
              Magnitudes ofRow);
  Value isDoubtful(const Panel &panel, ArrayRef<Value> sums, Magnitudes ofRow);
  Values computeAgain(const Panel &panel, Value row);

  Kernel &kernel;
  OpBuilder &b;
  Location loc;
  const ContractionNest &nest;
  const AmxPlan &plan;
  GemmTask task;
  TileKernel tiles;
  TileEpilogue epilogue;
  VectorType words, floats;
  Value count; ///< the task's rows
  /// Tiles of parts: [part][tile of rows][step] and [part][vector][step].
  Value rowParts, columnParts;
  Value sums; ///< tiles: [panel][tile of rows][vector]
  /// Magnitudes, vectors of the least and the greatest side by side: of each
  /// row, in lanes that mean nothing, and of each vector of columns.
  Value rowMagnitudes, columnMagnitudes;
};

Value AmxEmitter::scratch(Type element, int64_t elements) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.func.getBody().front());
  return memref::AllocaOp::create(b, loc, MemRefType::get({elements}, element),
                                  b.getI64IntegerAttr(64));
}

void AmxEmitter::forRange(Value low, Value high, int64_t step,
                          llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, loc, low, high, at().constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void AmxEmitter::when(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, loc, condition, false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  body();
}

/// The panels of the task; the last columns of all may fill one in part.
void AmxEmitter::forPanels(llvm::function_ref<void(const Panel &)> body) {
  int64_t rest = *getConstantIntValue(nest.column.extent) % amxPanel;
  Value some = at().remainder(at().sub(task.lastColumn, task.firstColumn),
                              at().constant(amxPanel));
  Value whole = at().sub(task.lastColumn, some);
  forRange(task.firstColumn, whole, amxPanel,
           [&](Value column) { body({column, 2, Values(2), Values(2)}); });
  if (rest == 0)
    return;
  when(at().less(whole, task.lastColumn), [&] {
    Panel panel{whole, (rest + lanes - 1) / lanes, {}, {}};
    panel.masks.resize(panel.vectors);
    panel.valid.resize(panel.vectors);
    if (rest % lanes) {
      auto type = VectorType::get({lanes}, b.getI1Type());
      panel.valid.back() = at().constant(rest % lanes);
      panel.masks.back() =
          vector::CreateMaskOp::create(b, loc, type, panel.valid.back());
    }
    body(panel);
  });
}

/// Of the panel among those of the task.
Value AmxEmitter::numberOf(const Panel &panel) {
  return at().floorDiv(at().sub(panel.first, task.firstColumn),
                       at().constant(amxPanel));
}

/// Where a row of the task starts in lhs.
Value AmxEmitter::startOf(Value row) {
  Value number = at().add(task.firstRow, row), offset = task.lhsBase;
  if (nest.rowStride)
    return at().add(offset, at().mul(number, nest.rowStride));
  for (auto [dim, index] : llvm::zip(nest.rows, task.positionOf(number)))
    offset = at().add(offset, at().mul(index, dim.lhsStride));
  return offset;
}

Value AmxEmitter::wordsOf(int32_t word) {
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(word)));
}

Value AmxEmitter::load(VectorType type, Value memory, Value place) {
  return vector::LoadOp::create(b, loc, type, memory, place);
}

void AmxEmitter::store(Value value, Value memory, Value place) {
  vector::StoreOp::create(b, loc, value, memory, place);
}

/// Lanes that `mask` leaves out are zero; null: none.
Value AmxEmitter::loadFloats(Value memory, Type element, Value place,
                             Value mask) {
  auto type = VectorType::get({lanes}, kernelElementType(element));
  if (!mask)
    return emitConvert(b, loc, load(type, memory, place), element, nest.sum);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  Value loaded =
      vector::MaskedLoadOp::create(b, loc, type, memory, place, mask, zero);
  return emitConvert(b, loc, loaded, element, nest.sum);
}

/// The lanes in which sums from number k on exist, which step by one; `all`: in
/// which sum k does. Null where every step is whole.
Value AmxEmitter::existing(Value k, Value all) {
  Value extent = nest.sums.back().extent;
  if (*getConstantIntValue(extent) % amxStep == 0)
    return {};
  auto type = VectorType::get({lanes}, b.getI1Type());
  if (all)
    return vector::BroadcastOp::create(b, loc, type, at().less(k, extent));
  return vector::CreateMaskOp::create(b, loc, type, at().sub(extent, k));
}

/// A row of a tile: 32 numbers.
void AmxEmitter::storeParts(Value word, Value memory, Value place) {
  auto type = VectorType::get({amxStep}, b.getBF16Type());
  store(vector::BitCastOp::create(b, loc, type, word), memory, place);
}

void AmxEmitter::emit() {
  int64_t steps = plan.steps(), rows = plan.block.rows,
          columns = plan.block.columns;
  Type bfloat = b.getBF16Type(), word = b.getI32Type();
  rowParts = scratch(bfloat, plan.parts * plan.rowTiles() * steps * bfloatTile);
  columnParts = scratch(bfloat, plan.parts * 2 * steps * bfloatTile);
  sums = scratch(b.getF32Type(), rows * columns);
  rowMagnitudes = scratch(word, rows * 2 * lanes);
  columnMagnitudes = scratch(word, columns * 2);
  forRange(kernel.begin, kernel.end, 1, [&](Value number) {
    task.enter(number);
    emitTask();
  });
}

void AmxEmitter::emitTask() {
  count = at().sub(task.lastRow, task.firstRow);
  clear();
  Value extent = nest.sums.back().extent, none = at().constant(0);
  forRange(none, extent, plan.depth, [&](Value k) {
    Value depth = at().min(at().constant(plan.depth), at().sub(extent, k));
    Value steps = at().ceilDiv(depth, amxStep);
    forRange(none, count, 1, [&](Value row) { splitRow(row, k, steps); });
    forPanels([&](const Panel &panel) {
      splitColumns(panel, k, steps);
      multiply(panel, steps);
    });
  });
  forRange(none, count, 1, [&](Value row) { finishRow(row); });
}

void AmxEmitter::clear() {
  Value none = at().constant(0);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(floats));
  forRange(none, at().constant(plan.block.rows * plan.block.columns), lanes,
           [&](Value place) { store(zero, sums, place); });
  auto unmet = [&](Value memory, int64_t size) {
    Magnitudes magnitudes = emitNoMagnitudes(b, loc, lanes);
    forRange(none, at().constant(size), 2 * lanes, [&](Value place) {
      store(magnitudes.least, memory, place);
      store(magnitudes.greatest, memory, at().add(place, at().constant(lanes)));
    });
  };
  unmet(rowMagnitudes, plan.block.rows * 2 * lanes);
  unmet(columnMagnitudes, plan.block.columns * 2);
}

/// Sums [k, k + steps * amxStep) of a row, two vectors a step.
void AmxEmitter::splitRow(Value row, Value k, Value steps) {
  Value start = at().add(startOf(row), k), tile = at().constant(amxTile),
        range = at().mul(row, at().constant(2 * lanes)),
        after = at().add(range, at().constant(lanes));
  auto loop =
      scf::ForOp::create(b, loc, at().constant(0), steps, at().constant(1),
                         ValueRange{load(words, rowMagnitudes, range),
                                    load(words, rowMagnitudes, after)});
  store(loop.getResult(0), rowMagnitudes, range);
  store(loop.getResult(1), rowMagnitudes, after);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Magnitudes met{loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  Value step = loop.getInductionVar(),
        done = at().mul(step, at().constant(amxStep));
  SmallVector<Values> parts;
  for (int64_t half : {int64_t(0), lanes}) {
    Value here = at().add(done, at().constant(half));
    Value x = loadFloats(nest.lhs, nest.lhsElement, at().add(start, here),
                         existing(at().add(k, here), {}));
    met = emitMeet(b, loc, met, x);
    parts.push_back(emitParts(b, loc, x, plan.parts));
  }
  scf::YieldOp::create(b, loc, ValueRange{met.least, met.greatest});
  b.setInsertionPoint(loop.getBody()->getTerminator());
  SmallVector<int64_t> highHalves;
  for (int64_t i = 0; i < amxStep; ++i)
    highHalves.push_back(2 * i + 1);
  auto halves = VectorType::get({2 * lanes}, b.getI16Type());
  for (int64_t part = 0; part < plan.parts; ++part) {
    Value low = vector::BitCastOp::create(b, loc, halves, parts[0][part]),
          high = vector::BitCastOp::create(b, loc, halves, parts[1][part]);
    Value line = vector::ShuffleOp::create(b, loc, low, high, highHalves);
    Value number = at().add(at().constant(part * plan.rowTiles()),
                            at().floorDiv(row, tile));
    number = at().add(at().mul(number, at().constant(plan.steps())), step);
    storeParts(
        line, rowParts,
        at().add(at().mul(number, at().constant(bfloatTile)),
                 at().mul(at().remainder(row, tile), at().constant(amxStep))));
  }
}

/// The same sums of a panel, two lines at a time: a tile holds pairs.
void AmxEmitter::splitColumns(const Panel &panel, Value k, Value steps) {
  Value number = at().floorDiv(panel.first, at().constant(lanes)),
        inTask = at().floorDiv(at().sub(panel.first, task.firstColumn),
                               at().constant(lanes));
  SmallVector<Value> starts, ranges, met;
  for (int64_t v = 0; v < panel.vectors; ++v) {
    Value place =
        at().mul(at().add(number, at().constant(v)), nest.panels->stride);
    starts.push_back(at().add(task.rhsBase, place));
    for (int64_t i : {0, 1}) {
      ranges.push_back(at().add(at().mul(at().add(inTask, at().constant(v)),
                                         at().constant(2 * lanes)),
                                at().constant(i * lanes)));
      met.push_back(load(words, columnMagnitudes, ranges.back()));
    }
  }
  auto loop = scf::ForOp::create(b, loc, at().constant(0),
                                 at().mul(steps, at().constant(amxTile)),
                                 at().constant(1), met);
  for (auto [range, result] : llvm::zip(ranges, loop.getResults()))
    store(result, columnMagnitudes, range);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  met = Values(loop.getRegionIterArgs());
  Value pair = loop.getInductionVar(), half = wordsOf(16);
  for (int64_t v = 0; v < panel.vectors; ++v) {
    SmallVector<Values> parts;
    for (int64_t odd : {0, 1}) {
      Value line = at().add(at().add(k, at().mul(pair, at().constant(2))),
                            at().constant(odd));
      Value place =
          at().add(starts[v], at().mul(line, nest.sums.back().rhsStride));
      Value y =
          loadFloats(nest.rhs, nest.rhsElement, place, existing(line, line));
      Magnitudes now = emitMeet(b, loc, {met[2 * v], met[2 * v + 1]}, y);
      met[2 * v] = now.least;
      met[2 * v + 1] = now.greatest;
      parts.push_back(emitParts(b, loc, y, plan.parts));
    }
    for (int64_t part = 0; part < plan.parts; ++part) {
      Value low = arith::ShRUIOp::create(b, loc, parts[0][part], half);
      Value both = arith::OrIOp::create(b, loc, low, parts[1][part]);
      int64_t tile = (part * 2 + v) * plan.steps() * bfloatTile;
      storeParts(both, columnParts,
                 at().add(at().constant(tile),
                          at().mul(pair, at().constant(amxStep))));
    }
  }
  scf::YieldOp::create(b, loc, met);
}

void AmxEmitter::multiply(const Panel &panel, Value steps) {
  Value rowTiles = at().ceilDiv(count, amxTile);
  Value odd = at().remainder(rowTiles, at().constant(2));
  Value even = at().sub(rowTiles, odd);
  if (plan.rowTiles() > 1)
    forRange(at().constant(0), even, 2,
             [&](Value tile) { multiplyTiles(panel, tile, 2, steps); });
  when(at().less(even, rowTiles),
       [&] { multiplyTiles(panel, even, 1, steps); });
}

void AmxEmitter::multiplyTiles(const Panel &panel, Value firstTile,
                               int64_t rowTiles, Value steps) {
  auto bfloats = amx::TileType::get({amxTile, amxStep}, b.getBF16Type());
  auto accumulators = amx::TileType::get({amxTile, amxTile}, b.getF32Type());
  Value sumStride = at().constant(amxTile), partStride = at().constant(amxStep);
  Values places, carried;
  for (int64_t r = 0; r < rowTiles; ++r)
    for (int64_t v = 0; v < panel.vectors; ++v) {
      Value tile = at().mul(numberOf(panel), at().constant(plan.rowTiles()));
      tile = at().add(tile, at().add(firstTile, at().constant(r)));
      tile = at().add(at().mul(tile, at().constant(2)), at().constant(v));
      places.push_back(at().mul(tile, at().constant(sumTile)));
      carried.push_back(amx::TileLoadOp::create(b, loc, accumulators, sums,
                                                places.back(), sumStride));
    }
  auto loop = scf::ForOp::create(b, loc, at().constant(0), steps,
                                 at().constant(1), carried);
  for (auto [place, tile] : llvm::zip(places, loop.getResults()))
    amx::TileStoreOp::create(b, loc, sums, place, tile, sumStride);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  carried = Values(loop.getRegionIterArgs());
  Value step = loop.getInductionVar();
  auto loadParts = [&](Value memory, Value line) {
    Value tile = at().add(at().mul(line, at().constant(plan.steps())), step);
    return amx::TileLoadOp::create(b, loc, bfloats, memory,
                                   at().mul(tile, at().constant(bfloatTile)),
                                   partStride)
        .getResult();
  };
  Values rows(rowTiles), columns(panel.vectors);
  int64_t row = -1, column = -1;
  for (auto [i, j] : products) {
    if (i + j >= plan.parts)
      continue;
    for (int64_t r = 0; i != row && r < rowTiles; ++r)
      rows[r] =
          loadParts(rowParts, at().add(firstTile,
                                       at().constant(i * plan.rowTiles() + r)));
    for (int64_t v = 0; j != column && v < panel.vectors; ++v)
      columns[v] = loadParts(columnParts, at().constant(j * 2 + v));
    row = i;
    column = j;
    for (int64_t s = 0; s < int64_t(carried.size()); ++s)
      carried[s] =
          amx::TileMulFOp::create(b, loc, accumulators, rows[s / panel.vectors],
                                  columns[s % panel.vectors], carried[s]);
  }
  scf::YieldOp::create(b, loc, carried);
}

void AmxEmitter::finishRow(Value row) {
  Value range = at().mul(row, at().constant(2 * lanes));
  auto everywhere = [&](vector::CombiningKind kind, Value lanes) -> Value {
    Value one = vector::ReductionOp::create(b, loc, kind, lanes);
    return vector::BroadcastOp::create(b, loc, words, one);
  };
  Magnitudes met{everywhere(vector::CombiningKind::MINUI,
                            load(words, rowMagnitudes, range)),
                 everywhere(vector::CombiningKind::MAXUI,
                            load(words, rowMagnitudes,
                                 at().add(range, at().constant(lanes))))};
  Values position = task.positionOf(at().add(task.firstRow, row));
  forPanels([&](const Panel &panel) { finish(panel, row, position, met); });
}

void AmxEmitter::finish(const Panel &panel, Value row, ArrayRef<Value> position,
                        Magnitudes ofRow) {
  Value tile = at().constant(amxTile);
  Value number =
      at().add(at().mul(numberOf(panel), at().constant(plan.rowTiles())),
               at().floorDiv(row, tile));
  Value line = at().add(at().mul(number, at().constant(2 * sumTile)),
                        at().mul(at().remainder(row, tile), tile));
  Values found;
  for (int64_t v = 0; v < panel.vectors; ++v)
    found.push_back(
        load(floats, sums, at().add(line, at().constant(v * sumTile))));
  auto branch = scf::IfOp::create(b, loc, TypeRange(ValueRange(found)),
                                  isDoubtful(panel, found, ofRow), true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    scf::YieldOp::create(b, loc, computeAgain(panel, row));
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(b, loc, found);
  }
  for (int64_t v = 0; v < panel.vectors; ++v) {
    Value column = at().add(panel.first, at().constant(v * lanes));
    epilogue.finish(task.placeOf(position, column), branch.getResult(v),
                    panel.masks[v], panel.valid[v]);
  }
}

/// Whether one of the sums may lack what it should have.
Value AmxEmitter::isDoubtful(const Panel &panel, ArrayRef<Value> found,
                             Magnitudes ofRow) {
  auto bits = [](float x) { return int32_t(llvm::bit_cast<uint32_t>(x)); };
  auto is = [&](Value x, arith::CmpIPredicate than, int32_t limit) -> Value {
    return arith::CmpIOp::create(b, loc, than, x, wordsOf(limit));
  };
  Value any;
  for (auto [v, sum] : llvm::enumerate(found)) {
    Value range = at().mul(at().add(at().mul(numberOf(panel), at().constant(2)),
                                    at().constant(int64_t(v))),
                           at().constant(2 * lanes));
    Value high = arith::MaxUIOp::create(
        b, loc, ofRow.greatest,
        load(words, columnMagnitudes, at().add(range, at().constant(lanes))));
    Value doubtful = is(high, arith::CmpIPredicate::ugt, 2 * bits(greatest));
    // Fewer parts promise nothing about what is so small.
    if (plan.parts == 3) {
      Value low = arith::MinUIOp::create(b, loc, ofRow.least,
                                         load(words, columnMagnitudes, range));
      Value sumBits = arith::BitcastOp::create(b, loc, words, sum);
      Value magnitude =
          arith::AndIOp::create(b, loc, sumBits, wordsOf(INT32_MAX));
      Value tiny = arith::AndIOp::create(
          b, loc, is(low, arith::CmpIPredicate::ult, 2 * bits(least) - 1),
          is(magnitude, arith::CmpIPredicate::ult, bits(leastSum)));
      doubtful = arith::OrIOp::create(b, loc, doubtful, tiny);
    }
    if (panel.masks[v])
      doubtful = arith::AndIOp::create(b, loc, doubtful, panel.masks[v]);
    any = any ? Value(arith::OrIOp::create(b, loc, any, doubtful)) : doubtful;
  }
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, any);
}

/// The row's sums as every target has them.
AmxEmitter::Values AmxEmitter::computeAgain(const Panel &panel, Value row) {
  Value number = at().floorDiv(panel.first, at().constant(lanes));
  ColumnSource columns{
      nest.rhs,
      nest.rhsElement,
      at().add(task.rhsBase, at().mul(number, nest.panels->stride)),
      nest.sums.back().rhsStride,
      {}};
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(floats));
  for (int64_t v = 0; v < panel.vectors; ++v)
    columns.places.push_back(at().mul(at().constant(v), nest.panels->stride));
  return tiles.run({startOf(row)}, nest.sums.back().lhsStride, columns,
                   at().constant(0), nest.sums.back().extent,
                   Values(panel.vectors, zero));
}
} // namespace

void emitAmx(Kernel &kernel, Value dot, const ContractionNest &nest,
             const AmxPlan &plan) {
  AmxEmitter(kernel, dot, nest, plan).emit();
}

} // namespace tenon
