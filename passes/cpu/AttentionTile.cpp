// Scores are register tiles of products, powers are taken beside the greatest
// score so far, and sums made beside a smaller one are rescaled. Keys that
// causal hides from all rows of a tile are left out where that is exact: their
// powers are zero and their values finite.
#include "passes/cpu/AttentionTile.h"

#include "passes/cpu/Conversions.h"
#include "passes/cpu/ElementEmitter.h"
#include "passes/cpu/FloatMath.h"
#include "passes/cpu/PanelPacker.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace tenon {

/// Powers of less than this below the greatest score are zero: e^-105 rounds
/// to nothing in f32.
constexpr double vanishing = 105;
constexpr double infinity = std::numeric_limits<double>::infinity();

Value foldLanes(OpBuilder &b, Location loc, Value vector,
                llvm::function_ref<Value(Value, Value)> combine) {
  int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0);
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(half + lane);
    }
    vector = combine(vector::ShuffleOp::create(b, loc, vector, vector, low),
                     vector::ShuffleOp::create(b, loc, vector, vector, high));
  }
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{0});
}

AttentionTile::AttentionTile(Kernel &kernel, AttentionOp op,
                             const AttentionSizes &sizes,
                             const AttentionScratch &scratch,
                             const StridedOperand &query, Value keyCount)
    : KernelLoops(kernel), op(op), sizes(sizes), scratch(scratch), query(query),
      keyCount(keyCount) {
  products.lhs = query.memory;
  products.lhsElement = query.element;
  averages.lhs = scratch.scores;
  averages.lhsElement = b.getF32Type();
  products.sum = averages.sum = b.getF32Type();
}

Value AttentionTile::splat(Value scalar) {
  return vector::BroadcastOp::create(
      b, loc, VectorType::get({sizes.lanes}, scalar.getType()), scalar);
}
Value AttentionTile::number(double value) {
  return emitFloat(b, loc, vectorType(), value);
}
AttentionTile::Values AttentionTile::places(int64_t vectors) {
  Values result;
  for (int64_t v = 0; v < vectors; ++v)
    result.push_back(at().constant(v * sizes.lanes));
  return result;
}
Value AttentionTile::load(Value memory, Value place) {
  return vector::LoadOp::create(b, loc, vectorType(), memory, place);
}
void AttentionTile::store(Value vector, Value memory, Value place) {
  vector::StoreOp::create(b, loc, vector, memory, place);
}
Value AttentionTile::loadOne(Value memory, Value place) {
  return memref::LoadOp::create(b, loc, memory, place);
}
void AttentionTile::storeOne(Value value, Value memory, Value place) {
  memref::StoreOp::create(b, loc, value, memory, place);
}

Value AttentionTile::fillVanishes(Value greatest) {
  Lanes g(b, loc, greatest);
  return (g - g.number(op.getFill()->convertToDouble()) > g.number(vanishing))
      .get();
}

