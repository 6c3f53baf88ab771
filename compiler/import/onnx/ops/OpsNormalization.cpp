// Normalizations with means and variances over some dimensions, which are
// operands or computed from the data. Statistics of f16 and bf16 are computed
// in f32.
#include "compiler/import/onnx/graph/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

Value widen(GraphBuilder &g, Value x) {
  mlir::Type element = g.elementOf(x);
  return element.isF16() || element.isBF16() ? g.convert(x, g.f32()) : x;
}

struct Moments {
  Value mean, centered, variance; ///< mean and variance: reduced extents one
};

/// Computes the mean, then the mean of squared deviations from it.
Moments moments(GraphBuilder &g, Value x, ArrayRef<int64_t> dims) {
  Moments m;
  m.mean = g.mean(x, dims, true);
  m.centered = g.sub(x, m.mean);
  m.variance = g.mean(g.mul(m.centered, m.centered), dims, true);
  return m;
}

Value normalized(GraphBuilder &g, const Moments &m, double epsilon) {
  return g.div(m.centered, g.make<SqrtOp>(g.add(m.variance, epsilon)));
}

/// Reshapes a vector of channels so that it broadcasts against [N, C, ...].
Value perChannel(GraphBuilder &g, Value vector, int64_t rank) {
  return g.unsqueeze(vector, llvm::to_vector(llvm::seq<int64_t>(1, rank - 1)));
}

/// Reads operand 0, and operands 1 to `last`, which must be vectors of
/// `channels` elements, into `operands`.
LogicalResult readChannels(NodeContext &c, size_t last, Size channels,
                           SmallVectorImpl<Value> &operands) {
  operands.assign({c.input(0)});
  for (size_t i = 1; i <= last; ++i) {
    if (failed(c.expectFloat(i)))
      return failure();
    FailureOr<Value> vector = c.withSizes(i, channels, "a number per channel");
    if (failed(vector))
      return failure();
    operands.push_back(*vector);
  }
  return success();
}

SmallVector<int64_t> allButChannels(int64_t rank) {
  SmallVector<int64_t> dims{0};
  for (int64_t i = 2; i < rank; ++i)
    dims.push_back(i);
  return dims;
}

/// The form of opsets 7 and 8 with statistics per position instead of per
/// channel.
LogicalResult batchNormPerPosition(NodeContext &c, double epsilon) {
  GraphBuilder &g = c.g;
  Value x = c.input(0), operands[5] = {x};
  for (size_t i = 1; i < 5; ++i) {
    FailureOr<Value> fitted = c.fitted(i, g.sizes(x), "a number per position");
    if (failed(fitted))
      return failure();
    operands[i] = *fitted;
  }
  Value scale = g.div(operands[1], g.make<SqrtOp>(g.add(operands[4], epsilon)));
  c.set(0, g.add(g.mul(g.sub(x, operands[3]), scale), operands[2]));
  return success();
}

/// Normalizes by the statistics of the batch, and moves the running statistics
/// towards them.
void batchNormTraining(NodeContext &c, ArrayRef<Value> operands, double epsilon,
                       double momentum) {
  GraphBuilder &g = c.g;
  mlir::Type element = g.elementOf(operands[0]);
  Value x = widen(g, operands[0]);
  int64_t rank = g.rankOf(x);
  SmallVector<int64_t> dims = allButChannels(rank);
  Moments m = moments(g, x, dims);
  auto channel = [&](size_t i) {
    return perChannel(g, g.convert(operands[i], g.elementOf(x)), rank);
  };
  Value y = g.add(g.mul(normalized(g, m, epsilon), channel(1)), channel(2));
  c.set(0, g.convert(y, element));
  for (size_t i : {1, 2}) {
    Value saved = g.squeeze(i == 1 ? m.mean : m.variance, dims);
    mlir::Type type = g.elementOf(operands[i + 2]);
    Value old = g.convert(operands[i + 2], g.elementOf(x));
    Value running = g.add(g.mul(old, momentum), g.mul(saved, 1 - momentum));
    if (c.wants(i))
      c.set(i, g.convert(running, type));
    if (c.wants(i + 2))
      c.set(i + 2, g.convert(saved, type));
  }
}

