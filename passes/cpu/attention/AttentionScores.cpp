// Computes scores in register tiles of products. The row maxima of several rows
// are folded together, which takes fewer steps than row by row.
#include "passes/cpu/attention/AttentionScores.h"

#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/TransposeSquare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace tenon {

constexpr double infinity = std::numeric_limits<double>::infinity();

AttentionScores::AttentionScores(Kernel &kernel, AttentionOp op,
                                 const AttentionSizes &sizes,
                                 const AttentionScratch &scratch,
                                 const StridedOperand &query,
                                 const TaskKeys &task)
    : AttentionTile(kernel, sizes, scratch), op(op), query(query), task(task) {
  products.lhs = query.memory;
  products.lhsElement = query.element;
  products.sum = b.getF32Type();
}

bool readsMaskAsVectors(Kernel &kernel, AttentionOp op, int64_t lanes) {
  if (!op.getMask())
    return true;
  // Emit the mask once to see if that works, in a loop that is then erased.
  OpBuilder &b = kernel.builder;
  IndexBuilder at{b, kernel.loc()};
  auto trial = scf::ForOp::create(b, kernel.loc(), at.constant(0),
                                  at.constant(1), at.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(trial.getBody());
  ElementEmitter emitter(kernel, lanes);
  SmallVector<LaneIndex> place(op.getType().getRank(),
                               {trial.getInductionVar(), 0});
  place.back().stride = 1;
  emitter.emit(op.getMask(), place);
  trial.erase();
  return !emitter.failed();
}

Value AttentionScores::unitsOf(const KeyBlock &block) {
  return block.whole ? at().constant(block.units)
                     : at().min(at().ceilDiv(block.count, attentionLanes),
                                at().constant(block.units));
}

void AttentionScores::emit(const TileRows &rows, const KeyBlock &block,
                           Value keys) {
  Value none = at().constant(0), all = at().constant(block.units),
        units = rows.lastKeys.empty() ? unitsOf(block)
                                      : at().ceilDiv(keys, attentionLanes);
  int64_t wide = std::max<int64_t>(1, sizes.accumulators / sizes.scoreRows /
                                          sizes.vectorsPerUnit());
  int64_t keysOfBlock = block.units * attentionLanes,
          keysAtOnce = block.soon
                           ? std::min(sizes.prefetchDistance(), keysOfBlock)
                           : keysOfBlock;
  auto scoreAll = [&] {
    for (int64_t key = 0; key < keysOfBlock; key += keysAtOnce)
      scores(rows, block, at().constant(key),
             std::min(keysAtOnce, keysOfBlock - key) / sizes.lanes);
  };
  if (wide < block.units) {
    unitScores(rows, block, none, units);
  } else if (getConstantIntValue(units) == block.units) {
    scoreAll();
  } else {
    Value visible =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, units, all);
    choose(visible, scoreAll, [&] { unitScores(rows, block, none, units); });
  }
  storeRowMaxima(rows, none, units, false);
}

void AttentionScores::emitRest(const TileRows &rows, const KeyBlock &block,
                               Value keys) {
  Value from = at().ceilDiv(keys, attentionLanes), to = unitsOf(block);
  unitScores(rows, block, from, to);
  storeRowMaxima(rows, from, to, true);
}

void AttentionScores::unitScores(const TileRows &rows, const KeyBlock &block,
                                 Value from, Value to) {
  forRange(from, to, 1, [&](Value unit) {
    scores(rows, block, at().mul(unit, at().constant(attentionLanes)),
           sizes.vectorsPerUnit());
  });
}

