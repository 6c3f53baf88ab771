// Every number follows from the tap, the sum index and the column, so that no
// loop carries a state.
#include "passes/cpu/amx/AmxOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenon {

AmxOrder::AmxOrder(Kernel &kernel, const ContractionNest &nest,
                   const AmxPlan &plan, const NestTask &task)
    : KernelLoops(kernel), nest(nest), plan(plan), task(task),
      allTaps(at().constant(1)) {
  for (const SumDim &dim : ArrayRef(nest.sums).drop_back())
    allTaps = at().mul(allTaps, dim.extent);
}

Value AmxOrder::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(b, loc, condition, yes, no);
}

AmxPanel AmxOrder::firstPanel() {
  return panelAt(pieceAt(at().constant(0), at().constant(0)), task.firstColumn);
}

AmxPiece AmxOrder::pieceAt(Value tap, Value k) {
  Value taps = at().min(at().constant(plan.taps), at().sub(allTaps, tap)),
        depth = at().min(at().constant(plan.depth),
                         at().sub(nest.sums.back().extent, k));
  return {tap, taps, k, at().ceilDiv(depth, plan.stepExtent)};
}

/// The last piece is followed by itself.
AmxPiece AmxOrder::pieceAfter(const AmxPiece &piece) {
  Value k = at().add(piece.k, at().constant(plan.depth)),
        tap = at().add(piece.tap, at().constant(plan.taps)),
        inTap = at().less(k, nest.sums.back().extent),
        exists = arith::OrIOp::create(b, loc, inTap, at().less(tap, allTaps));
  tap = select(exists, select(inTap, piece.tap, tap), piece.tap);
  k = select(exists, select(inTap, k, at().constant(0)), piece.k);
  return pieceAt(tap, k);
}

/// Panels have the two buffers by turns.
AmxPanel AmxOrder::panelAt(const AmxPiece &piece, Value column) {
  Value pieces = at().ceilDiv(nest.sums.back().extent, plan.depth),
        number = at().add(
            at().mul(at().floorDiv(piece.tap, at().constant(plan.taps)),
                     pieces),
            at().floorDiv(piece.k, at().constant(plan.depth))),
        panelCount =
            at().ceilDiv(at().sub(task.lastColumn, task.firstColumn), amxPanel),
        panel = at().floorDiv(at().sub(column, task.firstColumn),
                              at().constant(amxPanel));
  number = at().add(at().mul(number, panelCount), panel);
  return {piece, column, at().remainder(number, at().constant(2))};
}

AmxPanel AmxOrder::panelAfter(const AmxPanel &panel) {
  AmxPiece other = pieceAfter(panel.piece);
  Value column = at().add(panel.first, at().constant(amxPanel)),
        here = at().less(column, task.lastColumn);
  AmxPiece piece{select(here, panel.piece.tap, other.tap),
                 select(here, panel.piece.taps, other.taps),
                 select(here, panel.piece.k, other.k),
                 select(here, panel.piece.steps, other.steps)};
  return {piece, select(here, column, task.firstColumn),
          at().sub(at().constant(1), panel.buffer)};
}

void AmxOrder::forPieces(llvm::function_ref<void(const AmxPiece &)> body) {
  Value none = at().constant(0);
  forRange(none, allTaps, plan.taps, [&](Value tap) {
    forRange(none, nest.sums.back().extent, plan.depth,
             [&](Value k) { body(pieceAt(tap, k)); });
  });
}

} // namespace tenon
