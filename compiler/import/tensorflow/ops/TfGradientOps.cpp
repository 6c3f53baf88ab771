// Gradients of elementwise functions: the incoming gradient times the
// derivative. Some derivatives are computed from the function's argument,
// others from its result.
#include "compiler/import/graph/Formulas.h"
#include "compiler/import/tensorflow/graph/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {
namespace {

using enum CompareDirection;
using Formula = Value (*)(GraphBuilder &, Value, Value);

/// Applies `formula` to the incoming gradient (operand `gradient`) and the
/// other operand, which must have one shape.
template <Formula formula, size_t gradient>
LogicalResult elementwise(NodeContext &c) {
  Value pair[] = {c.input(gradient), c.input(1 - gradient)};
  if (failed(c.expectNumber(0)) || failed(c.expectSameElements()) ||
      failed(c.expectOneShape(pair)))
    return failure();
  c.set(0, formula(c.g, pair[0], pair[1]));
  return success();
}

Value where(GraphBuilder &g, Value condition, Value value) {
  return g.select(condition, value, g.splatLike(value, 0));
}

//===-- By the argument -------------------------------------------------===//

Value reluGrad(GraphBuilder &g, Value dy, Value x) {
  return where(g, g.compare(GT, x, 0.0), dy);
}
Value relu6Grad(GraphBuilder &g, Value dy, Value x) {
  Value inside = g.binary<AndOp>(g.compare(GT, x, 0.0), g.compare(LT, x, 6.0));
  return where(g, inside, dy);
}
Value softplusGrad(GraphBuilder &g, Value dy, Value x) {
  return g.mul(dy, g.make<LogisticOp>(x));
}
Value softsignGrad(GraphBuilder &g, Value dy, Value x) {
  Value root = g.add(g.make<AbsOp>(x), 1.0);
  return g.div(dy, g.mul(root, root));
}

LogicalResult leakyReluGrad(NodeContext &c) {
  GraphBuilder &g = c.g;
  double alpha = c.floatAttr("alpha", 0.2);
  Value pair[] = {c.input(0), c.input(1)};
  if (failed(c.expectFloat(0)) || failed(c.expectSameElements()) ||
      failed(c.expectOneShape(pair)))
    return failure();
  c.set(0,
        g.select(g.compare(GT, pair[1], 0.0), pair[0], g.mul(pair[0], alpha)));
  return success();
}

//===-- By the result ---------------------------------------------------===//

Value eluGrad(GraphBuilder &g, Value dy, Value y) {
  return g.select(g.compare(LT, y, 0.0), g.mul(g.add(y, 1.0), dy), dy);
}
Value seluGrad(GraphBuilder &g, Value dy, Value y) {
  constexpr double scale = 1.0507009873554805,
                   scaledAlpha = scale * 1.6732632423543772;
  return g.select(g.compare(LT, y, 0.0), g.mul(g.add(y, scaledAlpha), dy),
                  g.mul(dy, scale));
}
Value sigmoidGrad(GraphBuilder &g, Value dy, Value y) {
  return g.mul(g.mul(dy, y), g.sub(g.splatLike(y, 1), y));
}
Value tanhGrad(GraphBuilder &g, Value dy, Value y) {
  return g.mul(dy, g.sub(g.splatLike(y, 1), g.mul(y, y)));
}
Value sqrtGrad(GraphBuilder &g, Value dy, Value y) {
  return g.div(g.mul(dy, 0.5), y);
}
Value rsqrtGrad(GraphBuilder &g, Value dy, Value y) {
  return g.mul(g.mul(dy, -0.5), g.mul(y, g.mul(y, y)));
}
Value reciprocalGrad(GraphBuilder &g, Value dy, Value y) {
  return g.make<NegateOp>(g.mul(dy, g.mul(y, y)));
}

//===-- Bias ------------------------------------------------------------===//

/// The sum over all dimensions except the channels.
LogicalResult biasAddGrad(NodeContext &c) {
  GraphBuilder &g = c.g;
  std::string format = c.stringAttr("data_format", "NHWC");
  Value dy = c.input(0);
  if (failed(c.expectNumber(0)) || failed(c.expectMinRank(0, 2)))
    return failure();
  if (format != "NHWC" && format != "NCHW")
    return c.unsupported("data_format " + format);
  int64_t channels = format == "NCHW" ? 1 : g.rankOf(dy) - 1;
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < g.rankOf(dy); ++i)
    if (i != channels)
      others.push_back(i);
  c.set(0, g.reduce(ReduceKind::Add, dy, others, false));
  return success();
}

} // namespace

void registerGradientOps(OpRegistry &r) {
  r.add("ReluGrad", 2, elementwise<reluGrad, 0>);
  r.add("Relu6Grad", 2, elementwise<relu6Grad, 0>);
  r.add("LeakyReluGrad", 2, leakyReluGrad);
  r.add("EluGrad", 2, elementwise<eluGrad, 0>);
  r.add("SeluGrad", 2, elementwise<seluGrad, 0>);
  r.add("SoftplusGrad", 2, elementwise<softplusGrad, 0>);
  r.add("SoftsignGrad", 2, elementwise<softsignGrad, 0>);
  r.add("SigmoidGrad", 2, elementwise<sigmoidGrad, 1>);
  r.add("TanhGrad", 2, elementwise<tanhGrad, 1>);
  r.add("SqrtGrad", 2, elementwise<sqrtGrad, 1>);
  r.add("RsqrtGrad", 2, elementwise<rsqrtGrad, 1>);
  r.add("ReciprocalGrad", 2, elementwise<reciprocalGrad, 1>);
  r.add("InvGrad", 2, elementwise<reciprocalGrad, 1>);
  r.add("BiasAddGrad", 1, biasAddGrad);
}

} // namespace tenon::tf
