// A tile of rows holds 32 sums of each side by side; a tile of columns holds
// pairs of sums, two of each column side by side. Operands that are pairs
// already lie so in memory, and only incomplete tiles are copied.
#include "passes/cpu/AmxOperands.h"

#include "passes/cpu/Conversions.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// Lanes of a vector, which are the columns of a tile.
constexpr int64_t lanes = amxTile;
constexpr int64_t tileElements = amxTile * amxStep;

AmxOperands::AmxOperands(Kernel &kernel, const ContractionNest &nest,
                         const AmxPlan &plan, const GemmTask &task)
    : KernelLoops(kernel), nest(nest), plan(plan), task(task),
      words(VectorType::get({lanes}, b.getI32Type())) {
  int64_t stepElements = plan.steps() * tileElements;
  if (!plan.wholeRows)
    rowParts = scratchOf(b.getBF16Type(),
                         plan.lhsParts * plan.rowTiles() * stepElements);
  if (!plan.wholeColumns)
    columnParts = scratchOf(b.getBF16Type(), plan.rhsParts * 2 * stepElements);
  if (plan.paired)
    return;
  rowMagnitudes = scratchOf(b.getI32Type(), plan.block.rows * 2 * lanes);
  columnMagnitudes = scratchOf(b.getI32Type(), plan.block.columns * 2);
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

/// Lanes that `mask` leaves out are zero; null: none.
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

/// The first `left` of so many lanes; null where every step is whole.
Value AmxOperands::firstLanes(int64_t count, Value left) {
  if (*getConstantIntValue(nest.sums.back().extent) % plan.stepExtent == 0)
    return {};
  auto type = VectorType::get({count}, b.getI1Type());
  return vector::CreateMaskOp::create(b, loc, type, left);
}

/// All lanes or none: whether there is a sum number `line`; null likewise.
Value AmxOperands::allLanes(Value line) {
  Value extent = nest.sums.back().extent;
  if (*getConstantIntValue(extent) % plan.stepExtent == 0)
    return {};
  auto type = VectorType::get({lanes}, b.getI1Type());
  return vector::BroadcastOp::create(b, loc, type, at().less(line, extent));
}

/// A row of a tile: 32 numbers.
void AmxOperands::storeParts(Value word, Value memory, Value place) {
  auto type = VectorType::get({amxStep}, b.getBF16Type());
  vector::StoreOp::create(b, loc, vector::BitCastOp::create(b, loc, type, word),
                          memory, place);
}

void AmxOperands::clear() {
  if (plan.paired)
    return;
  Magnitudes none = emitNoMagnitudes(b, loc, lanes);
  auto forget = [&](Value memory, int64_t size) {
    forRange(at().constant(0), at().constant(size), 2 * lanes,
             [&](Value place) {
               vector::StoreOp::create(b, loc, none.least, memory, place);
               vector::StoreOp::create(b, loc, none.greatest, memory,
                                       at().add(place, at().constant(lanes)));
             });
  };
  forget(rowMagnitudes, plan.block.rows * 2 * lanes);
  forget(columnMagnitudes, plan.block.columns * 2);
}

void AmxOperands::enter(Value firstSum, Value count) {
  k = firstSum;
  steps = count;
}

void AmxOperands::bringRow(Value row) {
  if (plan.wholeRows)
    return;
  plan.paired ? copyRow(row) : splitRow(row);
}

void AmxOperands::bringColumns(Value column, int64_t vectors) {
  if (plan.wholeColumns)
    return;
  plan.paired ? copyColumns(column, vectors) : splitColumns(column, vectors);
}

/// Where the row's part of a step stands among the tiles of rows.
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

void AmxOperands::splitRow(Value row) {
  Value start = at().add(startOfRow(row), k),
        least = at().mul(row, at().constant(2 * lanes)),
        greatest = at().add(least, at().constant(lanes));
  auto loop =
      scf::ForOp::create(b, loc, at().constant(0), steps, at().constant(1),
                         ValueRange{load(words, rowMagnitudes, least),
                                    load(words, rowMagnitudes, greatest)});
  vector::StoreOp::create(b, loc, loop.getResult(0), rowMagnitudes, least);
  vector::StoreOp::create(b, loc, loop.getResult(1), rowMagnitudes, greatest);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Magnitudes met{loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  Value step = loop.getInductionVar(),
        done = at().mul(step, at().constant(amxStep));
  auto left = [&](Value sum) {
    return firstLanes(lanes, at().sub(nest.sums.back().extent, sum));
  };
  SmallVector<SmallVector<Value>> parts;
  for (int64_t half : {int64_t(0), lanes}) {
    Value here = at().add(done, at().constant(half));
    Value x = loadFloats(nest.lhs, nest.lhsElement, at().add(start, here),
                         left(at().add(k, here)));
    met = emitMeet(b, loc, met, x);
    parts.push_back(emitParts(b, loc, x, plan.lhsParts));
  }
  scf::YieldOp::create(b, loc, ValueRange{met.least, met.greatest});
  b.setInsertionPoint(loop.getBody()->getTerminator());
  SmallVector<int64_t> highHalves;
  for (int64_t i = 0; i < amxStep; ++i)
    highHalves.push_back(2 * i + 1);
  auto halves = VectorType::get({2 * lanes}, b.getI16Type());
  for (int64_t part = 0; part < plan.lhsParts; ++part) {
    Value low = vector::BitCastOp::create(b, loc, halves, parts[0][part]),
          high = vector::BitCastOp::create(b, loc, halves, parts[1][part]);
    Value line = vector::ShuffleOp::create(b, loc, low, high, highHalves);
    storeParts(line, rowParts, placeInRows(part, row, step));
  }
}

void AmxOperands::splitColumns(Value column, int64_t vectors) {
  SmallVector<Value> starts, places, met;
  for (int64_t v = 0; v < vectors; ++v) {
    Value first = at().add(column, at().constant(v * lanes));
    starts.push_back(startOfColumn(first));
    places.push_back(placeOfMagnitudes(first));
    places.push_back(at().add(places.back(), at().constant(lanes)));
  }
  for (Value place : places)
    met.push_back(load(words, columnMagnitudes, place));
  auto loop = scf::ForOp::create(b, loc, at().constant(0),
                                 at().mul(steps, at().constant(amxTile)),
                                 at().constant(1), met);
  for (auto [place, result] : llvm::zip(places, loop.getResults()))
    vector::StoreOp::create(b, loc, result, columnMagnitudes, place);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  met.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  Value pair = loop.getInductionVar();
  Value half = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(16)));
  for (int64_t v = 0; v < vectors; ++v) {
    SmallVector<SmallVector<Value>> parts;
    for (int64_t odd : {0, 1}) {
      Value line = at().add(at().add(k, at().mul(pair, at().constant(2))),
                            at().constant(odd));
      Value place =
          at().add(starts[v], at().mul(line, nest.sums.back().rhsStride));
      Value y = loadFloats(nest.rhs, nest.rhsElement, place, allLanes(line));
      Magnitudes now = emitMeet(b, loc, {met[2 * v], met[2 * v + 1]}, y);
      met[2 * v] = now.least;
      met[2 * v + 1] = now.greatest;
      parts.push_back(emitParts(b, loc, y, plan.rhsParts));
    }
    for (int64_t part = 0; part < plan.rhsParts; ++part) {
      Value low = arith::ShRUIOp::create(b, loc, parts[0][part], half);
      Value both = arith::OrIOp::create(b, loc, low, parts[1][part]);
      Value tiles = placeOfTile(at().constant(part * 2 + v), at().constant(0));
      storeParts(both, columnParts,
                 at().add(tiles, at().mul(pair, at().constant(amxStep))));
    }
  }
  scf::YieldOp::create(b, loc, met);
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

Magnitudes AmxOperands::magnitudesOfColumns(Value column) {
  Value place = placeOfMagnitudes(column);
  return {load(words, columnMagnitudes, place),
          load(words, columnMagnitudes, at().add(place, at().constant(lanes)))};
}

} // namespace tenon
