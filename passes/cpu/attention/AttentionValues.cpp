// Computes exponentials and sums of values. The exponentials cost about a tenth
// of the products with values. Those of the next tile are computed between the
// products of this tile; computed alone they would wait for one another.
#include "passes/cpu/attention/AttentionValues.h"

#include "passes/kernel/numerics/FloatMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;

namespace tenon {

/// Vectors of sums in each row of a tile that leave registers for an
/// exponential.
constexpr int64_t overlappedVectors = 4;

AttentionValues::AttentionValues(Kernel &kernel, const AttentionSizes &sizes,
                                 const AttentionScratch &scratch)
    : AttentionTile(kernel, sizes, scratch) {
  averages.lhs = scratch.scores;
  averages.lhsElement = averages.sum = b.getF32Type();
}

void AttentionValues::chooseShifts(Value rows) {
  forRange(at().constant(0), rows, sizes.lanes, [&](Value row) {
    Lanes former(b, loc, load(scratch.earlierMaxima, row));
    Lanes greatest(
        b, loc, greater(b, loc, former.get(), load(scratch.blockMaxima, row)));
    // If a row has no finite score yet, the shift must still be a number.
    Lanes least = greatest.number(-std::numeric_limits<double>::infinity());
    Lanes shift = (greatest == least).select(greatest.number(0), greatest);
    store(greatest.get(), scratch.earlierMaxima, row);
    store(shift.get(), scratch.shifts, row);
    store(expFlushedNative(former - shift).get(), scratch.rescales, row);
  });
}

void AttentionValues::emit(Value rows, const KeyBlock &block,
                           llvm::function_ref<Value(Value)> keysOf) {
  Value none = at().constant(0);
  auto tiles = [&](auto body) {
    forRange(none, rows, sizes.valueRows,
             [&](Value slot) { body(slot, keysOf(slot)); });
  };
  if (sizes.overlapped && block.whole) {
    computeExponentials(none, at().constant(attentionBlock / attentionLanes));
    return tiles(
        [&](Value slot, Value keys) { weigh(slot, block, keys, true); });
  }
  tiles([&](Value slot, Value keys) {
    computeExponentials(slot, at().ceilDiv(keys, attentionLanes));
  });
  tiles([&](Value slot, Value keys) { weigh(slot, block, keys, false); });
}

AttentionValues::Values AttentionValues::slots(Value firstSlot) {
  Values result;
  for (int64_t r = 0; r < sizes.valueRows; ++r)
    result.push_back(at().add(firstSlot, at().constant(r)));
  return result;
}

Value AttentionValues::scoresOf(Value slot) {
  return at().mul(slot, at().constant(attentionBlock));
}

void AttentionValues::computeExponentials(Value firstSlot, Value units) {
  Value vectors = at().mul(units, at().constant(sizes.vectorsPerUnit()));
  forRange(at().constant(0), vectors, 1, [&](Value vector) {
    for (Value slot : slots(firstSlot))
      computeExponential(slot, vector);
  });
}

void AttentionValues::computeExponential(Value slot, Value vector) {
  Value place =
      at().add(scoresOf(slot), at().mul(vector, at().constant(sizes.lanes)));
  Lanes shift(b, loc, splat(loadOne(scratch.shifts, slot)));
  Lanes score(b, loc, load(scratch.scores, place));
  store(expFlushedNative(score - shift).get(), scratch.scores, place);
}

void AttentionValues::computeNextExponentials(Value firstSlot, Value key) {
  int64_t keys = stepsPerIteration(averages),
          perRow = attentionBlock / sizes.lanes,
          share = sizes.valueRows * keys / sizes.lanes;
  Value first =
      at().mul(at().floorDiv(key, at().constant(keys)), at().constant(share));
  for (int64_t i = 0; i < share; ++i) {
    Value vector = at().add(first, at().constant(i));
    computeExponential(
        at().add(firstSlot, at().floorDiv(vector, at().constant(perRow))),
        at().remainder(vector, at().constant(perRow)));
  }
}

void AttentionValues::join(Value sum, Value rescale, Value memory,
                           Value place) {
  store(math::FmaOp::create(b, loc, load(memory, place), rescale, sum), memory,
        place);
}

void AttentionValues::addTotals(Value slot, Value units) {
  Values parts = places(sizes.vectorsPerUnit());
  auto loop =
      scf::ForOp::create(b, loc, at().constant(0), units, at().constant(1),
                         Values(parts.size(), number(0)));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value unit =
        at().add(scoresOf(slot), at().mul(loop.getInductionVar(),
                                          at().constant(attentionLanes)));
    Values totals;
    for (auto [part, former] : llvm::zip(parts, loop.getRegionIterArgs()))
      totals.push_back(arith::AddFOp::create(
          b, loc, former, load(scratch.scores, at().add(unit, part))));
    scf::YieldOp::create(b, loc, totals);
  }
  Value rescale = splat(loadOne(scratch.rescales, slot)),
        line = at().mul(slot, at().constant(attentionLanes));
  for (auto [part, total] : llvm::zip(parts, loop.getResults()))
    join(total, rescale, scratch.totals, at().add(line, part));
}

