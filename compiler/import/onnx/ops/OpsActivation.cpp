// Activations: elementwise functions, composed of elementwise primitives by the
// formulas of the ONNX specification.
#include "compiler/import/graph/Formulas.h"
#include "compiler/import/onnx/graph/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {

namespace {

using Activation = Value (*)(NodeContext &, Value);

template <Activation activation> LogicalResult handle(NodeContext &c) {
  c.ignoreAttrs({"consumed_inputs"});
  if (failed(c.expectFloat(0)))
    return failure();
  c.set(0, activation(c, c.input(0)));
  return success();
}

LogicalResult reluNode(NodeContext &c) {
  c.ignoreAttrs({"consumed_inputs"});
  if (failed(c.expectNumber(0)))
    return failure();
  c.set(0, relu(c.g, c.input(0)));
  return success();
}

Value leakyReluNode(NodeContext &c, Value x) {
  return leakyRelu(c.g, x, c.floatAttr("alpha", 0.01f));
}

Value eluNode(NodeContext &c, Value x) {
  return elu(c.g, x, c.floatAttr("alpha", 1));
}

Value thresholdedReluNode(NodeContext &c, Value x) {
  return thresholdedRelu(c.g, x, c.floatAttr("alpha", 1));
}

Value seluNode(NodeContext &c, Value x) {
  // The defaults of opset 1 had fewer digits.
  double alpha =
      c.floatAttr("alpha", c.opset < 6 ? 1.6732f : 1.67326319217681884765625);
  double gamma =
      c.floatAttr("gamma", c.opset < 6 ? 1.0507f : 1.05070102214813232421875);
  return c.g.mul(elu(c.g, x, alpha), gamma);
}

Value celuNode(NodeContext &c, Value x) {
  double alpha = c.floatAttr("alpha", 1);
  GraphBuilder &g = c.g;
  Value low = g.mul(g.make<Expm1Op>(g.div(x, alpha)), alpha);
  return g.add(g.maximum(x, 0.0), g.minimum(low, 0.0));
}

Value hardSigmoidNode(NodeContext &c, Value x) {
  double alpha = c.floatAttr("alpha", 0.2f);
  return hardSigmoid(c.g, x, alpha, c.floatAttr("beta", 0.5));
}

Value hardSwishNode(NodeContext &c, Value x) {
  return c.g.mul(x, hardSigmoid(c.g, x, 1.0 / 6, 0.5));
}

Value softplusNode(NodeContext &c, Value x) { return softplus(c.g, x); }

Value softsignNode(NodeContext &c, Value x) { return softsign(c.g, x); }

Value mishNode(NodeContext &c, Value x) {
  return c.g.mul(x, c.g.make<TanhOp>(softplus(c.g, x)));
}

LogicalResult gelu(NodeContext &c) {
  std::string approximate = c.stringAttr("approximate", "none");
  if (failed(c.expectFloat(0)))
    return failure();
  if (approximate != "none" && approximate != "tanh")
    return c.error("expected approximate to be \"none\" or \"tanh\", got \"" +
                   approximate + "\"");
  c.set(0, GeluOp::create(c.g.ops, c.g.loc, c.input(0).getType(), c.input(0),
                          approximate == "tanh"));
  return success();
}

LogicalResult shrink(NodeContext &c) {
  double lambda = c.floatAttr("lambd", 0.5), bias = c.floatAttr("bias", 0);
  if (failed(c.expectNumber(0)))
    return failure();
  GraphBuilder &g = c.g;
  // The parameters may be fractions even for integers, so compute in floats.
  mlir::Type element = g.elementOf(c.input(0));
  Value x = isa<FloatType>(element) ? c.input(0)
                                    : g.convert(c.input(0), g.ops.getF64Type());
  Value inner = g.select(g.compare(CompareDirection::GT, x, lambda),
                         g.sub(x, bias), g.splatLike(x, 0));
  Value result = g.select(g.compare(CompareDirection::LT, x, -lambda),
                          g.add(x, bias), inner);
  c.set(0, g.convert(result, element));
  return success();
}

LogicalResult prelu(NodeContext &c) {
  c.ignoreAttrs({"consumed_inputs"});
  if (failed(c.expectNumber(0)) || failed(c.expectSameElements()))
    return failure();
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  Sizes wanted = g.sizes(x);
  SmallVector<int64_t> trailing;
  if (int64_t rank = wanted.size(); c.opset < 7 && g.rankOf(c.input(1)) == 1 &&
                                    rank > 2 && g.shapeOf(c.input(1))[0] != 1) {
    // A slope per channel is aligned with the channels, not with the last
    // dimension.
    for (int64_t i = 1; i < rank - 1; ++i)
      trailing.push_back(i);
    wanted.truncate(2);
  }
  FailureOr<Value> slope = c.fitted(1, wanted, "a slope");
  if (failed(slope))
    return failure();
  slope = g.unsqueeze(*slope, trailing);
  c.set(0,
        g.select(g.compare(CompareDirection::LT, x, 0.0), g.mul(x, *slope), x));
  return success();
}

} // namespace

void registerActivationOps(OpRegistry &r) {
  r.add("Relu", 1, 1, 1, reluNode);
  r.add("LeakyRelu", 1, 1, 1, handle<leakyReluNode>);
  r.add("PRelu", 1, 2, 1, prelu);
  r.add("Elu", 1, 1, 1, handle<eluNode>);
  r.add("Selu", 1, 1, 1, handle<seluNode>);
  r.add("Celu", 12, 1, 1, handle<celuNode>);
  r.add("ThresholdedRelu", 10, 1, 1, handle<thresholdedReluNode>);
  r.add("HardSigmoid", 1, 1, 1, handle<hardSigmoidNode>);
  r.add("HardSwish", 14, 1, 1, handle<hardSwishNode>);
  r.add("Softplus", 1, 1, 1, handle<softplusNode>);
  r.add("Softsign", 1, 1, 1, handle<softsignNode>);
  r.add("Mish", 18, 1, 1, handle<mishNode>);
  r.add("Gelu", 20, 1, 1, gelu);
  r.add("Shrink", 9, 1, 1, shrink);
}

} // namespace tenon::onnx
