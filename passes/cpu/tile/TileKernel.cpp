// Emits register tiles. The loops carry the sums as values, each as wide as one
// register: LLVM would split wider ones badly. TileBorders.cpp has windows that
// reach over the borders of an image.
#include "passes/cpu/tile/TileKernel.h"

#include "passes/cpu/tile/DistinctOffset.h"
#include "passes/cpu/tile/HalfVectors.h"
#include "passes/cpu/tile/Interleave.h"
#include "passes/cpu/tile/ProductPairs.h"
#include "passes/cpu/tile/ProductQuads.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// The least number of steps of the innermost loop in one iteration.
constexpr int64_t unrolled = 4;
/// Up to this many products: LLVM stores sums of longer blocks.
constexpr int64_t straightProducts = 256;

int64_t stepsPerIteration(const ContractionNest &nest) {
  return std::max(unrolled, nest.sumsPerElement);
}

TileKernel::Values
TileKernel::changed(ArrayRef<Value> rows,
                    llvm::function_ref<Value(Value)> change) {
  Values result = {change(rows.front())};
  for (Value row : rows.drop_front()) {
    auto sum = row.getDefiningOp<arith::AddIOp>();
    bool fixed = sum && sum.getLhs() == rows.front() &&
                 getConstantIntValue(sum.getRhs());
    result.push_back(fixed ? at().add(result.front(), sum.getRhs())
                           : change(row));
  }
  return result;
}

TileKernel::Values TileKernel::moved(ArrayRef<Value> rows, Value offset) {
  return changed(rows, [&](Value row) { return at().add(row, offset); });
}

void TileKernel::step(ArrayRef<Value> rows, Value rowStride,
                      const ColumnSource &columns, Value k, int64_t within,
                      Values &sums) {
  int64_t vectors = columns.wholeVectors();
  auto elements = cast<MemRefType>(columns.memory.getType()).getElementType();
  auto type = VectorType::get({lanes}, elements);
  bool words = nest.sumsPerElement > 1,
       pairs = nest.products == Products::Pairs,
       quads = nest.products == Products::Quads;
  Value first = k;
  k = at().add(k, at().constant(within));
  Value line =
      at().add(columns.base, at().mul(words ? first : k, columns.stride));
  auto column = [&](int64_t v) {
    Value place = at().add(line, columns.places[v]);
    Value mask = columns.masks.empty() ? Value() : columns.masks[v];
    Value loaded;
    if (mask) {
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
      loaded = vector::MaskedLoadOp::create(b, loc, type, columns.memory, place,
                                            mask, zero);
    } else {
      loaded = vector::LoadOp::create(b, loc, type, columns.memory, place);
    }
    return quads   ? loaded
           : pairs ? asPairs(b, loc, loaded)
           : words ? emitNibbles(b, loc, loaded, within, hasTable)
                   : emitConvert(b, loc, loaded, columns.element, nest.sum);
  };
  auto wide = VectorType::get({lanes}, nest.sum);
  Values places = moved(rows, at().mul(k, rowStride));
  auto repeated = [&](Value place) -> Value {
    if (pairs)
      return repeatedPair(b, loc, nest.lhs, place, lanes);
    if (quads)
      return repeatedQuad(b, loc, nest.lhs, place, lanes);
    Value element = memref::LoadOp::create(b, loc, nest.lhs, place);
    element = emitConvert(b, loc, element, nest.lhsElement, nest.sum);
    return vector::BroadcastOp::create(b, loc, wide, element);
  };
  auto add = [&](size_t r, Value row, int64_t v, Value column) {
    Value &sum = sums[r * vectors + v];
    sum = pairs   ? emitPairs(b, loc, row, column, sum)
          : quads ? emitQuads(b, loc, kernel.machine, row, column, sum)
                  : emitMultiplyAdd(b, loc, row, column, sum);
  };
  Value half;
  if (columns.halved)
    half =
        repeatHalf(b, loc,
                   vector::LoadOp::create(
                       b, loc, VectorType::get({lanes / 2}, elements),
                       columns.memory, at().add(line, columns.places.back())));
  // Rows share a register in pairs, in order. The last of an odd number of rows
  // has a register of its own.
  Value low;
  auto addHalf = [&](size_t r, Value row) {
    if (!half)
      return;
    if (r % 2 == 0 && r + 1 < rows.size()) {
      low = row;
      return;
    }
    Value both = r % 2 ? blendHalves(b, loc, low, row) : row;
    SharedSums shared{int64_t(rows.size()), vectors};
    Value &sum = sums[shared.placeOfHalf(r)];
    sum = emitMultiplyAdd(b, loc, both, half, sum);
  };
  if (kernel.machine.getCostlyBroadcasts() && nest.convertsOnlyRhs() &&
      columns.element != nest.sum) {
    // No broadcast then delays the conversion of the columns.
    assert(!half && "converted columns have no half of a vector");
    Values waiting = llvm::map_to_vector(llvm::seq(vectors), column);
    for (auto [v, column] : llvm::enumerate(waiting)) {
      places = changed(
          places, [&](Value place) { return distinctOffset(b, loc, place); });
      for (auto [r, place] : llvm::enumerate(places))
        add(r, repeated(place), v, column);
    }
    return;
  }
  // Rows or vectors, whichever are fewer, stay in registers while the others
  // are loaded one by one.
  if (int64_t(rows.size()) < vectors) {
    Values waiting = llvm::map_to_vector(places, repeated);
    for (int64_t v = 0; v < vectors; ++v) {
      Value here = column(v);
      for (auto [r, row] : llvm::enumerate(waiting))
        add(r, row, v, here);
    }
    for (auto [r, row] : llvm::enumerate(waiting))
      addHalf(r, row);
    return;
  }
  Values waiting = llvm::map_to_vector(llvm::seq(vectors), column);
  for (auto [r, place] : llvm::enumerate(places)) {
    Value here = repeated(place);
    for (auto [v, column] : llvm::enumerate(waiting))
      add(r, here, v, column);
    addHalf(r, here);
  }
}

