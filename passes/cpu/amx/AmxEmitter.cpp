// Matrix products in AMX tiles. Tasks of one block of rows run together: they
// split a piece of their rows into bf16 parts once for all their columns, and a
// piece of each panel of columns once for all rows. Two by two tiles of sums
// stay in registers over a piece of the depth. Between pieces they are stored
// on the stack.
//
// AMX treats denormals as zeros, and a split infinity gives NaN. So a sum that
// is not finite is computed again by fused multiply-adds of the original
// operands. With three parts, a sum that may lack flushed numbers is computed
// again too.
#include "passes/cpu/amx/AmxEmitter.h"

#include "passes/cpu/amx/AmxOperands.h"
#include "passes/cpu/tile/TileEpilogue.h"
#include "passes/cpu/tile/TileKernel.h"
#include "passes/cpu/tile/TilePanels.h"
#include "passes/kernel/CoreCalls.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <bit>
#include <limits>

using namespace mlir;

namespace tenon {

/// Lanes of a vector, which are the columns of a tile.
constexpr int64_t lanes = amxTile;
constexpr int64_t tileElements = amxTile * amxTile;

/// Bounds that detect sums which may have lost small numbers:
/// - If no nonzero operand is below `least`, every partial sum is a multiple of
///   2^-126, so it is zero or a normal number. If one is below, a sum of at
///   least `leastSum` loses less than half a ULP for each product.
/// - A number of at least `leastWhole` equals the sum of its three parts. A
///   smaller number loses as little as above, unless it is multiplied by one
///   above `greatest`.
constexpr float least = 0x1p-40f, leastSum = 0x1p-60f, leastWhole = 0x1p-86f,
                greatest = 0x1p30f;
constexpr int64_t bitsOf(float x) { return std::bit_cast<int32_t>(x); }
constexpr int64_t infinite = bitsOf(std::numeric_limits<float>::infinity());

/// The pairs of parts (of lhs, of rhs) that are multiplied. Each pair differs
/// from the one before in one part, so this order loads the fewest tiles. Pairs
/// with a greater sum of numbers are too small to matter.
constexpr std::pair<int64_t, int64_t> products[] = {{0, 2}, {0, 1}, {1, 1},
                                                    {1, 0}, {2, 0}, {0, 0}};

namespace {
struct Row {
  Value number;                ///< in the task
  SmallVector<Value> position; ///< its indices
  Magnitudes magnitudes;       ///< among its elements, in all lanes
  Value isExtreme; ///< in all lanes: true if an element is so small or great
                   ///< that the columns must be examined
};

class AmxEmitter : KernelLoops {
public:
  AmxEmitter(Kernel &kernel, Value dot, const ContractionNest &nest,
             const AmxPlan &plan)
      : KernelLoops(kernel), nest(nest), plan(plan),
        task(kernel, nest, plan.block), panels(kernel, nest, amxPanel, lanes),
        operands(kernel, nest, plan, task), again(kernel, nest, lanes),
        epilogue(kernel, dot, nest.sum, lanes),
        words(VectorType::get({lanes}, b.getI32Type())),
        floats(VectorType::get({lanes}, b.getF32Type())),
        sums(scratchOf(b.getF32Type(), plan.block.rows * plan.columns())) {}

  void emit();

private:
  /// Calls `body` for each of the task's panels, which have two tiles or, in
  /// the remainder, one.
  void forPanels(llvm::function_ref<void(const TilePanel &)> body) {
    panels.forEach(task.firstColumn, task.lastColumn, body);
  }
  Value placeOfTile(const TilePanel &panel, Value tile);
  Value wordsOf(int32_t word);
  Values zeros(int64_t count);
  void emitTasks();
  void clear();
  void multiply(const TilePanel &panel, Value steps);
  void multiplyTiles(const TilePanel &panel, Value firstTile, int64_t rowTiles,
                     Value steps);
  void finishRow(Value number);
  void finish(const TilePanel &panel, const Row &row);
  Values unlessDoubtful(const TilePanel &panel, const Row &row,
                        ArrayRef<Value> found);
  Value is(Value x, arith::CmpIPredicate than, int64_t limit);
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value magnitudeOf(Value sum);
  Value lacksParts(Value seen);
  Value isGreat(Value seen);
  Value anyOf(const TilePanel &panel, llvm::function_ref<Value(int64_t)> test);
  Value areSuspect(const TilePanel &panel, const Row &row,
                   ArrayRef<Value> found);
  Value areDoubtful(const TilePanel &panel, const Row &row,
                    ArrayRef<Value> found);
  Values computeAgain(const TilePanel &panel, Value row);

