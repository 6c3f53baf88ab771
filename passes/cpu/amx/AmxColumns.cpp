// Columns are split or copied line by line, so that the lines of the next panel
// can be prepared between the products of the current one. The panel after that
// is prefetched, and comes from memory meanwhile.
#include "passes/cpu/amx/AmxColumns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// Vectors of a panel.
constexpr int64_t panelVectors = amxPanel / amxTile;

AmxColumns::AmxColumns(Kernel &kernel, const ContractionNest &nest,
                       const AmxPlan &plan, const NestTask &task)
    : AmxOperands(kernel, nest, plan, task) {
  if (!plan.wholeColumns)
    parts = scratchOf(tileElement(), 2 * plan.rhsParts * panelVectors *
                                         plan.steps() * tileElements());
  if (plan.watchesColumns())
    magnitudes = scratchOf(b.getI32Type(), plan.columns() * 2);
}

void AmxColumns::clear() {
  if (!plan.watchesColumns())
    return;
  Value zero = emitNoMagnitudes(b, loc, lanes).greatest;
  forRange(at().constant(0), placeOfMagnitudes(task.lastColumn), lanes,
           [&](Value place) {
             vector::StoreOp::create(b, loc, zero, magnitudes, place);
           });
}

/// The place of a column among panels that are `stride` elements apart.
Value AmxColumns::placeInPanels(Value column, Value stride) {
  Value width = at().constant(nest.panels->width);
  return at().add(at().mul(at().floorDiv(column, width), stride),
                  at().remainder(column, width));
}

Value AmxColumns::startOf(Value column) {
  return at().add(task.rhsBase, placeInPanels(column, nest.panels->stride));
}

/// The first column of a vector of the panel at `column`, or of the last vector
/// of all if there is no such vector.
Value AmxColumns::vectorOf(Value column, int64_t vector) {
  Value last = at().sub(nest.column.extent, at().constant(1));
  last = at().sub(last, at().remainder(last, at().constant(lanes)));
  return at().min(at().add(column, at().constant(vector * lanes)), last);
}

/// The line in rhs of an index of the innermost sum, at a tap.
Value AmxColumns::lineOf(Value tap, Value index) {
  return at().add(at().mul(tap, nest.sums.back().extent), index);
}

Value AmxColumns::placeInRhs(Value column, Value line) {
  return at().add(startOf(column), at().mul(line, nest.sums.back().rhsStride));
}

/// A mask of all lanes if the index `k` of the innermost sum exists, otherwise
/// of no lane; null if every step is whole.
Value AmxColumns::allLanes(Value k) {
  if (!hasPartialStep())
    return {};
  auto type = VectorType::get({lanes}, b.getI1Type());
  return vector::BroadcastOp::create(b, loc, type,
                                     at().less(k, nest.sums.back().extent));
}

Value AmxColumns::placeOf(const AmxPanel &panel, int64_t part, int64_t vector,
                          Value step) {
  Value line = at().add(
      at().mul(panel.buffer, at().constant(plan.rhsParts * panelVectors)),
      at().constant(part * panelVectors + vector));
  return placeOfTile(line, step);
}

AmxColumns::Lines AmxColumns::linesAt(const AmxPanel &panel, Value line) {
  Lines lines{at().floorDiv(line, at().constant(linesOfStep)),
              at().remainder(line, at().constant(linesOfStep)),
              {},
              {},
              {},
              {}};
  Value tap = panel.piece.tap, stepOfTap = lines.step,
        perTap = at().constant(plan.depth / plan.stepExtent);
  if (plan.taps > 1) {
    tap = at().add(tap, at().floorDiv(lines.step, perTap));
    stepOfTap = at().remainder(lines.step, perTap);
  }
  lines.index =
      at().add(at().add(panel.piece.k,
                        at().mul(stepOfTap, at().constant(plan.stepExtent))),
               lines.within);
  // Steps begin with whole elements of rhs.
  lines.inElement =
      at().remainder(lines.within, at().constant(nest.sumsPerElement));
  Value place = lineOf(tap, at().sub(lines.index, lines.inElement));
  for (int64_t v = 0; v < panelVectors; ++v) {
    lines.places.push_back(placeInRhs(vectorOf(panel.first, v), place));
    lines.next.push_back(
        placeInRhs(vectorOf(panel.first, panelVectors + v), place));
  }
  return lines;
}

void AmxColumns::prefetch(Value place) {
  memref::PrefetchOp::create(b, loc, nest.rhs, ValueRange{place},
                             /*isWrite=*/false, /*localityHint=*/2,
                             /*isDataCache=*/true);
}