/// The prefetches that remain after k steps.
Prefetch TileKernel::prefetchAt(Prefetch prefetch, Value k) {
  Value fetched = at().floorDiv(
      at().mul(k, at().constant(prefetch.lines * prefetch.lineElements)),
      at().constant(stepsPerIteration(nest)));
  for (Value &base : prefetch.bases)
    base = at().add(base, fetched);
  if (prefetch.turn)
    prefetch.turn = at().sub(prefetch.turn, k);
  return prefetch;
}

/// The prefetches that remain after `elements` of one panel are read.
Prefetch TileKernel::prefetchAfter(Prefetch prefetch, Value elements) {
  Value k = at().floorDiv(elements, at().constant(nest.panels->width));
  return prefetchAt(std::move(prefetch), k);
}

void TileKernel::emitPrefetch(const ColumnSource &columns, Value k) {
  Prefetch now = prefetchAt(*columns.prefetch, k);
  if (now.turn) {
    Value turned = at().less(now.turn, at().constant(1));
    Value jump =
        arith::SelectOp::create(b, loc, turned, now.jump, at().constant(0));
    for (Value &base : now.bases)
      base = at().add(base, jump);
  }
  for (Value base : now.bases)
    for (int64_t line = 0; line < now.lines; ++line) {
      Value place = at().add(base, at().constant(line * now.lineElements));
      memref::PrefetchOp::create(b, loc, columns.memory, place,
                                 /*isWrite=*/false,
                                 /*localityHint=*/now.intoL1 ? 3 : 2,
                                 /*isDataCache=*/true);
    }
}

TileKernel::Values TileKernel::run(ArrayRef<Value> rows, Value rowStride,
                                   const ColumnSource &columns, Value first,
                                   Value extent,
                                   llvm::function_ref<Values()> former) {
  if (!columns.halved)
    return runWhole(rows, rowStride, columns, first, extent, former);
  SharedSums shared{int64_t(rows.size()), columns.wholeVectors()};
  Values sums = runWhole(rows, rowStride, columns, first, extent,
                         [&] { return shared.share(b, loc, former()); });
  return shared.part(b, loc, sums);
}

