// Queries are split once a task, keys once a block. Two tiles of rows and two
// of keys are multiplied at a time. Zeros stand beside the depth of a query.
#include "passes/cpu/attention/TiledScores.h"

#include "passes/cpu/tile/BfloatParts.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/Lanes.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <bit>

using namespace mlir;

namespace tenon {

/// Parts of each operand.
constexpr int64_t partCount = 3;
/// Elements of a tile of bf16.
constexpr int64_t tileElements = amxTile * amxStep;
/// Up to this magnitude, what tiles flush to zero is less than a unit in the
/// last place of a score of magnitude one.
constexpr float greatestFactor = 0x1p30f;

TiledScores::TiledScores(Kernel &kernel, const AttentionSizes &sizes,
                         const AttentionScratch &scratch,
                         const StridedOperand &query)
    : AttentionTile(kernel, sizes, scratch), query(query),
      queries(tilesFor(sizes.tileRows() / amxTile)),
      keys(tilesFor(attentionBlock / amxTile)) {}

TiledScores::Tiles TiledScores::tilesFor(int64_t tiles) {
  int64_t steps = sizes.querySteps();
  return {scratchOf(b.getBF16Type(), partCount * tiles * steps * tileElements),
          tiles, steps};
}

Value TiledScores::placeOf(const Tiles &of, int64_t part, Value tile,
                           Value step, Value line) {
  Value number = at().add(at().constant(part * of.tiles), tile);
  number = at().add(at().mul(number, at().constant(of.steps)), step);
  return at().add(at().mul(number, at().constant(tileElements)),
                  at().mul(line, at().constant(amxStep)));
}

void TiledScores::splitLine(const Tiles &into, Value low, Value high,
                            Value tile, Value step, Value line) {
  auto type = VectorType::get({amxStep}, b.getBF16Type());
  SmallVector<Value> lows = emitParts(b, loc, low, partCount),
                     highs = emitParts(b, loc, high, partCount);
  for (int64_t part = 0; part < partCount; ++part) {
    Value pairs = vector::BitCastOp::create(
        b, loc, type, joinHalves(b, loc, lows[part], highs[part]));
    store(pairs, into.memory, placeOf(into, part, tile, step, line));
  }
}

Value TiledScores::noMagnitude() {
  return emitNoMagnitudes(b, loc, sizes.lanes).greatest;
}

Value TiledScores::greater(Value seen, Value floats) {
  return emitUpdate(b, loc, {seen, seen}, floats).greatest;
}

Value TiledScores::isTame(Value seen) {
  Value most =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXUI, seen);
  auto limit = arith::ConstantIntOp::create(
      b, loc, b.getI32Type(),
      int32_t(std::bit_cast<uint32_t>(greatestFactor) * 2));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, most, limit);
}

Value TiledScores::partOfQuery(Value start, int64_t first) {
  auto type = VectorType::get({sizes.lanes}, kernelElementType(query.element));
  int64_t existing = sizes.depth - first;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type)),
        place = at().add(start, at().constant(first)), loaded = zero;
  if (existing >= sizes.lanes)
    loaded = vector::LoadOp::create(b, loc, type, query.memory, place);
  else if (existing > 0)
    loaded = vector::MaskedLoadOp::create(
        b, loc, type, query.memory, place,
        firstLanes(b, loc, sizes.lanes, at().constant(existing)), zero);
  return emitConvert(b, loc, loaded, query.element, b.getF32Type());
}

void TiledScores::splitQueries(Value rows,
                               llvm::function_ref<Value(Value)> startOf) {
  Value tile = at().constant(amxTile), last = at().sub(rows, at().constant(1)),
        end = at().mul(at().ceilDiv(rows, pairRows), at().constant(pairRows));
  forRange(at().constant(0), end, 1, [&](Value slot) {
    // The rows that are missing in the last pair repeat the last row.
    Value start = startOf(at().min(slot, last)), seen = noMagnitude();
    for (int64_t step = 0; step < queries.steps; ++step) {
      Value low = partOfQuery(start, step * amxStep),
            high = partOfQuery(start, step * amxStep + amxTile);
      seen = greater(greater(seen, low), high);
      splitLine(queries, low, high, at().floorDiv(slot, tile),
                at().constant(step), at().remainder(slot, tile));
    }
    memref::StoreOp::create(b, loc, isTame(seen), scratch.tameRows, slot);
  });
}

