// Matrix products in AMX tiles. Tasks of one block of rows run together: they
// split a piece of their rows into bf16 parts once for all their columns, and a
// piece of each panel of columns once for all rows. The next panel is split
// between the products of the current one: tiles are multiplied by a unit of
// their own, which leaves the others free. Two by two tiles of sums stay in
// registers over a piece of the sum. Between pieces they are stored on the
// stack. If columns have scales, the tiles hold the sums of one group, which
// are scaled and added to those on the stack.
#include "passes/cpu/amx/AmxEmitter.h"

#include "passes/cpu/amx/AmxColumns.h"
#include "passes/cpu/amx/AmxDoubts.h"
#include "passes/cpu/amx/AmxOrder.h"
#include "passes/cpu/amx/AmxRows.h"
#include "passes/cpu/tile/TileEpilogue.h"
#include "passes/cpu/tile/TileKernel.h"
#include "passes/cpu/tile/TilePanels.h"
#include "passes/kernel/CoreCalls.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

/// Lanes of a vector, which are the columns of a tile.
constexpr int64_t lanes = amxTile;
constexpr int64_t tileElements = amxTile * amxTile;

namespace {
class AmxEmitter : KernelLoops {
public:
  AmxEmitter(Kernel &kernel, Value dot, const ContractionNest &nest,
             const AmxPlan &plan)
      : KernelLoops(kernel), nest(nest), plan(plan),
        task(kernel, nest, plan.block), panels(kernel, nest, amxPanel, lanes),
        again(kernel, nest, lanes), rows(kernel, nest, plan, task, again),
        columns(kernel, nest, plan, task), order(kernel, nest, plan, task),
        doubts(kernel, nest, plan, rows, columns, again),
        epilogue(kernel, dot, nest.sum, lanes),
        vectorOfSums(VectorType::get({lanes}, nest.sum)),
        sums(scratchOf(nest.sum, plan.block.rows * plan.columns())) {
    if (plan.groupSteps != 0)
      sumsOfGroup = scratchOf(nest.sum, 4 * tileElements);
  }

  void emit();

private:
  /// Calls `body` for each of the task's panels, which have two tiles or, in
  /// the remainder, one.
  void forPanels(llvm::function_ref<void(const TilePanel &)> body) {
    panels.forEach(task.firstColumn, task.lastColumn, body);
  }
  Value placeOfTile(const TilePanel &panel, Value tile);
  void emitTasks();
  Value linesOf(const AmxPanel &panel) {
    return at().mul(order.stepsOf(panel.piece),
                    at().constant(AmxColumns::linesOfStep));
  }
  void prepareLines(const AmxPanel &panel, Value from);
  /// The lines of the next panel that are prepared in each step: a power of
  /// two, so that they are lines of one step.
  int64_t linesMeanwhile() const {
    return llvm::PowerOf2Ceil(llvm::divideCeil(
        AmxColumns::linesOfStep, llvm::divideCeil(plan.rowTiles(), 2)));
  }
  void clear();
  void multiply(const TilePanel &panel, const AmxPiece &piece);
  void multiplyTiles(const TilePanel &panel, const AmxPanel &here,
                     const AmxPanel &after, Value firstTile, int64_t rowTiles);
  Values multiplySteps(const TilePanel &panel, const AmxPanel &here,
                       const AmxPanel &after, Value firstTile,
                       int64_t tileCount, Value from, Value to,
                       ValueRange before);
  void addScaled(const TilePanel &panel, Value index, ArrayRef<Value> places);
  Value product(Value rows, Value columns, Value sum);
  void finishRow(Value number);
  void finish(const TilePanel &panel, const AmxRow &row);