TileKernel::Values TileKernel::runWhole(ArrayRef<Value> rows, Value rowStride,
                                        const ColumnSource &columns,
                                        Value first, Value extent,
                                        llvm::function_ref<Values()> former) {
  if (nest.block == 0)
    return chain(rows, rowStride, columns, extent, former());
  std::optional<int64_t> known = getConstantIntValue(extent);
  if (known && *known <= nest.block)
    return addBlock(rows, rowStride, columns, first, extent, former);
  Value width = at().constant(nest.block), end = at().add(first, extent),
        whole = at().add(first, at().mul(at().floorDiv(extent, width), width));
  // Tiles of several sizes share one loop for a shorter last block.
  int64_t steps = stepsPerIteration(nest);
  bool isOneLoop = known && !knownProduct(nest.rows) &&
                   nest.block % steps == 0 && *known % steps == 0;
  auto loop = scf::ForOp::create(b, loc, first, isOneLoop ? end : whole, width,
                                 former());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    Value here = isOneLoop && *known % nest.block != 0
                     ? at().min(width, at().sub(end, k))
                     : width;
    scf::YieldOp::create(b, loc,
                         addBlock(
                             rows, rowStride, columns, k, here,
                             [&] { return Values(loop.getRegionIterArgs()); },
                             isOneLoop));
  }
  if (isOneLoop || (known && *known % nest.block == 0))
    return Values(loop.getResults());
  return addBlock(rows, rowStride, columns, whole,
                  known ? at().constant(*known % nest.block)
                        : at().sub(end, whole),
                  [&] { return Values(loop.getResults()); });
}

TileKernel::Values TileKernel::addBlock(ArrayRef<Value> rows, Value rowStride,
                                        const ColumnSource &columns,
                                        Value first, Value extent,
                                        llvm::function_ref<Values()> former,
                                        bool inWholeIterations) {
  ColumnSource source = columns;
  source.base = at().add(columns.base, at().mul(first, columns.stride));
  if (source.prefetch)
    source.prefetch = prefetchAt(*columns.prefetch, first);
  auto type = VectorType::get({lanes}, nest.sum);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  SharedSums shared{int64_t(rows.size()), columns.wholeVectors()};
  Values starts(columns.halved ? shared.count() : rows.size() * shared.whole,
                zero),
      early;
  if (nest.isBlocked) {
    early = former();
    for (auto [start, sum] : llvm::zip(starts, early))
      start = ifBlocked(zero, sum);
  }
  Values sums = chain(moved(rows, at().mul(first, rowStride)), rowStride,
                      source, extent, starts, {}, inWholeIterations);
  return joined(columns, first, sums, nest.isBlocked ? early : former());
}

/// Selects `yes` if the sum is computed in blocks and `no` if it is one chain.
/// No select is needed unless the choice is known only at run time.
Value TileKernel::ifBlocked(Value yes, Value no) {
  if (!nest.isBlocked)
    return yes;
  return arith::SelectOp::create(b, loc, nest.isBlocked, yes, no);
}

TileKernel::Values TileKernel::joined(const ColumnSource &columns, Value first,
                                      Values sums, ValueRange former) {
  if (!columns.scales) {
    for (auto [sum, before] : llvm::zip(sums, former))
      sum = ifBlocked(arith::AddFOp::create(b, loc, before, sum), sum);
    return sums;
  }
  Value group = at().floorDiv(first, at().constant(nest.block));
  Values scales;
  int64_t vectors = columns.places.size();
  for (int64_t v = 0; v < vectors; ++v)
    scales.push_back(emitScales(b, loc, *columns.scales, group, v, lanes));
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = emitMultiplyAdd(b, loc, sum, scales[i % vectors], former[i]);
  return sums;
}

void TileKernel::steps(ArrayRef<Value> rows, Value rowStride,
                       const ColumnSource &columns, int64_t k, int64_t count,
                       Values &sums) {
  for (int64_t end = k + count; k < end; ++k) {
    int64_t within = k % nest.sumsPerElement;
    step(rows, rowStride, columns, at().constant(k - within), within, sums);
  }
}

