// The layout of operand tiles. A tile of rows holds 32 elements of each of 16
// rows. A tile of columns holds 16 pairs of elements of each of 16 columns,
// with the two elements of a pair side by side.
//
// The elements of split operands can be paired in any way, if both operands use
// the same one. Element i of 32 is paired with element i + 16, so that two
// vectors become pairs without a shuffle. Operands that are pairs already have
// the layout of tiles in memory; only incomplete tiles are copied.
#include "passes/cpu/amx/AmxOperands.h"

#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/Lanes.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// Lanes of a vector, which are the columns of a tile.
constexpr int64_t lanes = amxTile;
constexpr int64_t tileElements = amxTile * amxStep;

AmxOperands::AmxOperands(Kernel &kernel, const ContractionNest &nest,
                         const AmxPlan &plan, const NestTask &task)
    : KernelLoops(kernel), nest(nest), plan(plan), task(task),
      words(VectorType::get({lanes}, b.getI32Type())) {
  int64_t stepElements = plan.steps() * tileElements;
  if (!plan.wholeRows)
    rowParts = scratchOf(b.getBF16Type(),
                         plan.lhsParts * plan.rowTiles() * stepElements);
  if (!plan.wholeColumns)
    columnParts = scratchOf(b.getBF16Type(), plan.rhsParts * 2 * stepElements);
  if (!plan.watchesTiny())
    return;
  rowMagnitudes = scratchOf(b.getI32Type(), plan.block.rows * 2 * lanes);
  columnMagnitudes = scratchOf(b.getI32Type(), plan.columns() * 2);
}

Value AmxOperands::startOfRow(Value row) {
  Value number = at().add(task.firstRow, row), offset = task.lhsBase;
  if (nest.rowStride)
    return at().add(offset, at().mul(number, nest.rowStride));
  SmallVector<Value> position = task.positionOf(number);
  for (auto [dim, index] : llvm::zip(nest.rows, position))
    offset = at().add(offset, at().mul(index, dim.lhsStride));
  return offset;
}

Value AmxOperands::startOfColumn(Value column) {
  Value width = at().constant(nest.panels->width);
  Value panel = at().mul(at().floorDiv(column, width), nest.panels->stride);
  return at().add(at().add(task.rhsBase, panel), at().remainder(column, width));
}

Value AmxOperands::load(VectorType type, Value memory, Value place) {
  return vector::LoadOp::create(b, loc, type, memory, place);
}

/// Loads a vector. Lanes outside `mask` are zero; a null mask selects all
/// lanes.
Value AmxOperands::loadMasked(VectorType type, Value memory, Value place,
                              Value mask) {
  if (!mask)
    return load(type, memory, place);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, loc, type, memory, place, mask, zero);
}

Value AmxOperands::loadFloats(Value memory, Type element, Value place,
                              Value mask) {
  auto type = VectorType::get({lanes}, kernelElementType(element));
  return emitConvert(b, loc, loadMasked(type, memory, place, mask), element,
                     nest.sum);
}

/// A mask of the first `left` of `count` lanes; null if every step is whole.
Value AmxOperands::firstLanes(int64_t count, Value left) {
  if (*getConstantIntValue(nest.sums.back().extent) % plan.stepExtent == 0)
    return {};
  return tenon::firstLanes(b, loc, count, left);
}

/// A mask of all lanes if the sum index `k` is within the depth, otherwise of
/// no lane; null if every step is whole.
Value AmxOperands::allLanes(Value k) {
  Value extent = nest.sums.back().extent;
  if (*getConstantIntValue(extent) % plan.stepExtent == 0)
    return {};
  auto type = VectorType::get({lanes}, b.getI1Type());
  return vector::BroadcastOp::create(b, loc, type, at().less(k, extent));
}

/// Stores one row of a tile: 32 numbers.
void AmxOperands::storeParts(Value word, Value memory, Value place) {
  auto type = VectorType::get({amxStep}, b.getBF16Type());
  vector::StoreOp::create(b, loc, vector::BitCastOp::create(b, loc, type, word),
                          memory, place);
}

void AmxOperands::clear() {
  if (!plan.watchesTiny())
    return;
  Magnitudes none = emitNoMagnitudes(b, loc, lanes);
  auto fill = [&](Value memory, Value size, Value least) {
    forRange(at().constant(0), size, 2 * lanes, [&](Value place) {
      vector::StoreOp::create(b, loc, least, memory, place);
      vector::StoreOp::create(b, loc, none.greatest, memory,
                              at().add(place, at().constant(lanes)));
    });
  };
  Value rows = at().sub(task.lastRow, task.firstRow);
  fill(rowMagnitudes, at().mul(rows, at().constant(2 * lanes)), none.least);
  // Columns are examined on demand; zeros mean that they are not examined yet.
  fill(columnMagnitudes, placeOfMagnitudes(task.lastColumn), none.greatest);
}

void AmxOperands::enter(Value firstSum, Value count) {
  k = firstSum;
  steps = count;
}

void AmxOperands::prepareRow(Value row) {
  if (plan.wholeRows)
    return;
  plan.paired ? copyRow(row) : splitRow(row);
}