  const ContractionNest &nest;
  const AmxPlan &plan;
  NestTask task;
  TilePanels panels;
  TileKernel again;
  AmxRows rows;
  AmxColumns columns;
  AmxOrder order;
  AmxDoubts doubts;
  TileEpilogue epilogue;
  VectorType vectorOfSums;
  Value sums;            ///< tiles: [panel][tile of rows][vector]
  Value sumsOfGroup;     ///< tiles, if columns have scales
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
  rows.clear();
  columns.clear();
  clear();
  Value none = at().constant(0);
  prepareLines(order.firstPanel(), none);
  order.forPieces([&](const AmxPiece &piece) {
    forRange(none, count, 1, [&](Value row) { rows.prepare(piece, row); });
    forPanels([&](const TilePanel &panel) { multiply(panel, piece); });
  });
  forRange(none, count, 1, [&](Value row) { finishRow(row); });
}

/// Prepares the lines of a panel from line `from` on.
void AmxEmitter::prepareLines(const AmxPanel &panel, Value from) {
  if (!plan.wholeColumns)
    forRange(from, linesOf(panel), 1, [&](Value line) {
      columns.prepareLine(panel, columns.linesAt(panel, line), 0);
    });
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

void AmxEmitter::multiply(const TilePanel &panel, const AmxPiece &piece) {
  AmxPanel here = order.panelAt(piece, panel.first),
           after = order.panelAfter(here);
  Value odd = at().remainder(rowTiles, at().constant(2));
  Value even = at().sub(rowTiles, odd);
  if (plan.rowTiles() > 1)
    forRange(at().constant(0), even, 2,
             [&](Value tile) { multiplyTiles(panel, here, after, tile, 2); });
  when(at().less(even, rowTiles),
       [&] { multiplyTiles(panel, here, after, even, 1); });
  Value rounds = at().mul(at().ceilDiv(rowTiles, 2), order.stepsOf(piece));
  prepareLines(after, at().mul(rounds, at().constant(linesMeanwhile())));
}

/// Multiplies one or two tiles of rows by a panel.
void AmxEmitter::multiplyTiles(const TilePanel &panel, const AmxPanel &here,
                               const AmxPanel &after, Value firstTile,
                               int64_t tileCount) {
  auto type = amx::TileType::get({amxTile, amxTile}, nest.sum);
  Value stride = at().constant(amxTile), none = at().constant(0),
        steps = order.stepsOf(here.piece);
  Values places;
  for (int64_t r = 0; r < tileCount; ++r)
    for (int64_t v = 0; v < panel.vectors; ++v)
      places.push_back(
          at().add(placeOfTile(panel, at().add(firstTile, at().constant(r))),
                   at().constant(v * tileElements)));
  auto store = [&](ArrayRef<Value> tiles, Value memory, ArrayRef<Value> to) {
    for (auto [place, tile] : llvm::zip(to, tiles))
      amx::TileStoreOp::create(b, loc, memory, place, tile, stride);
  };
  Values before;
  if (plan.groupSteps == 0) {
    for (Value place : places)
      before.push_back(
          amx::TileLoadOp::create(b, loc, type, sums, place, stride));
    store(multiplySteps(panel, here, after, firstTile, tileCount, none, steps,
                        before),
          sums, places);
    return;
  }
  Values ofGroup;
  for (size_t i = 0; i < places.size(); ++i)
    ofGroup.push_back(at().constant(int64_t(i) * tileElements));
  forRange(none, steps, plan.groupSteps, [&](Value from) {
    Value to = at().min(at().add(from, at().constant(plan.groupSteps)), steps);
    for (size_t i = 0; i < places.size(); ++i)
      before.push_back(amx::TileZeroOp::create(b, loc, type));
    store(multiplySteps(panel, here, after, firstTile, tileCount, from, to,
                        before),
          sumsOfGroup, ofGroup);
    Value index = at().mul(from, at().constant(plan.stepExtent));
    addScaled(panel, at().add(here.piece.k, index), places);
  });
}

/// Adds the products of steps [from, to) of a piece to the tiles `before`.
/// Meanwhile it prepares a share of the lines of the panel after it. A line may
/// be prepared twice if there are more shares than lines.
AmxEmitter::Values AmxEmitter::multiplySteps(const TilePanel &panel,
                                             const AmxPanel &here,
                                             const AmxPanel &after,
                                             Value firstTile, int64_t tileCount,
                                             Value from, Value to,
                                             ValueRange before) {
  Value steps = order.stepsOf(here.piece),
        lastLines = at().sub(linesOf(after), at().constant(linesMeanwhile())),
        firstRound =
            at().mul(at().floorDiv(firstTile, at().constant(2)), steps);
  auto used = llvm::make_filter_range(partPairs, [&](auto pair) {
    return pair.first < plan.lhsParts && pair.second < plan.rhsParts &&
           pair.first + pair.second <= plan.order;
  });
  int64_t groups = std::distance(used.begin(), used.end());
  return carry(from, to, 1, before, [&](Value step, const Values &carried) {
    Values added = carried, left(tileCount), right(panel.vectors);
    Value line =
        at().mul(at().add(firstRound, step), at().constant(linesMeanwhile()));
    AmxColumns::Lines lines = columns.linesAt(after, at().min(line, lastLines));
    int64_t row = -1, column = -1;
    for (auto [group, pair] : llvm::enumerate(used)) {
      auto [i, j] = pair;
      for (int64_t r = 0; i != row && r < tileCount; ++r)
        left[r] = rows.load(here.piece, i,
                            at().add(firstTile, at().constant(r)), step);
      for (int64_t v = 0; j != column && v < panel.vectors; ++v)
        right[v] = columns.load(here, j, v, step);
      row = i;
      column = j;
      for (auto [s, sum] : llvm::enumerate(added))
        sum = product(left[s / panel.vectors], right[s % panel.vectors], sum);
      int64_t first = linesMeanwhile() * int64_t(group) / groups,
              last = linesMeanwhile() * int64_t(group + 1) / groups;
      for (int64_t n = first; n < last; ++n)
        columns.prepareLine(after, lines, n);
    }
    return added;
  });
}

/// Adds the sums of the group that begins at `index`, times its scales, to
/// those at `places`.
void AmxEmitter::addScaled(const TilePanel &panel, Value index,
                           ArrayRef<Value> places) {
  ScaleSource source = *columns.scalesOf(panel);
  Value group = at().floorDiv(index, at().constant(nest.block));
  Values scales;
  for (int64_t v = 0; v < panel.vectors; ++v)
    scales.push_back(emitScales(b, loc, source, group, v, lanes));
  Value end = plan.rowTiles() == 1 ? at().mul(count, at().constant(lanes))
                                   : at().constant(tileElements);
  forRange(at().constant(0), end, lanes, [&](Value line) {
    for (auto [i, place] : llvm::enumerate(places)) {
      Value inGroup = at().add(at().constant(int64_t(i) * tileElements), line),
            inSums = at().add(place, line),
            found = vector::LoadOp::create(b, loc, vectorOfSums, sumsOfGroup,
                                           inGroup),
            before = vector::LoadOp::create(b, loc, vectorOfSums, sums, inSums);
      vector::StoreOp::create(
          b, loc,
          emitMultiplyAdd(b, loc, found, scales[i % panel.vectors], before),
          sums, inSums);
    }
  });
}

/// `sum` plus the products of two tiles. Bytes of rows have no sign.
Value AmxEmitter::product(Value rows, Value columns, Value sum) {
  if (plan.ofBytes())
    return amx::TileMulIOp::create(b, loc, sum.getType(), rows, columns, sum,
                                   /*isZextLhs=*/true, /*isZextRhs=*/false);
  return amx::TileMulFOp::create(b, loc, sum.getType(), rows, columns, sum);
}

void AmxEmitter::finishRow(Value number) {
  AmxRow row =
      doubts.rowAt(number, task.positionOf(at().add(task.firstRow, number)));
  forPanels([&](const TilePanel &panel) { finish(panel, row); });
}

void AmxEmitter::finish(const TilePanel &panel, const AmxRow &row) {
  Value tile = at().floorDiv(row.number, at().constant(amxTile));
  Value line = at().add(placeOfTile(panel, tile),
                        at().mul(at().sub(row.number, rows.firstOf(tile)),
                                 at().constant(amxTile)));
  Values found;
  for (int64_t v = 0; v < panel.vectors; ++v)
    found.push_back(vector::LoadOp::create(
        b, loc, vectorOfSums, sums,
        at().add(line, at().constant(v * tileElements))));
  found = doubts.resolve(panel, row, found);
  for (int64_t v = 0; v < panel.vectors; ++v) {
    Value column = at().add(panel.first, at().constant(v * lanes));
    epilogue.finish(task.placeOf(row.position, column), found[v],
                    panel.masks[v], panel.valid[v]);
  }
}

} // namespace

void emitAmx(Kernel &kernel, Value dot, const ContractionNest &nest,
             const AmxPlan &plan) {
  AmxEmitter(kernel, dot, nest, plan).emit();
}

} // namespace tenon