TileKernel::Values TileKernel::chain(ArrayRef<Value> rows, Value rowStride,
                                     const ColumnSource &columns, Value extent,
                                     ValueRange carried,
                                     llvm::function_ref<void(Value)> meanwhile,
                                     bool inWholeIterations) {
  Values sums(carried);
  std::optional<int64_t> known = getConstantIntValue(extent);
  if (known && *known <= straightSteps &&
      *known * int64_t(sums.size()) <= straightProducts) {
    steps(rows, rowStride, columns, 0, *known, sums);
    return sums;
  }
  int64_t iterationSteps = stepsPerIteration(nest);
  Value width = at().constant(iterationSteps);
  Value whole = inWholeIterations
                    ? extent
                    : at().mul(at().floorDiv(extent, width), width);
  auto loop = [&](Value from, Value to, int64_t steps) {
    auto loop =
        scf::ForOp::create(b, loc, from, to, at().constant(steps), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values inner(loop.getRegionIterArgs());
    if (columns.prefetch && steps == iterationSteps)
      emitPrefetch(columns, loop.getInductionVar());
    if (meanwhile && steps == iterationSteps)
      meanwhile(loop.getInductionVar());
    Operation *other =
        loop.getBody()->empty() ? nullptr : &loop.getBody()->back();
    for (int64_t u = 0; u < steps; ++u)
      step(rows, rowStride, columns, loop.getInductionVar(), u, inner);
    if (other)
      interleave(*loop.getBody(), other);
    scf::YieldOp::create(b, loc, inner);
    sums = Values(loop.getResults());
  };
  loop(at().constant(0), whole, iterationSteps);
  if (inWholeIterations)
    return sums;
  if (!known) {
    loop(whole, extent, 1);
    return sums;
  }
  int64_t done = *known / iterationSteps * iterationSteps;
  this->steps(rows, rowStride, columns, done, *known - done, sums);
  return sums;
}

TileKernel::Values TileKernel::overDim(
    const SumDim &dim, const Values &rows, const ColumnSource &columns,
    ValueRange carried,
    llvm::function_ref<Values(Value, Values, ColumnSource, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, loc, at().constant(0), dim.extent,
                                 at().constant(1), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value tap = loop.getInductionVar();
  scf::YieldOp::create(b, loc,
                       body(tap, moved(rows, at().mul(tap, dim.lhsStride)),
                            columnsAt(columns, at().mul(tap, dim.rhsStride)),
                            loop.getRegionIterArgs()));
  return Values(loop.getResults());
}

/// The columns `offset` elements further.
ColumnSource TileKernel::columnsAt(const ColumnSource &columns, Value offset) {
  ColumnSource source = columns;
  source.base = at().add(columns.base, offset);
  if (source.prefetch)
    source.prefetch = prefetchAfter(*columns.prefetch, offset);
  return source;
}

TileKernel::Values TileKernel::nestFrom(size_t level, ArrayRef<SumDim> sums,
                                        Values rows, ColumnSource columns,
                                        ValueRange carried) {
  const SumDim &dim = sums[level];
  if (level + 1 == sums.size()) {
    columns.stride = dim.rhsStride;
    return run(rows, dim.lhsStride, columns, at().constant(0), dim.extent,
               [&] { return Values(carried); });
  }
  return overDim(
      dim, rows, columns, carried,
      [&](Value, Values moved, ColumnSource source, ValueRange inner) {
        return nestFrom(level + 1, sums, moved, source, inner);
      });
}

TileKernel::Values TileKernel::runAll(ArrayRef<Value> rows,
                                      ArrayRef<Values> positions,
                                      const ColumnSource &columns,
                                      ValueRange sums, bool oftenInside) {
  if (nest.hasGuards() || (oftenInside && !nest.rowStride))
    return overImage(rows, positions, columns, sums, oftenInside);
  return nestFrom(0, nest.sums, Values(rows), columns, sums);
}

} // namespace tenon