LogicalResult batchNormalization(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  c.ignoreAttrs({"consumed_inputs"});
  double epsilon = c.floatAttr("epsilon", 1e-5f);
  double momentum = c.floatAttr("momentum", 0.9f);
  bool spatial = c.opset >= 9 || c.intAttr("spatial", 1) != 0;
  bool training = c.opset < 7    ? c.intAttr("is_test", 0) == 0
                  : c.opset < 14 ? false
                                 : c.intAttr("training_mode", 0) != 0;
  for (size_t i = 1; i < 5; ++i)
    training |= c.opset < 14 && c.wants(i);
  if (failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 2)))
    return failure();
  for (size_t i = 1; i < 5; ++i)
    if (!training && c.wants(i))
      return c.error("expected one output outside of training mode");
  if (!spatial)
    return training ? c.unsupported("training without spatial statistics")
                    : batchNormPerPosition(c, epsilon);
  SmallVector<Value> operands;
  if (failed(readChannels(c, 4, g.size(x, 1), operands)))
    return failure();
  if (training) {
    batchNormTraining(c, operands, epsilon, momentum);
    return success();
  }
  // Converts all operands to the widest type among them.
  mlir::Type common = g.elementOf(x), element = common;
  for (Value operand : operands)
    if (g.elementOf(operand) != common)
      common = g.elementOf(operand).isF64() || common.isF64()
                   ? mlir::Type(g.ops.getF64Type())
                   : mlir::Type(g.f32());
  for (Value &operand : operands)
    operand = g.convert(operand, common);
  Value y =
      BatchNormOp::create(g.ops, g.loc, operands[0].getType(), operands[0],
                          operands[1], operands[2], operands[3], operands[4],
                          uint64_t(1), llvm::APFloat(epsilon));
  c.set(0, g.convert(y, element));
  return success();
}

LogicalResult instanceNormalization(NodeContext &c) {
  GraphBuilder &g = c.g;
  c.ignoreAttrs({"consumed_inputs"});
  double epsilon = c.floatAttr("epsilon", 1e-5f);
  if (failed(c.expectFloat(0)) || failed(c.expectSameElements()) ||
      failed(c.expectMinRank(0, 3)))
    return failure();
  SmallVector<Value> operands;
  if (failed(readChannels(c, 2, g.size(c.input(0), 1), operands)))
    return failure();
  Value x = widen(g, c.input(0));
  int64_t rank = g.rankOf(x);
  Moments m = moments(g, x, llvm::to_vector(llvm::seq<int64_t>(2, rank)));
  Value y = normalized(g, m, epsilon);
  y = g.mul(y, perChannel(g, widen(g, operands[1]), rank));
  y = g.add(y, perChannel(g, widen(g, operands[2]), rank));
  c.set(0, g.convert(y, g.elementOf(c.input(0))));
  return success();
}

/// Scale and bias have one number per group before opset 21, and one per
/// channel from then on.
LogicalResult groupNormalization(NodeContext &c) {
  GraphBuilder &g = c.g;
  double epsilon = c.floatAttr("epsilon", 1e-5f);
  int64_t groups = c.intAttr("num_groups");
  c.ignoreAttrs({"stash_type"});
  if (c.failed() || failed(c.expectFloat(0)) ||
      failed(c.expectSameElements()) || failed(c.expectMinRank(0, 3)))
    return failure();
  Value x = c.input(0);
  int64_t rank = g.rankOf(x), channels = g.shapeOf(x)[1];
  if (groups < 1 || (!ShapedType::isDynamic(channels) && channels % groups))
    return c.error("expected num_groups that divides " + Twine(channels) +
                   " channels, got " + Twine(groups));
  bool byGroup = c.opset < 21;
  Sizes sizes = g.sizes(x), split = sizes;
  SmallVector<Value> operands;
  if (failed(
          readChannels(c, 2, byGroup ? g.index(groups) : sizes[1], operands)))
    return failure();
  split[1] = g.floorDiv(sizes[1], g.index(groups));
  split.insert(split.begin() + 1, g.index(groups));
  Value wide = g.reshape(widen(g, x), split);
  Moments m =
      moments(g, wide, llvm::to_vector(llvm::seq<int64_t>(2, rank + 1)));
  Value y = normalized(g, m, epsilon);
  if (!byGroup)
    y = g.reshape(y, sizes);
  int64_t shaped = byGroup ? rank + 1 : rank;
  auto parameter = [&](size_t i) {
    return perChannel(g, g.convert(operands[i], g.elementOf(y)), shaped);
  };
  y = g.add(g.mul(y, parameter(1)), parameter(2));
  c.set(0, g.convert(g.reshape(y, sizes), g.elementOf(x)));
  return success();
}

