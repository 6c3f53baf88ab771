// Rows are split or copied once for all columns of a task. In a window, each
// tap is a run of elements of its own: a row is split once for each tap.
#include "passes/cpu/amx/AmxRows.h"

#include "passes/kernel/numerics/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

AmxRows::AmxRows(Kernel &kernel, const ContractionNest &nest,
                 const AmxPlan &plan, const NestTask &task, TileKernel &windows)
    : AmxOperands(kernel, nest, plan, task), windows(windows) {
  if (!plan.wholeRows)
    parts = scratchOf(tileElement(), plan.lhsParts * plan.rowTiles() *
                                         plan.steps() * tileElements());
  if (plan.watchesTiny())
    magnitudes = scratchOf(b.getI32Type(), plan.block.rows * 2 * lanes);
}

Value AmxRows::startOf(Value row) {
  Value number = at().add(task.firstRow, row), offset = task.lhsBase;
  if (nest.rowStride)
    return at().add(offset, at().mul(number, nest.rowStride));
  Values position = task.positionOf(number);
  for (auto [dim, index] : llvm::zip(nest.rows, position))
    offset = at().add(offset, at().mul(index, dim.lhsStride));
  return offset;
}

void AmxRows::clear() {
  if (!plan.watchesTiny())
    return;
  Magnitudes none = emitNoMagnitudes(b, loc, lanes);
  Value rows = at().sub(task.lastRow, task.firstRow);
  forRange(at().constant(0), at().mul(rows, at().constant(2 * lanes)),
           2 * lanes, [&](Value place) {
             vector::StoreOp::create(b, loc, none.least, magnitudes, place);
             vector::StoreOp::create(b, loc, none.greatest, magnitudes,
                                     at().add(place, at().constant(lanes)));
           });
}

void AmxRows::prepare(const AmxPiece &piece, Value row) {
  if (plan.wholeRows)
    return;
  Value start = startOf(row);
  ArrayRef<SumDim> outer = ArrayRef(nest.sums).drop_back();
  Values extents, windowStarts;
  for (const SumDim &dim : outer)
    extents.push_back(dim.extent);
  if (nest.hasGuards())
    windowStarts =
        windows.windowStarts(task.positionOf(at().add(task.firstRow, row)));
  forRange(at().constant(0), piece.taps, 1, [&](Value number) {
    Value firstStep = at().mul(number, piece.steps), place = start;
    Values indices = at().delinearize(at().add(piece.tap, number), extents);
    for (auto [dim, index] : llvm::zip(outer, indices))
      place = at().add(place, at().mul(index, dim.lhsStride));
    Value inside = windows.fits(indices, windowStarts);
    if (!inside)
      return prepareTap(piece, row, place, firstStep);
    choose(
        inside, [&] { prepareTap(piece, row, place, firstStep); },
        [&] { clearTap(piece, row, firstStep); });
  });
}

void AmxRows::prepareTap(const AmxPiece &piece, Value row, Value start,
                         Value firstStep) {
  plan.inWords() ? copy(piece, row, start, firstStep)
                 : split(piece, row, start, firstStep);
}

/// The place in `parts` of the row's part in the tile of `step`.
Value AmxRows::placeOf(int64_t part, Value row, Value step) {
  Value tile = at().constant(amxTile);
  Value line =
      at().add(at().constant(part * plan.rowTiles()), at().floorDiv(row, tile));
  return at().add(
      placeOfTile(line, step),
      at().mul(at().remainder(row, tile), at().constant(plan.stepElements())));
}

/// A mask of the first `left` of `count` lanes; null if every step is whole.
Value AmxRows::firstLanes(int64_t count, Value left) {
  return hasPartialStep() ? tenon::firstLanes(b, loc, count, left) : Value();
}

/// A tap outside the input adds zeros.
void AmxRows::clearTap(const AmxPiece &piece, Value row, Value firstStep) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(words));
  forRange(at().constant(0), piece.steps, 1, [&](Value step) {
    for (int64_t part = 0; part < plan.lhsParts; ++part)
      storeParts(zero, parts, placeOf(part, row, at().add(firstStep, step)));
  });
}