  const ContractionNest &nest;
  const AmxPlan &plan;
  NestTask task;
  TilePanels panels;
  AmxOperands operands;
  TileKernel again;
  TileEpilogue epilogue;
  VectorType words, floats;
  Value sums;            ///< tiles: [panel][tile of rows][vector]
  Value count, rowTiles; ///< the task's rows, and tiles of them
};

/// The place in `sums` of a tile of the panel's first vector; the tile of the
/// second vector follows.
Value AmxEmitter::placeOfTile(const TilePanel &panel, Value tile) {
  Value number = at().floorDiv(at().sub(panel.first, task.firstColumn),
                               at().constant(amxPanel));
  number = at().add(at().mul(number, rowTiles), tile);
  return at().mul(number, at().constant(2 * tileElements));
}

Value AmxEmitter::wordsOf(int32_t word) {
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(word)));
}

AmxEmitter::Values AmxEmitter::zeros(int64_t count) {
  return Values(count,
                arith::ConstantOp::create(b, loc, b.getZeroAttr(floats)));
}

/// Emits the tasks of one block of rows after another, up to
/// `plan.sharingTasks` tasks together.
void AmxEmitter::emit() {
  int64_t blocks = llvm::divideCeil(*getConstantIntValue(nest.column.extent),
                                    plan.block.columns);
  Value perLine = at().constant(blocks);
  forRange(at().floorDiv(kernel.begin, perLine),
           at().ceilDiv(kernel.end, blocks), 1, [&](Value line) {
             Value before = at().mul(line, perLine);
             Value from = at().max(at().sub(kernel.begin, before),
                                   at().constant(0)),
                   to = at().min(at().sub(kernel.end, before), perLine);
             forRange(from, to, plan.sharingTasks, [&](Value first) {
               Value last = at().add(first, at().constant(plan.sharingTasks));
               task.enterRowBlock(line, first, at().min(last, to));
               emitTasks();
             });
           });
}

void AmxEmitter::emitTasks() {
  count = at().sub(task.lastRow, task.firstRow);
  rowTiles = at().ceilDiv(count, amxTile);
  operands.clear();
  clear();
  Value extent = nest.sums.back().extent, none = at().constant(0);
  forRange(none, extent, plan.depth, [&](Value k) {
    Value depth = at().min(at().constant(plan.depth), at().sub(extent, k));
    Value steps = at().ceilDiv(depth, plan.stepExtent);
    operands.enter(k, steps);
    forRange(none, count, 1, [&](Value row) { operands.prepareRow(row); });
    forPanels([&](const TilePanel &panel) {
      operands.prepareColumns(panel.first, panel.vectors);
      multiply(panel, steps);
    });
  });
  forRange(none, count, 1, [&](Value row) { finishRow(row); });
}

/// Sets the sums of the current tasks to zero with one memset. LLVM could turn
/// a loop into a conditional call of memset. LLVM configures tiles after the
/// last call or, if that call is conditional, at the start of the kernel, which
/// would slow down few rows too.
void AmxEmitter::clear() {
  Value columns = at().sub(task.lastColumn, task.firstColumn);
  Value tiles = at().mul(at().ceilDiv(columns, amxPanel), rowTiles);
  Value bytes =
      at().mul(tiles, at().constant(2 * tileElements * int64_t(sizeof(float))));
  Value zero = arith::ConstantIntOp::create(b, loc, b.getI8Type(), 0);
  LLVM::MemsetOp::create(b, loc, addressOf(kernel, sums, {}), zero,
                         asInteger(kernel, bytes), /*isVolatile=*/false);
}