bool AttentionTile::isSupported() {
  if (!op.getMask())
    return true;
  // Tried once in a loop that is thrown away.
  auto trial = scf::ForOp::create(b, loc, at().constant(0), at().constant(1),
                                  at().constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(trial.getBody());
  ElementEmitter emitter(kernel, sizes.lanes);
  SmallVector<LaneIndex> place(op.getType().getRank(),
                               {trial.getInductionVar(), 0});
  place.back().stride = 1;
  emitter.emit(op.getMask(), place);
  trial.erase();
  return !emitter.failed();
}

void AttentionTile::emit(const TileRows &rows, const KeyBlock &block) {
  Value units = block.whole
                    ? at().constant(block.units)
                    : at().min(at().ceilDiv(block.count, attentionLanes),
                               at().constant(block.units));
  Value visible = units, keys = block.count;
  if (!rows.lastKeys.empty()) {
    Value last = rows.lastKeys.front();
    for (Value key : ArrayRef(rows.lastKeys).drop_front())
      last = at().max(last, key);
    Value seen = at().sub(at().add(last, at().constant(1)), block.first);
    keys = at().max(at().min(seen, block.count), at().constant(0));
    visible = at().ceilDiv(keys, attentionLanes);
  }
  int64_t wide = std::max<int64_t>(1, sizes.accumulators / sizes.tileRows /
                                          sizes.vectorsPerUnit());
  bool together = wide >= block.units;
  if (together && getConstantIntValue(visible) == block.units) {
    scores(rows, block, at().constant(0), block.units * sizes.vectorsPerUnit());
  } else if (together) {
    Value all = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, visible,
                                      at().constant(block.units));
    auto branch = scf::IfOp::create(b, loc, all, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    scores(rows, block, at().constant(0), block.units * sizes.vectorsPerUnit());
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    unitScores(rows, block, at().constant(0), visible);
  } else {
    unitScores(rows, block, at().constant(0), visible);
  }
  Value vanish = greatestScores(rows, visible, true);
  if (!rows.lastKeys.empty()) {
    Value leaveOut = arith::AndIOp::create(b, loc, vanish, block.finite);
    auto branch = scf::IfOp::create(
        b, loc, TypeRange{b.getIndexType(), b.getIndexType()}, leaveOut, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    scf::YieldOp::create(b, loc, ValueRange{visible, keys});
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    unitScores(rows, block, visible, units);
    greatestScores(rows, units, false);
    scf::YieldOp::create(b, loc, ValueRange{units, block.count});
    visible = branch.getResult(0);
    keys = branch.getResult(1);
  }
  powers(rows, visible);
  weighValues(rows, block.values, keys);
}

void AttentionTile::unitScores(const TileRows &rows, const KeyBlock &block,
                               Value from, Value to) {
  forRange(from, to, 1, [&](Value unit) {
    scores(rows, block, at().mul(unit, at().constant(attentionLanes)),
           sizes.vectorsPerUnit());
  });
}

void AttentionTile::scores(const TileRows &rows, const KeyBlock &block,
                           Value column, int64_t vectors) {
  Values sums;
  if (scratch.keys) {
    TileKernel tile(kernel, products, sizes.lanes);
    ColumnSource columns{scratch.keys, b.getF32Type(), column,
                         at().constant(attentionBlock), places(vectors)};
    sums = tile.chain(rows.queries, query.strides.back(), columns,
                      at().constant(sizes.depth),
                      Values(rows.queries.size() * vectors, number(0)));
  } else {
    sums = productsInPlace(rows, block, column, vectors);
  }
  double factor = op.getScale().convertToDouble();
  for (size_t r = 0; r < rows.queries.size(); ++r)
    for (int64_t v = 0; v < vectors; ++v) {
      Value &sum = sums[r * vectors + v];
      if (factor != 1)
        sum = arith::MulFOp::create(b, loc, sum, number(factor));
      Value place = at().add(column, at().constant(v * sizes.lanes));
      store(masked(rows, r, block, place, sum), scratch.scores,
            at().add(place, at().constant(int64_t(r) * attentionBlock)));
    }
}

/// Squares of as many keys as a vector has lanes are transposed in registers.
/// Those of the same depth follow one another, so that the chains of several
/// vectors go on beside one another; meanwhile their sums wait among scores.
AttentionTile::Values AttentionTile::productsInPlace(const TileRows &rows,
                                                     const KeyBlock &block,
                                                     Value column,
                                                     int64_t vectors) {
  const BlockLines &keys = block.keys;
  auto type = VectorType::get(
      {sizes.lanes}, cast<MemRefType>(keys.memory.getType()).getElementType());
  Value low = column,
        high = at().add(low, at().constant(vectors * sizes.lanes));
  forRange(low, high, sizes.lanes,
           [&](Value key) { store(number(0), scratch.scores, key); });
  forRange(at().constant(0), at().constant(sizes.depth), sizes.lanes,
           [&](Value depth) {
             forRange(low, high, sizes.lanes, [&](Value key) {
               Values lines;
               for (int64_t lane = 0; lane < sizes.lanes; ++lane) {
                 Value k = at().add(key, at().constant(lane));
                 if (!block.whole)
                   k = at().min(k, at().sub(block.count, at().constant(1)));
                 Value start = at().add(at().add(keys.base, depth),
                                        at().mul(k, keys.stride));
                 lines.push_back(emitConvert(
                     b, loc,
                     vector::LoadOp::create(b, loc, type, keys.memory, start),
                     keys.element, b.getF32Type()));
               }
               transposeSquare(b, loc, lines);
               Value sum = load(scratch.scores, key);
               for (auto [i, line] : llvm::enumerate(lines)) {
                 Value d = at().add(depth, at().constant(int64_t(i)));
                 Value element = loadOne(
                     query.memory, at().add(rows.queries.front(),
                                            at().mul(d, query.strides.back())));
                 element = emitConvert(b, loc, element, query.element,
                                       b.getF32Type());
                 sum = math::FmaOp::create(b, loc, splat(element), line, sum);
               }
               store(sum, scratch.scores, key);
             });
           });
  Values sums;
  for (int64_t v = 0; v < vectors; ++v)
    sums.push_back(
        load(scratch.scores, at().add(low, at().constant(v * sizes.lanes))));
  return sums;
}

Value AttentionTile::masked(const TileRows &rows, size_t row,
                            const KeyBlock &block, Value column, Value score) {
  auto i32 = b.getI32Type();
  Value key = at().add(block.first, column);
  auto choose = [&](Value condition, Value otherwise) {
    score = arith::SelectOp::create(b, loc, condition, score, otherwise);
  };
  /// Lanes whose key is not above `last`.
  auto upTo = [&](Value last) -> Value {
    SmallVector<int32_t> steps =
        llvm::to_vector(llvm::seq<int32_t>(0, int32_t(sizes.lanes)));
    auto type = VectorType::get({sizes.lanes}, i32);
    Value room = splat(arith::IndexCastOp::create(
        b, loc, i32,
        at().max(at().min(at().sub(last, key), at().constant(sizes.lanes)),
                 at().constant(-1))));
    Value numbers = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, ArrayRef(steps)));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, numbers,
                                 room);
  };
  auto fill = [&] { return number(op.getFill()->convertToDouble()); };
  if (!rows.lastKeys.empty())
    choose(upTo(rows.lastKeys[row]), fill());
  if (Value mask = op.getMask()) {
    ElementEmitter emitter(kernel, sizes.lanes);
    Value base = key;
    if (!block.whole) {
      // Lanes behind the last key read nothing; a vector behind it, the last.
      base = at().min(key, at().sub(keyCount, at().constant(1)));
      Value valid =
          at().min(at().sub(keyCount, base), at().constant(sizes.lanes));
      emitter.setMask(
          vector::CreateMaskOp::create(
              b, loc, VectorType::get({sizes.lanes}, b.getI1Type()), valid),
          valid);
    }
    SmallVector<LaneIndex> place;
    for (Value index : rows.places[row])
      place.push_back({index, 0});
    place.push_back({base, 1});
    Value element = emitter.emit(mask, place);
    Type type = cast<RankedTensorType>(mask.getType()).getElementType();
    if (type.isInteger(1))
      choose(element, fill());
    else
      score = arith::AddFOp::create(
          b, loc, score, emitConvert(b, loc, element, type, b.getF32Type()));
  }
  if (!block.whole)
    choose(upTo(at().sub(keyCount, at().constant(1))), number(-infinity));
  return score;
}