LogicalResult layerNormalization(NodeContext &c) {
  GraphBuilder &g = c.g;
  double epsilon = c.floatAttr("epsilon", 1e-5f);
  c.ignoreAttrs({"stash_type"});
  if (failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 1)) ||
      failed(c.expectSameElements()))
    return failure();
  Value x = c.input(0), scale, bias;
  int64_t rank = g.rankOf(x);
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", -1), rank);
  if (failed(axis))
    return failure();
  Sizes sizes = g.sizes(x), inner(ArrayRef(sizes).drop_front(*axis));
  ArrayRef<int64_t> innerShape = g.shapeOf(x).drop_front(*axis);
  bool whole = true; // true if the parameters have exactly the normalized shape
  for (size_t i : {1, 2}) {
    if (!c.hasInput(i))
      continue;
    FailureOr<Value> parameter =
        c.fitted(i, sizes, i == 1 ? "a scale" : "a bias");
    if (failed(parameter))
      return failure();
    (i == 1 ? scale : bias) = *parameter;
    whole &= g.rankOf(*parameter) == rank - *axis &&
             g.shapeOf(*parameter) == innerShape;
  }
  Value wide = widen(g, x);
  if (c.wants(1) || c.wants(2) || !whole) {
    Moments m =
        moments(g, wide, llvm::to_vector(llvm::seq<int64_t>(*axis, rank)));
    Value deviation = g.make<SqrtOp>(g.add(m.variance, epsilon));
    if (c.wants(1))
      c.set(1, m.mean);
    if (c.wants(2))
      c.set(2, g.div(g.splatLike(deviation, 1), deviation));
    if (!whole) {
      Value y = g.mul(g.div(m.centered, deviation), widen(g, scale));
      if (bias)
        y = g.add(y, widen(g, bias));
      c.set(0, g.convert(y, g.elementOf(x)));
      return success();
    }
  }
  if (!bias)
    bias = g.splatLike(scale, 0);
  c.set(0, LayerNormOp::create(g.ops, g.loc, x.getType(), x, scale, bias,
                               uint64_t(*axis), llvm::APFloat(epsilon)));
  return success();
}

LogicalResult meanVarianceNormalization(NodeContext &c) {
  GraphBuilder &g = c.g;
  SmallVector<int64_t> axes{0, 2, 3};
  if (c.hasAttr("axes"))
    axes = c.intsAttr("axes");
  if (failed(c.expectFloat(0)))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = c.axes(axes, g.rankOf(c.input(0)));
  if (failed(dims))
    return failure();
  Moments m = moments(g, widen(g, c.input(0)), *dims);
  Value deviation = g.add(g.make<SqrtOp>(m.variance), 1e-9);
  c.set(0, g.convert(g.div(m.centered, deviation), g.elementOf(c.input(0))));
  return success();
}

/// Divides by a power of the sum of squares over neighbouring channels.
LogicalResult lrn(NodeContext &c) {
  GraphBuilder &g = c.g;
  int64_t size = c.intAttr("size");
  double alpha = c.floatAttr("alpha", 1e-4f), beta = c.floatAttr("beta", 0.75);
  double bias = c.floatAttr("bias", 1);
  if (c.failed() || failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 3)))
    return failure();
  if (size < 1 || size > std::numeric_limits<int32_t>::max())
    return c.error("expected a positive size, got " + Twine(size));
  Value x = widen(g, c.input(0));
  int64_t rank = g.rankOf(x);
  SmallVector<int64_t> window(rank, 1), ones(rank, 1), padding(2 * rank, 0);
  window[1] = size;
  padding[2] = (size - 1) / 2;
  padding[3] = size - 1 - padding[2];
  Value squares =
      ReduceWindowOp::create(g.ops, g.loc, x.getType(), ReduceKind::Add,
                             g.mul(x, x), window, ones, ones, padding);
  g.recordSizes(squares, g.sizes(x));
  Value base = g.add(g.mul(squares, alpha / double(size)), bias);
  Value y = g.div(x, g.make<PowerOp>(base, g.splatLike(base, beta)));
  c.set(0, g.convert(y, g.elementOf(c.input(0))));
  return success();
}

} // namespace

void registerNormalizationOps(OpRegistry &r) {
  r.add("BatchNormalization", 1, 5, Arity(1, 5), batchNormalization);
  r.add("BatchNormalization", 14, 5, Arity(1, 3), batchNormalization);
  r.add("InstanceNormalization", 1, 3, 1, instanceNormalization);
  r.add("GroupNormalization", 18, 3, 1, groupNormalization);
  r.add("LayerNormalization", 17, Arity(2, 3), Arity(1, 3), layerNormalization);
  r.add("MeanVarianceNormalization", 9, 1, 1, meanVarianceNormalization);
  r.add("LRN", 1, 1, 1, lrn);
}

} // namespace tenon::onnx
