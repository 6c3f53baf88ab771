// A sum of weights over a row is cheap and uses all threads, a sort is neither.
// The threshold is bisected in the order of floats, as integers, so that the
// number of steps is known and equal elements stay together.
#include "compiler/import/huggingface/generation/Threshold.h"

#include "compiler/import/huggingface/generation/Conditional.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon::hf {
namespace {

/// The places of -inf and of infinity in the order of floats, which is that of
/// integers with the same bits, but for negative ones.
constexpr int64_t greatestPlace = 0x7f800000, leastPlace = -greatestPlace - 1;

/// A step has this many parts. More make fewer steps, in which each element
/// is compared more often.
constexpr int64_t parts = 4;

/// The float at `place`, i64.
Value floatAt(GraphBuilder &g, Value place) {
  Value bits = g.convert(place, g.ops.getI32Type());
  Value flipped =
      g.binary<XorOp>(bits, g.scalarInt(g.ops.getI32Type(), INT32_MAX));
  bits = g.select(g.compare(CompareDirection::LT, bits, 0.0), flipped, bits);
  Value result = g.make<BitcastConvertOp>(bits, g.f32());
  g.recordSizes(result, g.sizes(place));
  return result;
}

/// The sum of `weights` where `mask` is true, [rows, 1].
Value sumOf(GraphBuilder &g, Value weights, Value mask) {
  return g.reduce(ReduceKind::Add,
                  g.select(mask, weights, g.splatLike(weights, 0)), {1},
                  /*keepDims=*/true);
}

/// The greatest number of each row, i64 [rows, 1], from `low` to below `high`,
/// that `reaches`; `low` if there is none. `reaches` holds for all numbers
/// below one for which it holds.
Value greatestThat(GraphBuilder &g, Size rows, int64_t low, int64_t high,
                   llvm::function_ref<Value(Value)> reaches) {
  int64_t steps = 0;
  for (int64_t left = high - low; left > 1;
       left = llvm::divideCeil(left, parts))
    ++steps;
  Sizes sizes = {rows, g.index(1)};
  Value bounds[] = {g.splat(g.i64(), sizes, double(low)),
                    g.splat(g.i64(), sizes, double(high))};
  auto loop = scf::ForOp::create(g.ops, g.loc, g.indexValue(g.index(0)),
                                 g.indexValue(g.index(steps)),
                                 g.indexValue(g.index(1)), bounds);
  {
    OpBuilder::InsertionGuard guard(g.ops);
    g.ops.setInsertionPointToEnd(loop.getBody());
    Value first = loop.getRegionIterArg(0), last = loop.getRegionIterArg(1);
    g.recordSizes(first, sizes);
    g.recordSizes(last, sizes);
    Value part =
        g.div(g.add(g.sub(last, first), double(parts - 1)), double(parts));
    SmallVector<std::pair<Value, Value>> tried;
    for (int64_t i = 1; i < parts; ++i) {
      Value at = g.minimum(g.add(first, g.mul(part, double(i))), last);
      tried.push_back({at, reaches(at)});
    }
    Value nextFirst = first, nextLast = last;
    for (auto [at, reached] : tried)
      nextFirst = g.select(reached, at, nextFirst);
    for (auto [at, reached] : llvm::reverse(tried))
      nextLast = g.select(reached, nextLast, at);
    scf::YieldOp::create(g.ops, g.loc, ValueRange{nextFirst, nextLast});
  }
  g.recordSizes(loop.getResult(0), sizes);
  return loop.getResult(0);
}
} // namespace

Value thresholdOf(GraphBuilder &g, Value x, Value weights, Value target) {
  Value place = greatestThat(
      g, g.size(x, 0), leastPlace, greatestPlace + 1, [&](Value place) {
        Value isIn = g.compare(CompareDirection::GE, x, floatAt(g, place));
        return g.compare(CompareDirection::GE, sumOf(g, weights, isIn), target);
      });
  return floatAt(g, place);
}

Value isBehind(GraphBuilder &g, Value x, Value weights, Value target) {
  Value last = thresholdOf(g, x, weights, target);
  Value isEqual = g.compare(CompareDirection::EQ, x, last);
  Value isLess = g.compare(CompareDirection::LT, x, last);
  // Equal elements have equal weights, so a division counts those that are
  // still in front.
  Value before = sumOf(g, weights, g.compare(CompareDirection::GT, x, last));
  Value weight =
      g.reduce(ReduceKind::Maximum,
               g.select(isEqual, weights, g.splatLike(weights, 0)), {1},
               /*keepDims=*/true);
  Value count = g.reduce(ReduceKind::Add, g.convert(isEqual, g.i64()), {1},
                         /*keepDims=*/true);
  Value most = g.convert(count, g.ops.getF64Type());
  Value wanted = g.convert(
      g.maximum(
          g.minimum(g.make<CeilOp>(g.div(g.sub(target, before), weight)), most),
          1.0),
      g.i64());
  Sizes sizes = g.sizes(wanted);
  Value some = g.extractScalar(
      g.compare(CompareDirection::GT,
                g.reduce(ReduceKind::Maximum, g.sub(count, wanted), {0, 1},
                         /*keepDims=*/false),
                0));
  int64_t columns = *GraphBuilder::staticSize(g.size(x, 1));
  Value lastColumn = choose(
      g, some, sizes,
      [&] {
        Value column = g.iota(g.i64(), g.sizes(x), 1);
        return greatestThat(g, sizes[0], 0, columns, [&](Value end) {
          Value isIn = g.make<AndOp>(
              isEqual, g.compare(CompareDirection::LT, column, end));
          Value found = g.reduce(ReduceKind::Add, g.convert(isIn, g.i64()), {1},
                                 /*keepDims=*/true);
          return g.compare(CompareDirection::LT, found, wanted);
        });
      },
      [&] { return g.splat(g.i64(), sizes, double(columns)); });
  Value isLater = g.compare(CompareDirection::GT,
                            g.iota(g.i64(), g.sizes(x), 1), lastColumn);
  return g.make<OrOp>(isLess, g.make<AndOp>(isEqual, isLater));
}

} // namespace tenon::hf