void AmxEmitter::multiply(const TilePanel &panel, Value steps) {
  Value odd = at().remainder(rowTiles, at().constant(2));
  Value even = at().sub(rowTiles, odd);
  if (plan.rowTiles() > 1)
    forRange(at().constant(0), even, 2,
             [&](Value tile) { multiplyTiles(panel, tile, 2, steps); });
  when(at().less(even, rowTiles),
       [&] { multiplyTiles(panel, even, 1, steps); });
}

void AmxEmitter::multiplyTiles(const TilePanel &panel, Value firstTile,
                               int64_t rowTiles, Value steps) {
  auto type = amx::TileType::get({amxTile, amxTile}, b.getF32Type());
  Value stride = at().constant(amxTile);
  auto tileOf = [&](int64_t number) {
    return at().add(firstTile, at().constant(number));
  };
  Values places, carried;
  for (int64_t r = 0; r < rowTiles; ++r)
    for (int64_t v = 0; v < panel.vectors; ++v) {
      places.push_back(at().add(placeOfTile(panel, tileOf(r)),
                                at().constant(v * tileElements)));
      carried.push_back(
          amx::TileLoadOp::create(b, loc, type, sums, places.back(), stride));
    }
  auto loop = scf::ForOp::create(b, loc, at().constant(0), steps,
                                 at().constant(1), carried);
  for (auto [place, tile] : llvm::zip(places, loop.getResults()))
    amx::TileStoreOp::create(b, loc, sums, place, tile, stride);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  carried = Values(loop.getRegionIterArgs());
  Value step = loop.getInductionVar();
  Values rows(rowTiles), columns(panel.vectors);
  int64_t row = -1, column = -1;
  for (auto [i, j] : products) {
    if (i >= plan.lhsParts || j >= plan.rhsParts || i + j > plan.order)
      continue;
    for (int64_t r = 0; i != row && r < rowTiles; ++r)
      rows[r] = operands.loadRows(i, tileOf(r), step);
    for (int64_t v = 0; j != column && v < panel.vectors; ++v)
      columns[v] = operands.loadColumns(j, panel.first, v, step);
    row = i;
    column = j;
    for (auto [s, sum] : llvm::enumerate(carried))
      sum = amx::TileMulFOp::create(b, loc, type, rows[s / panel.vectors],
                                    columns[s % panel.vectors], sum);
  }
  scf::YieldOp::create(b, loc, carried);
}

void AmxEmitter::finishRow(Value number) {
  Row row{number, task.positionOf(at().add(task.firstRow, number)), {}, {}};
  if (plan.watchesTiny()) {
    row.magnitudes = operands.magnitudesOfRow(number);
    row.isExtreme = either(lacksParts(row.magnitudes.least),
                           isGreat(row.magnitudes.greatest));
  }
  forPanels([&](const TilePanel &panel) { finish(panel, row); });
}

void AmxEmitter::finish(const TilePanel &panel, const Row &row) {
  Value tile = at().constant(amxTile);
  Value line = at().add(placeOfTile(panel, at().floorDiv(row.number, tile)),
                        at().mul(at().remainder(row.number, tile), tile));
  Values found;
  for (int64_t v = 0; v < panel.vectors; ++v)
    found.push_back(vector::LoadOp::create(
        b, loc, floats, sums, at().add(line, at().constant(v * tileElements))));
  if (!plan.paired)
    found = unlessDoubtful(panel, row, found);
  for (int64_t v = 0; v < panel.vectors; ++v) {
    Value column = at().add(panel.first, at().constant(v * lanes));
    epilogue.finish(task.placeOf(row.position, column), found[v],
                    panel.masks[v], panel.valid[v]);
  }
}

/// Computes doubtful sums again. For most sums, the sum and its row prove that
/// it is right; the columns are examined only for the others.
AmxEmitter::Values AmxEmitter::unlessDoubtful(const TilePanel &panel,
                                              const Row &row,
                                              ArrayRef<Value> found) {
  auto computed = [&] { return computeAgain(panel, row.number); };
  auto kept = [&] { return Values(found); };
  return choose(
      areSuspect(panel, row, found), found,
      [&] {
        if (!plan.watchesTiny())
          return computed();
        operands.findMagnitudes(panel.first, panel.vectors);
        return choose(areDoubtful(panel, row, found), found, computed, kept);
      },
      kept);
}

