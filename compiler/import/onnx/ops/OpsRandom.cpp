// Random ops. A random number is a function of the element's position and of a
// key, computed by ordinary integer ops. So the ops need no state, fuse with
// their users, and give the same numbers in every run, on every machine and for
// any number of threads.
#include "compiler/import/graph/RandomWords.h"
#include "compiler/import/onnx/graph/NodeContext.h"

#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace mlir;

namespace tenon::onnx {
namespace {

/// The key of the node's random numbers: its seed, or without one a hash of its
/// result's name, so that two nodes get different numbers.
uint64_t keyOf(NodeContext &c) {
  // The seed of Dropout is an integer, that of other nodes a float.
  if (c.hasAttr("seed"))
    return c.node.opType == "Dropout"
               ? uint64_t(c.intAttr("seed"))
               : llvm::bit_cast<uint64_t>(c.floatAttr("seed"));
  return llvm::xxh3_64bits(llvm::StringRef(c.node.outputs.front()));
}

/// Several random tensors from one key; the count of draws so far distinguishes
/// them.
class Draws {
public:
  Draws(GraphBuilder &g, uint64_t key, ArrayRef<Size> sizes)
      : g(g), key(key), count(g.product(sizes)) {}

  /// Uniform numbers in [0, 1): multiples of 2^-24, or of 2^-53 for f64. Rank
  /// 1.
  Value uniform(mlir::Type element) {
    bool wide = element.isF64();
    return uniformNumbers(g, next(), wide ? 53 : 24,
                          wide ? element : mlir::Type(g.f32()));
  }

  /// Normal numbers with mean 0 and standard deviation 1, by the method of Box
  /// and Muller. Rank 1, in f32 or f64.
  Value normal(mlir::Type element) {
    Value u = uniform(element);
    // 1 - u is in (0, 1], so its logarithm is finite.
    Value one = g.scalar(g.elementOf(u), 1);
    Value radius = g.make<SqrtOp>(g.mul(g.make<LogOp>(g.sub(one, u)), -2));
    Value turn = g.mul(uniform(element), 2 * M_PI);
    return g.mul(radius, g.make<CosineOp>(turn));
  }

private:
  /// 64 random bits per element. The key and the number of the draw give the
  /// start of the stream.
  Value next() {
    mlir::Type words = randomWordType(g);
    Value start = g.scalarInt(words, int64_t(randomStream(key, ++draws)));
    return randomWords(g, start, g.iota(words, {count}, 0));
  }

  GraphBuilder &g;
  uint64_t key, draws = 0;
  Size count;
};

/// The float type that `dtype` names, `otherwise` without it; null after an
/// error.
mlir::Type floatType(NodeContext &c, mlir::Type otherwise) {
  mlir::Type type = c.elementAttr("dtype", otherwise);
  if (!type || isa<FloatType>(type))
    return type;
  (void)c.error("expected dtype to be a float type, got " + textOf(type));
  return {};
}

/// Sets result 0 to random numbers of the node's distribution, with the given
/// element type and sizes.
LogicalResult draw(NodeContext &c, mlir::Type element, ArrayRef<Size> sizes,
                   bool normal) {
  GraphBuilder &g = c.g;
  double shift = normal ? c.floatAttr("mean", 0) : c.floatAttr("low", 0);
  double scale =
      normal ? c.floatAttr("scale", 1) : c.floatAttr("high", 1) - shift;
  Draws draws(g, keyOf(c), sizes);
  Value x = normal ? draws.normal(element) : draws.uniform(element);
  x = g.convert(g.add(g.mul(x, scale), shift), element);
  c.set(0, g.reshape(x, sizes));
  return success();
}

template <bool normal> LogicalResult random(NodeContext &c) {
  mlir::Type element = floatType(c, c.g.f32());
  FailureOr<Sizes> sizes = c.extents(c.g.indices(c.intsAttr("shape")));
  if (!element || failed(sizes))
    return failure();
  return draw(c, element, *sizes, normal);
}

template <bool normal> LogicalResult randomLike(NodeContext &c) {
  mlir::Type element = floatType(c, c.g.elementOf(c.input(0)));
  if (!element)
    return failure();
  return draw(c, element, c.g.sizes(c.input(0)), normal);
}

LogicalResult bernoulli(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectFloat(0)))
    return failure();
  Value share = c.input(0);
  mlir::Type element = c.elementAttr("dtype", g.elementOf(share));
  if (!element)
    return failure();
  Sizes sizes = g.sizes(share);
  Value u =
      g.reshape(Draws(g, keyOf(c), sizes).uniform(g.elementOf(share)), sizes);
  Value hit =
      g.compare(CompareDirection::LT, u, g.convert(share, g.elementOf(u)));
  c.set(0, g.convert(hit, element));
  return success();
}