Value TiledScores::splitKeys() {
  Value seen = noMagnitude();
  auto partOf = [&](Value line, int64_t tile) -> Value {
    bool whole = sizes.depth % amxStep == 0;
    Value depth = at().constant(sizes.depth),
          there = whole ? line : at().min(line, at().constant(sizes.depth - 1)),
          place = at().add(at().mul(there, at().constant(attentionBlock)),
                           at().constant(tile * amxTile)),
          loaded = load(scratch.keys, place);
    if (whole)
      return loaded;
    return arith::SelectOp::create(b, loc, at().less(line, depth), loaded,
                                   number(0));
  };
  for (int64_t step = 0; step < keys.steps; ++step)
    seen = carry(at().constant(0), at().constant(amxTile), 1, seen,
                 [&](Value line, const Values &before) -> Values {
                   Value now = before.front(),
                         first = at().add(line, at().constant(step * amxStep)),
                         second = at().add(first, at().constant(amxTile));
                   for (int64_t tile = 0; tile < keys.tiles; ++tile) {
                     Value low = partOf(first, tile),
                           high = partOf(second, tile);
                     now = greater(greater(now, low), high);
                     splitLine(keys, low, high, at().constant(tile),
                               at().constant(step), line);
                   }
                   return {now};
                 })
               .front();
  return isTame(seen);
}

TiledScores::Values TiledScores::multiplyStep(Value firstRow, Value firstKey,
                                              int64_t count, Value step,
                                              Values sums) {
  auto bfloats = amx::TileType::get({amxTile, amxStep}, b.getBF16Type());
  auto floats = amx::TileType::get({amxTile, amxTile}, b.getF32Type());
  auto tilesOf = [&](const Tiles &of, int64_t part, Value first,
                     int64_t count) {
    Values loaded;
    for (int64_t i = 0; i < count; ++i)
      loaded.push_back(amx::TileLoadOp::create(
          b, loc, bfloats, of.memory,
          placeOf(of, part, at().add(first, at().constant(i)), step,
                  at().constant(0)),
          at().constant(amxStep)));
    return loaded;
  };
  Values left, right;
  int64_t row = -1, part = -1;
  for (auto [i, j] : partPairs) {
    if (i != row)
      left = tilesOf(queries, i, firstRow, 2);
    if (j != part)
      right = tilesOf(keys, j, firstKey, count);
    row = i;
    part = j;
    for (int64_t s = 0; s < 2 * count; ++s)
      sums[s] = amx::TileMulFOp::create(b, loc, floats, left[s / count],
                                        right[s % count], sums[s]);
  }
  return sums;
}

void TiledScores::multiply(Value first) {
  auto floats = amx::TileType::get({amxTile, amxTile}, b.getF32Type());
  Value none = at().constant(0), width = at().constant(attentionBlock),
        firstRow = at().floorDiv(first, at().constant(amxTile));
  constexpr int64_t count = 2;
  static_assert(attentionBlock % (count * amxTile) == 0);
  forRange(none, at().constant(keys.tiles), count, [&](Value firstKey) {
    Values zeros;
    for (int64_t s = 0; s < 2 * count; ++s)
      zeros.push_back(amx::TileZeroOp::create(b, loc, floats));
    Values sums =
        carry(none, at().constant(keys.steps), 1, zeros,
              [&](Value step, const Values &before) {
                return multiplyStep(firstRow, firstKey, count, step, before);
              });
    for (auto [s, tile] : llvm::enumerate(sums)) {
      Value row = at().add(first, at().constant(int64_t(s) / count * amxTile)),
            column =
                at().mul(at().add(firstKey, at().constant(int64_t(s) % count)),
                         at().constant(amxTile));
      amx::TileStoreOp::create(b, loc, scratch.scores,
                               at().add(at().mul(row, width), column), tile,
                               width);
    }
  });
}

} // namespace tenon
