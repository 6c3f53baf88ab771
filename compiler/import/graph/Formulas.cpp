// Functions composed of elementwise primitives.
#include "compiler/import/graph/Formulas.h"

using namespace mlir;

namespace tenon {

Value relu(GraphBuilder &g, Value x) { return g.maximum(x, 0.0); }

Value leakyRelu(GraphBuilder &g, Value x, double alpha) {
  return g.select(g.compare(CompareDirection::LT, x, 0.0), g.mul(x, alpha), x);
}

Value thresholdedRelu(GraphBuilder &g, Value x, double alpha) {
  return g.select(g.compare(CompareDirection::GT, x, alpha), x,
                  g.splatLike(x, 0));
}

Value elu(GraphBuilder &g, Value x, double alpha) {
  return g.select(g.compare(CompareDirection::LT, x, 0.0),
                  g.mul(g.make<Expm1Op>(x), alpha), x);
}

Value hardSigmoid(GraphBuilder &g, Value x, double alpha, double beta) {
  return g.clamp(g.add(g.mul(x, alpha), beta), 0, 1);
}

Value softplus(GraphBuilder &g, Value x) {
  // max(x, 0) + log(1 + e^-|x|), because log(1 + e^x) overflows for great x.
  Value tail =
      g.make<Log1pOp>(g.make<ExpOp>(g.make<NegateOp>(g.make<AbsOp>(x))));
  return g.add(g.maximum(x, 0.0), tail);
}

Value softsign(GraphBuilder &g, Value x) {
  return g.div(x, g.add(g.make<AbsOp>(x), 1.0));
}

Value reciprocal(GraphBuilder &g, Value x) {
  return g.div(g.splatLike(x, 1), x);
}

Value withSignOf(GraphBuilder &g, Value rest, Value divisor) {
  Value differs = g.make<XorOp>(g.compare(CompareDirection::LT, rest, 0.0),
                                g.compare(CompareDirection::LT, divisor, 0.0));
  Value wrong =
      g.make<AndOp>(differs, g.compare(CompareDirection::NE, rest, 0.0));
  return g.select(wrong, g.add(rest, divisor), rest);
}

} // namespace tenon