/// Chooses classes at random by unnormalized log probabilities: the class with
/// the greatest sum of its logarithm and noise with a Gumbel distribution.
LogicalResult multinomial(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectFloat(0)) || failed(c.expectRank(0, 2)))
    return failure();
  int64_t samples = c.intAttr("sample_size", 1);
  mlir::Type element = c.elementAttr("dtype", g.ops.getI32Type());
  if (!element)
    return failure();
  if (!element.isInteger(32) && !element.isInteger(64))
    return c.error("expected dtype to be i32 or i64, got " + textOf(element));
  if (samples < 1)
    return c.error("expected a sample_size of at least 1, got " +
                   Twine(samples));
  Value logits = c.input(0);
  Sizes sizes = {g.size(logits, 0), g.index(samples), g.size(logits, 1)};
  Value u = Draws(g, keyOf(c), sizes).uniform(g.elementOf(logits));
  // Adds half a step, so that u is in (0, 1).
  u = g.add(u, g.elementOf(u).isF64() ? 0x1p-54 : 0x1p-25);
  Value noise =
      g.make<NegateOp>(g.make<LogOp>(g.make<NegateOp>(g.make<LogOp>(u))));
  Value scores = g.add(g.unsqueeze(g.convert(logits, g.elementOf(u)), {1}),
                       g.reshape(noise, sizes));
  Value drawn = ArgReduceOp::create(
      g.ops, g.loc,
      RankedTensorType::get({g.shapeOf(logits)[0], samples}, g.i64()),
      ReduceKind::Maximum, scores, 2, false);
  g.recordSizes(drawn, {sizes[0], sizes[1]});
  c.set(0, g.convert(drawn, element));
  return success();
}

/// Sets the results to the input and a mask that keeps all elements.
void keepAll(NodeContext &c) {
  c.set(0, c.input(0));
  if (c.wants(1)) {
    mlir::Type mask = c.opset < 10 ? c.g.elementOf(c.input(0)) : c.g.i1();
    c.set(1, c.g.splat(mask, c.g.sizes(c.input(0)), 1));
  }
}

/// Before opset 12 the ratio is an attribute, and only training drops elements.
LogicalResult dropout1(NodeContext &c) {
  c.ignoreAttrs({"ratio", "is_test", "consumed_inputs"});
  keepAll(c);
  return success();
}

LogicalResult dropout12(NodeContext &c) {
  GraphBuilder &g = c.g;
  uint64_t key = keyOf(c);
  Value x = c.input(0), ratio = c.input(1), training = c.input(2);
  if (failed(c.expectFloat(0)) || (ratio && failed(c.expectFloat(1))) ||
      (training && failed(c.expectBool(2))))
    return failure();
  std::optional<SmallVector<int64_t>> trains;
  if (training)
    trains = c.shapes.constants(training);
  if (!training || (trains && trains->size() == 1 && trains->front() == 0)) {
    keepAll(c);
    return success();
  }
  Sizes sizes = g.sizes(x);
  Value u = Draws(g, key, sizes).uniform(g.elementOf(x));
  mlir::Type wide = g.elementOf(u);
  Value share = ratio ? g.convert(g.reshape(ratio, ArrayRef<int64_t>{}), wide)
                      : g.scalar(wide, 0.5);
  Value outside = g.make<NotOp>(g.reshape(training, ArrayRef<int64_t>{}));
  Value kept = g.binary<OrOp>(
      g.compare(CompareDirection::GE, g.reshape(u, sizes), share), outside);
  Value scale =
      g.select(outside, g.scalar(wide, 1),
               g.div(g.scalar(wide, 1), g.sub(g.scalar(wide, 1), share)));
  Value scaled = g.convert(g.mul(g.convert(x, wide), scale), g.elementOf(x));
  c.set(0, g.select(kept, scaled, g.splatLike(x, 0)));
  if (c.wants(1))
    c.set(1, kept);
  return success();
}

} // namespace

void registerRandomOps(OpRegistry &r) {
  r.add("Dropout", 1, 1, Arity(1, 2), dropout1);
  r.add("Dropout", 12, Arity(1, 3), Arity(1, 2), dropout12);
  r.add("Bernoulli", 15, 1, 1, bernoulli);
  r.add("Multinomial", 7, 1, 1, multinomial);
  r.add("RandomNormal", 1, 0, 1, random<true>);
  r.add("RandomNormalLike", 1, 1, 1, randomLike<true>);
  r.add("RandomUniform", 1, 0, 1, random<false>);
  r.add("RandomUniformLike", 1, 1, 1, randomLike<false>);
}

} // namespace tenon::onnx