Value AmxEmitter::is(Value x, arith::CmpIPredicate than, int64_t limit) {
  return arith::CmpIOp::create(b, loc, than, x, wordsOf(int32_t(limit)));
}

Value AmxEmitter::magnitudeOf(Value sum) {
  return both(arith::BitcastOp::create(b, loc, words, sum), wordsOf(INT32_MAX));
}

/// True if `test` is true in any valid lane of the panel; `test` gets the
/// number of a vector.
Value AmxEmitter::anyOf(const TilePanel &panel,
                        llvm::function_ref<Value(int64_t)> test) {
  Value any;
  for (int64_t v = 0; v < panel.vectors; ++v) {
    Value here = test(v);
    if (panel.masks[v])
      here = both(here, panel.masks[v]);
    any = any ? either(any, here) : here;
  }
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, any);
}

/// True if the least magnitude, `seen`, is below `leastWhole`.
Value AmxEmitter::lacksParts(Value seen) {
  return is(seen, arith::CmpIPredicate::ult, bitsOf(leastWhole) * 2 - 1);
}
/// True if the greatest magnitude, `seen`, is above `greatest`.
Value AmxEmitter::isGreat(Value seen) {
  return is(seen, arith::CmpIPredicate::ugt, bitsOf(greatest) * 2);
}

/// True if a sum is not finite. With three parts, also true if a sum is small
/// or if the row has very small or great elements.
Value AmxEmitter::areSuspect(const TilePanel &panel, const Row &row,
                             ArrayRef<Value> found) {
  int64_t low = plan.watchesTiny() ? bitsOf(leastSum) : 0;
  return anyOf(panel, [&](int64_t v) {
    Value above = arith::SubIOp::create(b, loc, magnitudeOf(found[v]),
                                        wordsOf(int32_t(low)));
    Value outside = is(above, arith::CmpIPredicate::uge, infinite - low);
    return row.isExtreme ? either(row.isExtreme, outside) : outside;
  });
}

/// True if a sum is not finite or may lack small numbers.
Value AmxEmitter::areDoubtful(const TilePanel &panel, const Row &row,
                              ArrayRef<Value> found) {
  using enum arith::CmpIPredicate;
  return anyOf(panel, [&](int64_t v) {
    Magnitudes seen = operands.magnitudesOfColumns(
        at().add(panel.first, at().constant(v * lanes)));
    Value low =
              arith::MinUIOp::create(b, loc, row.magnitudes.least, seen.least),
          high = arith::MaxUIOp::create(b, loc, row.magnitudes.greatest,
                                        seen.greatest),
          sum = magnitudeOf(found[v]);
    Value lost = both(is(low, ult, bitsOf(least) * 2 - 1),
                      is(sum, ult, bitsOf(leastSum)));
    return either(either(lost, both(lacksParts(low), isGreat(high))),
                  is(sum, uge, infinite));
  });
}

/// The row's sums by fused multiply-adds, as every target computes them.
AmxEmitter::Values AmxEmitter::computeAgain(const TilePanel &panel, Value row) {
  ColumnSource columns{nest.rhs,
                       nest.rhsElement,
                       operands.startOfColumn(panel.first),
                       nest.sums.back().rhsStride,
                       {}};
  for (int64_t v = 0; v < panel.vectors; ++v)
    columns.places.push_back(at().sub(
        operands.startOfColumn(at().add(panel.first, at().constant(v * lanes))),
        columns.base));
  return again.run({operands.startOfRow(row)}, nest.sums.back().lhsStride,
                   columns, at().constant(0), nest.sums.back().extent,
                   [&] { return zeros(panel.vectors); });
}
} // namespace

void emitAmx(Kernel &kernel, Value dot, const ContractionNest &nest,
             const AmxPlan &plan) {
  AmxEmitter(kernel, dot, nest, plan).emit();
}

} // namespace tenon
