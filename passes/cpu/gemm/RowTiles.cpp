// Emits full tiles, then one tile for the remainder. If the number of rows is
// known only at run time, code for a few tile sizes exists, and the smallest
// one with enough rows computes the whole remainder. The columns are then read
// once for the remainder, not once for each part of it. In an image of unknown
// size the code of full tiles also computes a remainder of more rows than a
// small tile has.
#include "passes/cpu/gemm/RowTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

bool RowTiles::areTilesConsecutive() {
  if (task.rowExtents.empty())
    return false;
  std::optional<int64_t> line = getConstantIntValue(task.rowExtents.back());
  return line && *line % plan.tile.rows == 0;
}

bool RowTiles::mayHaveRest() const {
  return plan.facts.size.rowFactor % plan.tile.rows != 0;
}

/// The rows of the small tile for an image of unknown size.
static int64_t smallTile(const GemmPlan &plan) {
  return llvm::divideCeil(plan.tile.rows, 4);
}

/// The rows of the smallest tile that has room for `rows`. Only some sizes
/// exist, because each size needs code of its own.
int64_t RowTiles::roomFor(int64_t rows) {
  int64_t room = plan.facts.isTiny() ? int64_t(llvm::PowerOf2Ceil(rows))
                 : rows <= 6         ? rows
                                     : llvm::alignTo(rows, 4);
  return std::min(room, plan.tile.rows);
}

Value RowTiles::endOfFull(Value low, Value high) {
  Value rest =
      at().remainder(at().sub(high, low), at().constant(plan.tile.rows));
  Value whole = at().sub(high, rest);
  if (!plan.facts.size.isOpenImage)
    return whole;
  Value isSmall = at().less(rest, at().constant(smallTile(plan) + 1));
  return arith::SelectOp::create(b, loc, isSmall, whole, high);
}

void RowTiles::forEach(Value low, Value high,
                       llvm::function_ref<void(const RowRun &)> body) {
  Value whole = endOfFull(low, high);
  forEachFull(low, whole, body);
  forRest(whole, at().sub(high, whole), body);
}

void RowTiles::forRest(Value first, Value rest,
                       llvm::function_ref<void(const RowRun &)> body) {
  if (!mayHaveRest())
    return;
  if (plan.facts.size.rows) {
    if (int64_t count = *plan.facts.size.rows % plan.tile.rows)
      when(at().less(at().constant(0), rest),
           [&] { body({first, count, {}, false, true}); });
    return;
  }
  if (plan.facts.size.isOpenImage)
    return when(at().less(at().constant(0), rest),
                [&] { body({first, smallTile(plan), rest, false, true}); });
  for (int64_t below = 0; below + 1 < plan.tile.rows;) {
    int64_t count = roomFor(below + 1);
    Value fits = at().less(at().constant(below), rest);
    if (count < plan.tile.rows - 1)
      fits = arith::AndIOp::create(b, loc, fits,
                                   at().less(rest, at().constant(count + 1)));
    when(fits, [&] {
      body({first, count, count == below + 1 ? Value() : rest, false, true});
    });
    below = count;
  }
}

void RowTiles::forEachFull(Value low, Value high,
                           llvm::function_ref<void(const RowRun &)> body) {
  forRange(low, high, plan.tile.rows, [&](Value row) {
    Value exist;
    if (plan.facts.size.isOpenImage && mayHaveRest())
      exist = at().min(at().constant(plan.tile.rows), at().sub(high, row));
    assert(!(exist && areTilesConsecutive()) &&
           "tiles that divide the lines leave no remainder");
    body({row, plan.tile.rows, exist, areTilesConsecutive()});
  });
}

Value RowTiles::existing(const RowRun &run, int64_t row) {
  Value number = at().constant(row);
  return run.exist ? at().min(number, at().sub(run.exist, at().constant(1)))
                   : number;
}

/// The indices of consecutive rows.
SmallVector<RowTiles::Values> RowTiles::positionsOf(const RowRun &run) {
  SmallVector<Values> positions = {task.positionOf(run.first)};
  if (run.consecutive && !task.areLinear &&
      getConstantIntValue(task.rowExtents.back()) == run.count)
    positions.front().back() = at().constant(0); // a whole line
  for (int64_t r = 1; r < run.count; ++r) {
    if (task.areLinear) {
      positions.push_back(
          task.positionOf(at().add(run.first, existing(run, r))));
      continue;
    }
    if (run.consecutive) {
      Values next = positions.back();
      next.back() = at().add(positions.front().back(), at().constant(r));
      positions.push_back(next);
      continue;
    }
    Value exists;
    if (run.exist)
      exists = at().less(at().constant(r), run.exist);
    positions.push_back(
        at().successor(positions.back(), task.rowExtents, exists));
  }
  return positions;
}

RowTiles::Values RowTiles::offsetsOf(const RowRun &run,
                                     ArrayRef<Values> positions) {
  Values offsets;
  for (auto [r, position] : llvm::enumerate(positions)) {
    Value offset = task.lhsBase;
    if (plan.nest.rowStride) {
      // With one base and constant distances the loop needs fewer registers.
      offset =
          at().add(at().add(offset, at().mul(run.first, plan.nest.rowStride)),
                   at().mul(existing(run, int64_t(r)), plan.nest.rowStride));
    } else if (run.consecutive && r > 0) {
      offset =
          at().add(offsets.front(), at().mul(at().constant(int64_t(r)),
                                             plan.nest.rows.back().lhsStride));
    } else {
      for (auto [dim, index] : llvm::zip(plan.nest.rows, position))
        offset = at().add(offset, at().mul(index, dim.lhsStride));
    }
    offsets.push_back(offset);
  }
  return offsets;
}

} // namespace tenon