Value AttentionTile::greatestScores(const TileRows &rows, Value units,
                                    bool first) {
  Value vectors = at().mul(units, at().constant(sizes.vectorsPerUnit()));
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  auto loop = scf::ForOp::create(b, loc, at().constant(0),
                                 at().constant(int64_t(rows.queries.size())),
                                 at().constant(1), yes);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  Value slot = at().add(rows.firstSlot, row);
  Value former = loadOne(scratch.greatest, slot);
  if (first)
    storeOne(former, scratch.rescales, row);
  auto greater = [&](Value a, Value c) -> Value {
    Lanes left(b, loc, a), right(b, loc, c);
    return (right > left).select(right, left).get();
  };
  auto inner = scf::ForOp::create(b, loc, at().constant(0), vectors,
                                  at().constant(1), splat(former));
  {
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(inner.getBody());
    Value place =
        at().add(at().mul(row, at().constant(attentionBlock)),
                 at().mul(inner.getInductionVar(), at().constant(sizes.lanes)));
    scf::YieldOp::create(
        b, loc,
        greater(inner.getRegionIterArg(0), load(scratch.scores, place)));
  }
  Lanes greatest(b, loc, foldLanes(b, loc, inner.getResult(0), greater));
  // A row without a finite score yet: what is subtracted must be a number.
  Lanes shift = (greatest == greatest.number(-infinity))
                    .select(greatest.number(0), greatest);
  storeOne(greatest.get(), scratch.greatest, slot);
  storeOne(shift.get(), scratch.shifts, row);
  Value vanish = loop.getRegionIterArg(0);
  if (op.getFill())
    vanish =
        arith::AndIOp::create(b, loc, vanish, fillVanishes(greatest.get()));
  scf::YieldOp::create(b, loc, vanish);
  return loop.getResult(0);
}