void AmxRows::copy(const AmxPiece &piece, Value row, Value start,
                   Value firstStep) {
  auto type = VectorType::get({plan.stepElements()}, tileElement());
  Value perWord = at().constant(wordElements());
  forRange(at().constant(0), piece.steps, 1, [&](Value step) {
    Value word =
        at().add(piece.k, at().mul(step, at().constant(plan.stepExtent)));
    Value left = at().sub(nest.sums.back().extent, word);
    Value line =
        loadMasked(type, nest.lhs, at().add(start, at().mul(word, perWord)),
                   firstLanes(plan.stepElements(), at().mul(left, perWord)));
    vector::StoreOp::create(b, loc, line, parts,
                            placeOf(0, row, at().add(firstStep, step)));
  });
}

void AmxRows::split(const AmxPiece &piece, Value row, Value tapStart,
                    Value firstStep) {
  Value start = at().add(tapStart, piece.k),
        least = at().mul(row, at().constant(2 * lanes)),
        greatest = at().add(least, at().constant(lanes));
  Values found;
  if (plan.watchesTiny())
    found = {loadVector(words, magnitudes, least),
             loadVector(words, magnitudes, greatest)};
  found = carry(
      at().constant(0), piece.steps, 1, found,
      [&](Value step, const Values &before) {
        Value done = at().mul(step, at().constant(amxStep));
        Values halves, seen = before;
        for (int64_t half : {int64_t(0), lanes}) {
          Value here = at().add(done, at().constant(half)),
                left =
                    at().sub(nest.sums.back().extent, at().add(piece.k, here));
          halves.push_back(loadFloats(nest.lhs, nest.lhsElement,
                                      at().add(start, here),
                                      firstLanes(lanes, left)));
          if (!plan.watchesTiny())
            continue;
          Magnitudes now =
              emitUpdate(b, loc, {seen[0], seen[1]}, halves.back());
          seen = {now.least, now.greatest};
        }
        for (auto [part, pairs] : llvm::enumerate(pairsOfParts(
                 halves[0], halves[1], nest.lhsElement, plan.lhsParts)))
          storeParts(pairs, parts,
                     placeOf(int64_t(part), row, at().add(firstStep, step)));
        return seen;
      });
  if (!plan.watchesTiny())
    return;
  vector::StoreOp::create(b, loc, found[0], magnitudes, least);
  vector::StoreOp::create(b, loc, found[1], magnitudes, greatest);
}

Value AmxRows::firstOf(Value tile) {
  Value first = at().mul(tile, at().constant(amxTile));
  if (!plan.wholeRows)
    return first;
  Value last =
      at().sub(at().sub(task.rows, at().constant(amxTile)), task.firstRow);
  return at().min(first, last);
}

Value AmxRows::load(const AmxPiece &piece, int64_t part, Value tile,
                    Value step) {
  if (!plan.wholeRows) {
    Value line = at().add(tile, at().constant(part * plan.rowTiles()));
    return loadTile(parts, placeOfTile(line, step),
                    at().constant(plan.stepElements()));
  }
  Value word =
      at().add(piece.k, at().mul(step, at().constant(plan.stepExtent)));
  Value start = startOf(firstOf(tile));
  return loadTile(
      nest.lhs, at().add(start, at().mul(word, at().constant(wordElements()))),
      nest.rowStride);
}

Magnitudes AmxRows::magnitudesOf(Value row) {
  Value least = at().mul(row, at().constant(2 * lanes)),
        greatest = at().add(least, at().constant(lanes));
  auto everywhere = [&](vector::CombiningKind kind, Value place) -> Value {
    Value one = vector::ReductionOp::create(
        b, loc, kind, loadVector(words, magnitudes, place));
    return vector::BroadcastOp::create(b, loc, words, one);
  };
  return {everywhere(vector::CombiningKind::MINUI, least),
          everywhere(vector::CombiningKind::MAXUI, greatest)};
}

} // namespace tenon