void AmxOperands::prepareColumns(Value column, int64_t vectors) {
  if (plan.wholeColumns)
    return;
  plan.paired ? copyColumns(column, vectors) : splitColumns(column, vectors);
}

/// The place in `rowParts` of the row's part in the tile of `step`.
Value AmxOperands::placeInRows(int64_t part, Value row, Value step) {
  Value tile = at().constant(amxTile);
  Value line =
      at().add(at().constant(part * plan.rowTiles()), at().floorDiv(row, tile));
  return at().add(placeOfTile(line, step),
                  at().mul(at().remainder(row, tile), at().constant(amxStep)));
}

Value AmxOperands::placeOfTile(Value line, Value step) {
  Value tile = at().add(at().mul(line, at().constant(plan.steps())), step);
  return at().mul(tile, at().constant(tileElements));
}

void AmxOperands::copyRow(Value row) {
  auto type = VectorType::get({amxStep}, b.getBF16Type());
  Value start = startOfRow(row), two = at().constant(2);
  forRange(at().constant(0), steps, 1, [&](Value step) {
    Value pair = at().add(k, at().mul(step, at().constant(plan.stepExtent)));
    Value left = at().sub(nest.sums.back().extent, pair);
    Value line =
        loadMasked(type, nest.lhs, at().add(start, at().mul(pair, two)),
                   firstLanes(amxStep, at().mul(left, two)));
    vector::StoreOp::create(b, loc, line, rowParts, placeInRows(0, row, step));
  });
}

void AmxOperands::copyColumns(Value column, int64_t vectors) {
  Value lines = at().mul(steps, at().constant(plan.stepExtent));
  forRange(at().constant(0), lines, 1, [&](Value line) {
    Value sum = at().add(k, line);
    for (int64_t v = 0; v < vectors; ++v) {
      Value start = startOfColumn(at().add(column, at().constant(v * lanes)));
      Value word =
          loadMasked(words, nest.rhs,
                     at().add(start, at().mul(sum, nest.sums.back().rhsStride)),
                     allLanes(sum));
      storeParts(word, columnParts,
                 at().add(placeOfTile(at().constant(v), at().constant(0)),
                          at().mul(line, at().constant(amxStep))));
    }
  });
}

/// The parts of two vectors, joined to pairs. The elements of `high` are
/// sixteen elements after those of `low` along the depth.
SmallVector<Value> AmxOperands::pairsOfParts(Value low, Value high,
                                             int64_t count) {
  SmallVector<Value> pairs = emitParts(b, loc, low, count);
  for (auto [pair, part] : llvm::zip(pairs, emitParts(b, loc, high, count)))
    pair = joinHalves(b, loc, pair, part);
  return pairs;
}