void AttentionTile::powers(const TileRows &rows, Value units) {
  int64_t count = rows.queries.size();
  for (int64_t first = 0; first < count; first += sizes.lanes) {
    Lanes former(b, loc, load(scratch.rescales, at().constant(first))),
        shift(b, loc, load(scratch.shifts, at().constant(first)));
    store(expNative(former - shift).get(), scratch.rescales,
          at().constant(first));
  }
  forRange(at().constant(0), at().constant(count), 1, [&](Value row) {
    Lanes shift(b, loc, splat(loadOne(scratch.shifts, row)));
    Value line = at().mul(row, at().constant(attentionBlock));
    int64_t parts = sizes.vectorsPerUnit();
    auto loop = scf::ForOp::create(b, loc, at().constant(0), units,
                                   at().constant(1), Values(parts, number(0)));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value unit = at().add(line, at().mul(loop.getInductionVar(),
                                           at().constant(attentionLanes)));
      Values totals;
      for (int64_t v = 0; v < parts; ++v) {
        Value place = at().add(unit, at().constant(v * sizes.lanes));
        Lanes power =
            expNative(Lanes(b, loc, load(scratch.scores, place)) - shift);
        store(power.get(), scratch.scores, place);
        totals.push_back(
            (Lanes(b, loc, loop.getRegionIterArg(v)) + power).get());
      }
      scf::YieldOp::create(b, loc, totals);
    }
    Value rescale = splat(loadOne(scratch.rescales, row));
    Value slot =
        at().mul(at().add(rows.firstSlot, row), at().constant(attentionLanes));
    for (int64_t v = 0; v < parts; ++v) {
      Value place = at().add(slot, at().constant(v * sizes.lanes));
      store(math::FmaOp::create(b, loc, load(scratch.totals, place), rescale,
                                loop.getResult(v)),
            scratch.totals, place);
    }
  });
}

void AttentionTile::weighValues(const TileRows &rows, const BlockLines &values,
                                Value keys) {
  int64_t vectors = sizes.valueWidth / sizes.lanes;
  int64_t most =
      std::max<int64_t>(1, sizes.accumulators / int64_t(rows.queries.size()));
  int64_t step = std::min({vectors, most, int64_t(8)});
  int64_t whole = vectors / step * step;
  if (whole == step)
    weighColumns(rows, values, keys, at().constant(0), step);
  else
    forRange(at().constant(0), at().constant(whole * sizes.lanes),
             step * sizes.lanes, [&](Value column) {
               weighColumns(rows, values, keys, column, step);
             });
  if (whole < vectors)
    weighColumns(rows, values, keys, at().constant(whole * sizes.lanes),
                 vectors - whole);
}

void AttentionTile::weighColumns(const TileRows &rows, const BlockLines &values,
                                 Value keys, Value column, int64_t vectors) {
  int64_t count = rows.queries.size();
  TileKernel tile(kernel, averages, sizes.lanes);
  ColumnSource columns{values.memory, b.getF32Type(),
                       at().add(values.base, column), values.stride,
                       places(vectors)};
  Values lines;
  for (int64_t r = 0; r < count; ++r)
    lines.push_back(at().constant(r * attentionBlock));
  Values sums = tile.chain(lines, at().constant(1), columns, keys,
                           Values(count * vectors, number(0)));
  for (int64_t r = 0; r < count; ++r) {
    Value rescale = splat(loadOne(scratch.rescales, at().constant(r)));
    Value line =
        at().add(column, at().mul(at().add(rows.firstSlot, at().constant(r)),
                                  at().constant(sizes.valueWidth)));
    for (int64_t v = 0; v < vectors; ++v) {
      Value place = at().add(line, at().constant(v * sizes.lanes));
      store(math::FmaOp::create(b, loc, load(scratch.sums, place), rescale,
                                sums[r * vectors + v]),
            scratch.sums, place);
    }
  }
}

} // namespace tenon