void AttentionValues::weigh(Value firstSlot, const KeyBlock &block, Value keys,
                            bool overlapped) {
  const BlockRows &values = block.values;
  int64_t vectors = sizes.valueWidth / sizes.lanes;
  if (vectors == 0)
    return;
  for (Value slot : slots(firstSlot))
    addTotals(slot, at().ceilDiv(keys, attentionLanes));
  int64_t most = std::max<int64_t>(1, sizes.accumulators / sizes.valueRows);
  int64_t step = std::min({vectors, most, int64_t(8)});
  if (overlapped)
    step = std::min(step, overlappedVectors);
  auto exponentials = [&](Value key) {
    computeNextExponentials(at().add(firstSlot, at().constant(sizes.valueRows)),
                            key);
  };
  auto prefetches = [&](Value key) {
    SoonRows soon = *block.soon;
    if (sizes.prefetchDistance() < attentionBlock)
      std::tie(soon, key) = rowAfter(block, key);
    for (int64_t i = 0; i < stepsPerIteration(averages); ++i)
      prefetchRow(soon, at().add(key, at().constant(i)));
  };
  llvm::function_ref<void(Value)> meanwhile;
  if (block.soon)
    meanwhile = prefetches;
  int64_t first = 0;
  if (overlapped) {
    weighColumns(firstSlot, values, keys, at().constant(0), step, exponentials);
    first = step;
  }
  int64_t last = first + (vectors - first) / step * step;
  if (first + step == last)
    weighColumns(firstSlot, values, keys, at().constant(first * sizes.lanes),
                 step, meanwhile);
  else if (first < last)
    forRange(at().constant(first * sizes.lanes),
             at().constant(last * sizes.lanes), step * sizes.lanes,
             [&](Value column) {
               weighColumns(firstSlot, values, keys, column, step, meanwhile);
             });
  if (last < vectors)
    weighColumns(firstSlot, values, keys, at().constant(last * sizes.lanes),
                 vectors - last, {});
}

/// The row that is prefetched while value `key` is read: of the block's values
/// or of the next keys.
std::pair<SoonRows, Value> AttentionValues::rowAfter(const KeyBlock &block,
                                                     Value key) {
  SoonRows values = valuesOf(block), soon = *block.soon;
  Value next = at().add(key, at().constant(sizes.prefetchDistance())),
        isValue = at().less(next, block.count);
  auto either = [&](Value value, Value after) -> Value {
    return arith::SelectOp::create(b, loc, isValue, value, after);
  };
  auto memoryOf = [&](const SoonRows &rows) -> Value {
    auto type = cast<MemRefType>(rows.rows.memory.getType());
    return memref::CastOp::create(
        b, loc, MemRefType::get({ShapedType::kDynamic}, type.getElementType()),
        rows.rows.memory);
  };
  return {{{either(memoryOf(values), memoryOf(soon)),
            either(values.rows.base, soon.rows.base),
            either(values.rows.stride, soon.rows.stride), soon.rows.element},
           either(values.last, soon.last),
           std::max(values.width, soon.width)},
          either(next, at().sub(next, block.count))};
}

void AttentionValues::weighColumns(Value firstSlot, const BlockRows &values,
                                   Value keys, Value column, int64_t vectors,
                                   llvm::function_ref<void(Value)> meanwhile) {
  TileKernel tile(kernel, averages, sizes.lanes);
  ColumnSource columns{values.memory, values.element,
                       at().add(values.base, column), values.stride,
                       places(vectors)};
  Values rows = slots(firstSlot);
  Values lines =
      llvm::map_to_vector(rows, [&](Value slot) { return scoresOf(slot); });
  Values sums = tile.chain(lines, at().constant(1), columns, keys,
                           Values(rows.size() * vectors, number(0)), meanwhile);
  for (auto [r, slot] : llvm::enumerate(rows)) {
    Value rescale = splat(loadOne(scratch.rescales, slot));
    Value line =
        at().add(column, at().mul(slot, at().constant(sizes.valueWidth)));
    for (auto [v, place] : llvm::enumerate(columns.places))
      join(sums[r * vectors + v], rescale, scratch.sums, at().add(line, place));
  }
}

} // namespace tenon