void AmxOperands::splitRow(Value row) {
  Value start = at().add(startOfRow(row), k),
        least = at().mul(row, at().constant(2 * lanes)),
        greatest = at().add(least, at().constant(lanes));
  SmallVector<Value> seen;
  if (plan.watchesTiny())
    seen = {load(words, rowMagnitudes, least),
            load(words, rowMagnitudes, greatest)};
  auto loop = scf::ForOp::create(b, loc, at().constant(0), steps,
                                 at().constant(1), seen);
  if (plan.watchesTiny()) {
    vector::StoreOp::create(b, loc, loop.getResult(0), rowMagnitudes, least);
    vector::StoreOp::create(b, loc, loop.getResult(1), rowMagnitudes, greatest);
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar(),
        done = at().mul(step, at().constant(amxStep));
  seen.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  SmallVector<Value> halves;
  for (int64_t half : {int64_t(0), lanes}) {
    Value here = at().add(done, at().constant(half));
    Value left = at().sub(nest.sums.back().extent, at().add(k, here));
    halves.push_back(loadFloats(nest.lhs, nest.lhsElement,
                                at().add(start, here),
                                firstLanes(lanes, left)));
    if (!plan.watchesTiny())
      continue;
    Magnitudes now = emitUpdate(b, loc, {seen[0], seen[1]}, halves.back());
    seen = {now.least, now.greatest};
  }
  for (auto [part, pairs] :
       llvm::enumerate(pairsOfParts(halves[0], halves[1], plan.lhsParts)))
    storeParts(pairs, rowParts, placeInRows(int64_t(part), row, step));
  if (plan.watchesTiny()) // otherwise the loop has its yield already
    scf::YieldOp::create(b, loc, seen);
}

void AmxOperands::splitColumns(Value column, int64_t vectors) {
  SmallVector<Value> starts, next;
  Value lastColumn = at().sub(nest.column.extent, at().constant(1));
  for (int64_t v = 0; v < vectors; ++v) {
    Value first = at().add(column, at().constant(v * lanes));
    starts.push_back(startOfColumn(first));
    next.push_back(startOfColumn(
        at().min(at().add(first, at().constant(amxPanel)), lastColumn)));
  }
  auto place = [&](Value start, Value line) {
    return at().add(start, at().mul(line, nest.sums.back().rhsStride));
  };
  Value tile = at().constant(amxTile);
  forRange(at().constant(0), steps, 1, [&](Value step) {
    Value first = at().add(k, at().mul(step, at().constant(amxStep)));
    forRange(at().constant(0), tile, 1, [&](Value pair) {
      for (int64_t v = 0; v < vectors; ++v) {
        SmallVector<Value> halves;
        for (Value line :
             {at().add(first, pair), at().add(first, at().add(pair, tile))}) {
          halves.push_back(loadFloats(nest.rhs, nest.rhsElement,
                                      place(starts[v], line), allLanes(line)));
          // Prefetch the next panel, so that it comes from memory while tiles
          // are multiplied. After a vector's last line the address is in the
          // next vector or past the end, where a prefetch does nothing.
          memref::PrefetchOp::create(b, loc, nest.rhs,
                                     ValueRange{place(next[v], line)},
                                     /*isWrite=*/false, /*localityHint=*/2,
                                     /*isDataCache=*/true);
        }
        for (auto [part, pairs] :
             llvm::enumerate(pairsOfParts(halves[0], halves[1], plan.rhsParts)))
          storeParts(
              pairs, columnParts,
              at().add(placeOfTile(at().constant(int64_t(part) * 2 + v), step),
                       at().mul(pair, at().constant(amxStep))));
      }
    });
  });
}

Value AmxOperands::loadTile(Value memory, Value place, Value stride) {
  auto type = amx::TileType::get({amxTile, amxStep}, b.getBF16Type());
  return amx::TileLoadOp::create(b, loc, type, memory, place, stride);
}

Value AmxOperands::loadRows(int64_t part, Value tile, Value step) {
  if (!plan.wholeRows) {
    Value line = at().add(tile, at().constant(part * plan.rowTiles()));
    return loadTile(rowParts, placeOfTile(line, step), at().constant(amxStep));
  }
  Value pair = at().add(k, at().mul(step, at().constant(plan.stepExtent)));
  Value start = startOfRow(at().mul(tile, at().constant(amxTile)));
  return loadTile(nest.lhs, at().add(start, at().mul(pair, at().constant(2))),
                  nest.rowStride);
}

Value AmxOperands::loadColumns(int64_t part, Value column, int64_t vector,
                               Value step) {
  if (!plan.wholeColumns)
    return loadTile(columnParts,
                    placeOfTile(at().constant(part * 2 + vector), step),
                    at().constant(amxStep));
  Value stride = nest.sums.back().rhsStride;
  Value line = at().add(k, at().mul(step, at().constant(plan.stepExtent)));
  Value start = startOfColumn(at().add(column, at().constant(vector * lanes)));
  return loadTile(nest.rhs, at().add(start, at().mul(line, stride)), stride);
}

Magnitudes AmxOperands::magnitudesOfRow(Value row) {
  Value least = at().mul(row, at().constant(2 * lanes)),
        greatest = at().add(least, at().constant(lanes));
  auto everywhere = [&](vector::CombiningKind kind, Value place) -> Value {
    Value one = vector::ReductionOp::create(b, loc, kind,
                                            load(words, rowMagnitudes, place));
    return vector::BroadcastOp::create(b, loc, words, one);
  };
  return {everywhere(vector::CombiningKind::MINUI, least),
          everywhere(vector::CombiningKind::MAXUI, greatest)};
}

Value AmxOperands::placeOfMagnitudes(Value column) {
  return at().mul(at().sub(column, task.firstColumn), at().constant(2));
}

void AmxOperands::findMagnitudes(Value column, int64_t vectors) {
  Value known = memref::LoadOp::create(b, loc, columnMagnitudes,
                                       placeOfMagnitudes(column));
  Value none = arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0);
  when(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, known, none),
       [&] {
         for (int64_t v = 0; v < vectors; ++v)
           findMagnitudesOfVector(at().add(column, at().constant(v * lanes)));
       });
}

void AmxOperands::findMagnitudesOfVector(Value column) {
  const SumDim &sum = nest.sums.back();
  Value start = startOfColumn(column), place = placeOfMagnitudes(column);
  Magnitudes none = emitNoMagnitudes(b, loc, lanes);
  auto loop = scf::ForOp::create(
      b, loc, at().constant(0), sum.extent, at().constant(1),
      ValueRange{none.least, none.greatest},
      [&](OpBuilder &, Location, Value line, ValueRange seen) {
        Value here = at().add(start, at().mul(line, sum.rhsStride));
        Magnitudes now =
            emitUpdate(b, loc, {seen[0], seen[1]},
                       loadFloats(nest.rhs, nest.rhsElement, here, {}));
        scf::YieldOp::create(b, loc, ValueRange{now.least, now.greatest});
      });
  vector::StoreOp::create(b, loc, loop.getResult(0), columnMagnitudes, place);
  vector::StoreOp::create(b, loc, loop.getResult(1), columnMagnitudes,
                          at().add(place, at().constant(lanes)));
}

Magnitudes AmxOperands::magnitudesOfColumns(Value column) {
  Value place = placeOfMagnitudes(column);
  return {load(words, columnMagnitudes, place),
          load(words, columnMagnitudes, at().add(place, at().constant(lanes)))};
}

} // namespace tenon