/// The elements of the line that is `further` lines after the first of `lines`,
/// or zeros if it does not exist. An element of rhs may hold several lines. The
/// first of `lines` may stand within one, if those after it are as few as the
/// rest of the element.
Value AmxColumns::loadColumns(const Lines &lines, int64_t vector,
                              int64_t further) {
  int64_t inElement = further % nest.sumsPerElement;
  Value mask = allLanes(at().add(lines.index, at().constant(further))),
        offset = at().mul(at().constant(further - inElement),
                          nest.sums.back().rhsStride),
        place = at().add(lines.places[vector], offset);
  // The panel after this one. Past the end of rhs it does nothing.
  if (inElement == 0)
    prefetch(at().add(lines.next[vector], offset));
  if (plan.inWords())
    return loadMasked(words, nest.rhs, place, mask);
  if (nest.sumsPerElement == 1)
    return loadFloats(nest.rhs, nest.rhsElement, place, mask);
  return emitNibble(b, loc, loadMasked(words, nest.rhs, place, mask),
                    at().add(lines.inElement, at().constant(inElement)));
}

void AmxColumns::prepareLine(const AmxPanel &panel, const Lines &lines,
                             int64_t number) {
  for (int64_t v = 0; v < panelVectors; ++v) {
    if (plan.wholeColumns) {
      prefetch(at().add(lines.places[v], at().mul(at().constant(number),
                                                  nest.sums.back().rhsStride)));
      continue;
    }
    Values loaded;
    // The two elements of a pair are sixteen lines apart.
    for (int64_t half = 0; half < (plan.inWords() ? 1 : 2); ++half)
      loaded.push_back(loadColumns(lines, v, number + half * amxTile));
    if (!plan.inWords())
      loaded =
          pairsOfParts(loaded[0], loaded[1], nest.rhsElement, plan.rhsParts);
    Value within = at().mul(at().add(lines.within, at().constant(number)),
                            at().constant(plan.stepElements()));
    for (auto [part, pairs] : llvm::enumerate(loaded))
      storeParts(
          pairs, parts,
          at().add(placeOf(panel, int64_t(part), v, lines.step), within));
  }
}

Value AmxColumns::load(const AmxPanel &panel, int64_t part, int64_t vector,
                       Value step) {
  if (!plan.wholeColumns)
    return loadTile(parts, placeOf(panel, part, vector, step),
                    at().constant(plan.stepElements()));
  // Taps follow one another in rhs, and so do their steps.
  Value line = at().add(lineOf(panel.piece.tap, panel.piece.k),
                        at().mul(step, at().constant(plan.stepExtent)));
  Value column = at().add(panel.first, at().constant(vector * lanes));
  return loadTile(nest.rhs, placeInRhs(column, line),
                  nest.sums.back().rhsStride);
}

std::optional<ScaleSource> AmxColumns::scalesOf(const TilePanel &panel) {
  if (plan.groupSteps == 0)
    return {};
  ScaleSource scales{nest.scales->memory,
                     nest.scales->element,
                     nest.scales->width,
                     at().constant(0),
                     {}};
  for (int64_t v = 0; v < panel.vectors; ++v)
    scales.places.push_back(
        placeInPanels(at().add(panel.first, at().constant(v * lanes)),
                      nest.scales->panelStride));
  return scales;
}

Value AmxColumns::placeOfMagnitudes(Value column) {
  return at().mul(at().sub(column, task.firstColumn), at().constant(2));
}

void AmxColumns::findMagnitudes(Value column, int64_t vectors) {
  Value known =
      memref::LoadOp::create(b, loc, magnitudes, placeOfMagnitudes(column));
  Value none = arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0);
  when(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, known, none),
       [&] {
         for (int64_t v = 0; v < vectors; ++v)
           findMagnitudesOfVector(at().add(column, at().constant(v * lanes)));
       });
}

void AmxColumns::findMagnitudesOfVector(Value column) {
  Value place = placeOfMagnitudes(column), lines = at().constant(1);
  for (const SumDim &dim : nest.sums)
    lines = at().mul(lines, dim.extent);
  Magnitudes none = emitNoMagnitudes(b, loc, lanes);
  Values found = carry(at().constant(0), lines, 1, {none.least, none.greatest},
                       [&](Value line, const Values &seen) -> Values {
                         Magnitudes now = emitUpdate(
                             b, loc, {seen[0], seen[1]},
                             loadFloats(nest.rhs, nest.rhsElement,
                                        placeInRhs(column, line), {}));
                         return {now.least, now.greatest};
                       });
  vector::StoreOp::create(b, loc, found[0], magnitudes, place);
  vector::StoreOp::create(b, loc, found[1], magnitudes,
                          at().add(place, at().constant(lanes)));
}

Magnitudes AmxColumns::magnitudesOf(Value column) {
  Value place = placeOfMagnitudes(column);
  return {loadVector(words, magnitudes, place),
          loadVector(words, magnitudes, at().add(place, at().constant(lanes)))};
}

} // namespace tenon