void AttentionScores::scores(const TileRows &rows, const KeyBlock &block,
                             Value column, int64_t vectors) {
  Values sums = block.multiplied ? productsOfTiles(rows, block, column, vectors)
                : scratch.keys ? productsWithPacked(rows, column, vectors)
                               : productsInPlace(rows, block, column, vectors);
  double factor = op.getScale().convertToDouble();
  for (size_t r = 0; r < rows.queries.size(); ++r)
    for (int64_t v = 0; v < vectors; ++v) {
      Value &sum = sums[r * vectors + v];
      if (factor != 1)
        sum = arith::MulFOp::create(b, loc, sum, number(factor));
      Value place = at().add(column, at().constant(v * sizes.lanes));
      store(masked(rows, r, block, place, sum), scratch.scores,
            scorePlace(rows, int64_t(r), place));
    }
}

AttentionScores::Values
AttentionScores::productsWithPacked(const TileRows &rows, Value column,
                                    int64_t vectors) {
  TileKernel tile(kernel, products, sizes.lanes);
  ColumnSource columns{scratch.keys, b.getF32Type(), column,
                       at().constant(attentionBlock), places(vectors)};
  return tile.chain(rows.queries, query.strides.back(), columns,
                    at().constant(sizes.depth),
                    Values(rows.queries.size() * vectors, number(0)));
}

/// Loads what tiles have multiplied. Rows that they cannot multiply are
/// multiplied here; whether one is does not depend on other rows.
AttentionScores::Values AttentionScores::productsOfTiles(const TileRows &rows,
                                                         const KeyBlock &block,
                                                         Value column,
                                                         int64_t vectors) {
  Values loaded, multiplied;
  Value all;
  for (int64_t r = 0; r < int64_t(rows.queries.size()); ++r) {
    for (Value place : places(vectors))
      loaded.push_back(
          load(scratch.scores, at().add(scorePlace(rows, r, column), place)));
    Value slot = at().add(rows.firstSlot, at().constant(r));
    multiplied.push_back(arith::AndIOp::create(
        b, loc, block.multiplied, loadOne(scratch.tameRows, slot)));
    all = all ? arith::AndIOp::create(b, loc, all, multiplied.back())
              : multiplied.back();
  }
  return choose(
      all, loaded, [&] { return loaded; },
      [&] {
        Values sums = productsWithPacked(rows, column, vectors);
        for (auto [i, sum] : llvm::enumerate(sums))
          sum = arith::SelectOp::create(b, loc, multiplied[i / vectors],
                                        loaded[i], sum);
        return sums;
      });
}

/// Transposes squares of keys in registers, with as many keys as a vector has
/// lanes. The squares of one depth are computed one after another, so that the
/// chains of several vectors interleave. Meanwhile the partial sums are stored
/// among the scores.
AttentionScores::Values AttentionScores::productsInPlace(const TileRows &rows,
                                                         const KeyBlock &block,
                                                         Value column,
                                                         int64_t vectors) {
  const BlockRows &keys = block.keys;
  Value low = column,
        high = at().add(low, at().constant(vectors * sizes.lanes));
  auto squareAt = [&](Value key, Value depth) {
    Value lanes = at().constant(sizes.lanes),
          ofDepth =
              at().mul(at().floorDiv(depth, lanes), at().constant(vectors));
    return at().add(ofDepth, at().floorDiv(at().sub(key, low), lanes));
  };
  int64_t count = rows.queries.size();
  auto placeOf = [&](int64_t row, Value key) {
    Value slot = at().add(rows.firstSlot, at().constant(row));
    return at().add(key, at().mul(slot, at().constant(attentionBlock)));
  };
  forRange(low, high, sizes.lanes, [&](Value key) {
    for (int64_t r = 0; r < count; ++r)
      store(number(0), scratch.scores, placeOf(r, key));
  });
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
                 lines.push_back(loadLanes(keys, start));
               }
               if (block.soon)
                 prefetchShare(block, column, squareAt(key, depth));
               transposeSquare(b, loc, lines);
               Values sums;
               for (int64_t r = 0; r < count; ++r)
                 sums.push_back(load(scratch.scores, placeOf(r, key)));
               for (auto [i, line] : llvm::enumerate(lines)) {
                 Value d = at().mul(at().add(depth, at().constant(int64_t(i))),
                                    query.strides.back());
                 for (auto [sum, start] : llvm::zip(sums, rows.queries)) {
                   Value element = emitConvert(
                       b, loc, loadOne(query.memory, at().add(start, d)),
                       query.element, b.getF32Type());
                   sum = math::FmaOp::create(b, loc, splat(element), line, sum);
                 }
               }
               for (auto [r, sum] : llvm::enumerate(sums))
                 store(sum, scratch.scores, placeOf(r, key));
             });
           });
  Values sums;
  for (int64_t r = 0; r < count; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      sums.push_back(
          load(scratch.scores,
               placeOf(r, at().add(low, at().constant(v * sizes.lanes)))));
  return sums;
}

