// Optimizer steps. The operands are a rate and a step count, then the value,
// the gradient and the states of each optimized tensor. All updates are
// elementwise.
#include "compiler/import/onnx/graph/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

constexpr StringLiteral kDomain = "ai.onnx.preview.training";

struct Rates {
  Value rate; ///< rank 0, float
  Value step; ///< rank 0, i64
  SmallVector<Value> tensors;
  size_t count; ///< number of optimized tensors

  /// The operand of tensor `i` in group `group` (0: values, 1: gradients, and
  /// so on).
  Value operand(size_t group, size_t i) const {
    return tensors[group * count + i];
  }
};

/// Checks R, T and `perTensor` operands per optimized tensor, all of one shape.
FailureOr<Rates> readRates(NodeContext &c, size_t perTensor) {
  GraphBuilder &g = c.g;
  size_t tensors = c.numInputs() - 2;
  if (tensors == 0 || tensors % perTensor != 0)
    return c.error("expected " + Twine(perTensor) +
                   " inputs per optimized tensor behind R and T, got " +
                   Twine(tensors));
  if (failed(c.expectFloat(0)) || failed(c.expectInteger(1)))
    return failure();
  Rates rates;
  rates.count = tensors / perTensor;
  for (size_t i = 0; i < c.numInputs(); ++i) {
    if (!c.hasInput(i))
      return c.error("expected input " + Twine(i) + " to be present");
    if (i < 2) {
      FailureOr<Value> scalar = c.scalarInput(i);
      if (failed(scalar))
        return failure();
      (i == 0 ? rates.rate : rates.step) = *scalar;
      continue;
    }
    Value first = c.input(2 + (i - 2) % rates.count);
    if (failed(c.expectFloat(i)))
      return failure();
    if (g.elementOf(c.input(i)) != g.elementOf(first))
      return c.error("expected input " + Twine(i) + " to be like " +
                     textOf(first) + ", got " + textOf(c.input(i)));
    FailureOr<Value> like =
        c.withSizes(i, g.sizes(first), "a tensor like the optimized one");
    if (failed(like))
      return failure();
    rates.tensors.push_back(*like);
  }
  return rates;
}

LogicalResult adagrad(NodeContext &c) {
  GraphBuilder &g = c.g;
  double decay = c.floatAttr("decay_factor", 0);
  double norm = c.floatAttr("norm_coefficient", 0);
  double epsilon = c.floatAttr("epsilon", 1e-6f);
  FailureOr<Rates> rates = readRates(c, 3);
  if (failed(rates))
    return failure();
  size_t count = rates->count;
  for (size_t i = 0; i < count; ++i) {
    Value x = rates->operand(0, i), squares = rates->operand(2, i);
    mlir::Type element = g.elementOf(x);
    Value step = g.convert(rates->step, element);
    Value rate =
        g.div(g.convert(rates->rate, element), g.add(g.mul(step, decay), 1.0));
    Value gradient = g.add(g.mul(x, norm), rates->operand(1, i));
    Value total = g.add(squares, g.mul(gradient, gradient));
    Value divisor = g.add(g.make<SqrtOp>(total), epsilon);
    c.set(i, g.sub(x, g.div(g.mul(rate, gradient), divisor)));
    c.set(count + i, total);
  }
  return success();
}

LogicalResult momentum(NodeContext &c) {
  GraphBuilder &g = c.g;
  double alpha = c.floatAttr("alpha"), beta = c.floatAttr("beta");
  double norm = c.floatAttr("norm_coefficient");
  std::string mode = c.stringAttr("mode", "");
  if (c.failed())
    return failure();
  if (mode != "standard" && mode != "nesterov")
    return c.error("expected mode standard or nesterov, got \"" + mode + "\"");
  FailureOr<Rates> rates = readRates(c, 3);
  if (failed(rates))
    return failure();
  size_t count = rates->count;
  for (size_t i = 0; i < count; ++i) {
    Value x = rates->operand(0, i), velocity = rates->operand(2, i);
    mlir::Type element = g.elementOf(x);
    Value rate = g.convert(rates->rate, element);
    Value gradient = g.add(g.mul(x, norm), rates->operand(1, i));
    // The first step uses the gradient without beta.
    Value later = g.compare(CompareDirection::GT, rates->step, 0.0);
    Value share =
        g.select(later, g.scalar(element, beta), g.scalar(element, 1));
    Value next = g.add(g.mul(velocity, alpha), g.mul(gradient, share));
    Value move =
        mode == "standard" ? next : g.add(gradient, g.mul(next, alpha));
    c.set(i, g.sub(x, g.mul(rate, move)));
    c.set(count + i, next);
  }
  return success();
}

LogicalResult adam(NodeContext &c) {
  GraphBuilder &g = c.g;
  double alpha = c.floatAttr("alpha", 0.9f), beta = c.floatAttr("beta", 0.999f);
  double norm = c.floatAttr("norm_coefficient", 0);
  double normPost = c.floatAttr("norm_coefficient_post", 0);
  double epsilon = c.floatAttr("epsilon", 1e-6f);
  FailureOr<Rates> rates = readRates(c, 4);
  if (failed(rates))
    return failure();
  size_t count = rates->count;
  for (size_t i = 0; i < count; ++i) {
    Value x = rates->operand(0, i);
    mlir::Type element = g.elementOf(x);
    Value gradient = g.add(g.mul(x, norm), rates->operand(1, i));
    Value mean =
        g.add(g.mul(rates->operand(2, i), alpha), g.mul(gradient, 1 - alpha));
    Value square = g.add(g.mul(rates->operand(3, i), beta),
                         g.mul(g.mul(gradient, gradient), 1 - beta));
    Value root = g.add(g.make<SqrtOp>(square), epsilon);
    // Both running means start at zero; after the first step, correct this
    // bias.
    Value step = g.convert(rates->step, element);
    auto rest = [&](double decay) {
      return g.sub(g.scalar(element, 1),
                   g.make<PowerOp>(g.scalar(element, decay), step));
    };
    Value rate = g.convert(rates->rate, element);
    Value corrected =
        g.div(g.mul(rate, g.make<SqrtOp>(rest(beta))), rest(alpha));
    Value used = g.select(g.compare(CompareDirection::GT, rates->step, 0.0),
                          corrected, rate);
    Value next = g.sub(x, g.div(g.mul(used, mean), root));
    c.set(i, g.mul(next, 1 - normPost));
    c.set(count + i, mean);
    c.set(2 * count + i, square);
  }
  return success();
}

} // namespace

void registerTrainingOps(OpRegistry &r) {
  r.add("Adagrad", 1, Arity(3, kMany), Arity(1, kMany), adagrad, kDomain);
  r.add("Momentum", 1, Arity(3, kMany), Arity(1, kMany), momentum, kDomain);
  r.add("Adam", 1, Arity(3, kMany), Arity(1, kMany), adam, kDomain);
}

} // namespace tenon::onnx