/// Prefetches the rows that square number `square` from `column` on has to
/// fetch: keys or, after the last of a whole block, its values. Squares
/// prefetch rows in the order of memory, as the prefetchers of the processor
/// expect.
void AttentionScores::prefetchShare(const KeyBlock &block, Value column,
                                    Value square) {
  SoonRows soon = valuesOf(block);
  if (std::optional<int64_t> known = getConstantIntValue(column)) {
    int64_t next = *known + sizes.prefetchDistance();
    if (next < attentionBlock)
      soon = keysOf(block);
    column = at().constant(next % attentionBlock);
  }
  int64_t share = std::max<int64_t>(1, sizes.lanes * sizes.lanes / sizes.depth);
  Value first = at().add(column, at().mul(square, at().constant(share)));
  for (int64_t row = 0; row < share; ++row)
    prefetchRow(soon, at().add(first, at().constant(row)));
}

Value AttentionScores::masked(const TileRows &rows, size_t row,
                              const KeyBlock &block, Value column,
                              Value score) {
  auto i32 = b.getI32Type();
  Value key = at().add(block.first, column);
  auto choose = [&](Value condition, Value otherwise) {
    score = arith::SelectOp::create(b, loc, condition, score, otherwise);
  };
  /// A mask of the lanes whose key is at most `last`.
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
      // Lanes after the last key read nothing. A vector that starts after the
      // last key reads the mask of the last key.
      base = at().min(key, at().sub(task.count, at().constant(1)));
      Value valid =
          at().min(at().sub(task.count, base), at().constant(sizes.lanes));
      emitter.setValid(valid);
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
    choose(upTo(at().sub(task.count, at().constant(1))), number(-infinity));
  return score;
}

void AttentionScores::storeRowMaxima(const TileRows &rows, Value from, Value to,
                                     bool more) {
  Value least = number(-infinity);
  int64_t count = rows.queries.size(), parts = sizes.vectorsPerUnit();
  auto loop = scf::ForOp::create(b, loc, from, to, at().constant(1),
                                 Values(count, least));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value unit =
        at().mul(loop.getInductionVar(), at().constant(attentionLanes));
    Values greatest(loop.getRegionIterArgs());
    for (int64_t r = 0; r < count; ++r)
      for (Value place : places(parts)) {
        Value line = at().mul(at().add(rows.firstSlot, at().constant(r)),
                              at().constant(attentionBlock));
        place = at().add(at().add(line, unit), place);
        greatest[r] = greater(b, loc, greatest[r], load(scratch.scores, place));
      }
    scf::YieldOp::create(b, loc, greatest);
  }
  Values greatest(loop.getResults());
  for (int64_t first = 0; first < count; first += sizes.lanes) {
    Value place = at().add(rows.firstSlot, at().constant(first));
    Value folded = foldRows(
        b, loc, ArrayRef(greatest).drop_front(first).take_front(sizes.lanes),
        least, [&](Value a, Value other) { return greater(b, loc, a, other); });
    if (more)
      folded = greater(b, loc, folded, load(scratch.blockMaxima, place));
    store(folded, scratch.blockMaxima, place);
  }
}
} // namespace tenon
