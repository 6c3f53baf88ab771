// Optimizer steps: a gradient and rates update a variable and the states of
// earlier gradients. A sparse step updates only the rows in its indices, by the
// same rule.
#include "compiler/import/tensorflow/ops/TfUpdates.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// The operands of a rule. The rule calls `set` for each variable that it
/// changes.
struct Step {
  NodeContext &c;
  GraphBuilder &g;
  SmallVector<Value> old;   ///< values of the variables, or of their rows
  Value gradient;           ///< gradient of the variables' shape
  SmallVector<Value> rates; ///< rank 0, in the order of the op's operands
  SmallVector<Value> made;  ///< new values; null if unchanged

  void set(size_t i, Value value) { made[i] = value; }
  /// 1 - rate.
  Value oneMinusRate(size_t i) {
    return g.sub(g.scalar(g.elementOf(gradient), 1), rates[i]);
  }
  Value square() { return g.mul(gradient, gradient); }
  /// old + (next - old) * share.
  Value towards(size_t i, Value next, Value share) {
    return g.add(old[i], g.mul(g.sub(next, old[i]), share));
  }
  void subtract(Value change) { set(0, g.sub(old[0], change)); }
};

using Rule = void (*)(Step &);

//===-- Rules -----------------------------------------------------------===//

/// Rates: rate.
void gradientDescent(Step &s) { s.subtract(s.g.mul(s.gradient, s.rates[0])); }

/// Rates: powers of beta1 and beta2, rate, beta1, beta2, epsilon. AMSGrad uses
/// the greatest mean square so far.
template <bool amsgrad> void adam(Step &s) {
  GraphBuilder &g = s.g;
  bool nesterov = s.c.boolAttr("use_nesterov", false);
  Value rate = g.div(g.mul(s.rates[2], g.make<SqrtOp>(s.oneMinusRate(1))),
                     s.oneMinusRate(0));
  Value mean = s.towards(1, s.gradient, s.oneMinusRate(3));
  Value square = s.towards(2, s.square(), s.oneMinusRate(4));
  s.set(1, mean);
  s.set(2, square);
  if (amsgrad) {
    square = g.maximum(s.old[3], square);
    s.set(3, square);
  }
  if (nesterov)
    mean = g.add(g.mul(s.gradient, s.oneMinusRate(3)), g.mul(mean, s.rates[3]));
  s.subtract(
      g.div(g.mul(mean, rate), g.add(g.make<SqrtOp>(square), s.rates[5])));
}

/// Rates: power of beta1, rate, beta1, beta2, epsilon.
void adaMax(Step &s) {
  GraphBuilder &g = s.g;
  Value mean = s.towards(1, s.gradient, s.oneMinusRate(2));
  Value norm =
      g.maximum(g.mul(s.old[2], s.rates[3]), g.make<AbsOp>(s.gradient));
  s.set(1, mean);
  s.set(2, norm);
  s.subtract(g.mul(g.div(s.rates[1], s.oneMinusRate(0)),
                   g.div(mean, g.add(norm, s.rates[4]))));
}

/// Rates: rate, momentum.
void momentum(Step &s) {
  GraphBuilder &g = s.g;
  Value sum = g.add(g.mul(s.old[1], s.rates[1]), s.gradient);
  s.set(1, sum);
  if (s.c.boolAttr("use_nesterov", false))
    sum = g.add(s.gradient, g.mul(sum, s.rates[1]));
  s.subtract(g.mul(sum, s.rates[0]));
}

/// Rates: rate, momentum. The state is a sum of steps, not of gradients.
void kerasMomentum(Step &s) {
  GraphBuilder &g = s.g;
  Value step = g.mul(s.gradient, s.rates[0]);
  Value sum = g.sub(g.mul(s.old[1], s.rates[1]), step);
  s.set(1, sum);
  if (s.c.boolAttr("use_nesterov", false))
    sum = g.sub(g.mul(sum, s.rates[1]), step);
  s.set(0, g.add(s.old[0], sum));
}

/// Rates: rate, decay, momentum, epsilon. Centered: divides by the variance,
/// for which it also keeps the mean.
template <bool centered> void rmsProp(Step &s) {
  GraphBuilder &g = s.g;
  constexpr size_t squares = centered ? 2 : 1, sums = squares + 1;
  Value square = s.towards(squares, s.square(), s.oneMinusRate(1)),
        spread = square;
  s.set(squares, square);
  if (centered) {
    Value mean = s.towards(1, s.gradient, s.oneMinusRate(1));
    s.set(1, mean);
    spread = g.sub(square, g.mul(mean, mean));
  }
  Value step = g.div(g.mul(s.gradient, s.rates[0]),
                     g.make<SqrtOp>(g.add(spread, s.rates[3])));
  Value sum = g.add(g.mul(s.old[sums], s.rates[2]), step);
  s.set(sums, sum);
  s.subtract(sum);
}

/// Rates: rate, and for the second version epsilon.
template <bool second> void adagrad(Step &s) {
  GraphBuilder &g = s.g;
  Value total = s.old[1];
  if (s.c.boolAttr("update_slots", true)) {
    total = g.add(total, s.square());
    s.set(1, total);
  }
  Value root = g.make<SqrtOp>(total);
  if (second)
    root = g.add(root, s.rates[1]);
  s.subtract(g.div(g.mul(s.gradient, s.rates[0]), root));
}

/// Rates: rate, decay, epsilon.
void adadelta(Step &s) {
  GraphBuilder &g = s.g;
  auto decayed = [&](size_t i, Value square) {
    return g.add(g.mul(s.old[i], s.rates[1]), g.mul(square, s.oneMinusRate(1)));
  };
  Value total = decayed(1, s.square());
  Value step = g.mul(g.make<SqrtOp>(g.div(g.add(s.old[2], s.rates[2]),
                                          g.add(total, s.rates[2]))),
                     s.gradient);
  s.set(1, total);
  s.set(2, decayed(2, g.mul(step, step)));
  s.subtract(g.mul(step, s.rates[0]));
}

/// Rates: rate, l1, l2, for the second version the l2 shrinkage, and the power
/// of the rate.
template <bool second> void ftrl(Step &s) {
  GraphBuilder &g = s.g;
  Value rate = s.rates[0], l1 = s.rates[1], l2 = s.rates[2],
        power = g.make<NegateOp>(s.rates[second ? 4 : 3]);
  Value gradient = s.gradient;
  if (second)
    gradient = g.add(gradient, g.mul(g.mul(s.rates[3], 2.0), s.old[0]));
  Value total = g.add(s.old[1], s.square());
  Value after = g.binary<PowerOp>(total, power),
        before = g.binary<PowerOp>(s.old[1], power);
  Value linear = g.sub(g.add(s.old[2], gradient),
                       g.mul(g.div(g.sub(after, before), rate), s.old[0]));
  Value slope = g.add(g.div(after, rate), g.mul(l2, 2.0));
  Value shrunk = g.div(g.sub(g.mul(g.make<SignOp>(linear), l1), linear), slope);
  Value kept = g.compare(CompareDirection::GT, g.make<AbsOp>(linear), l1);
  s.set(0, g.select(kept, shrunk, g.splatLike(shrunk, 0)));
  s.set(1, total);
  s.set(2, linear);
}

//===-- Dense and sparse ------------------------------------------------===//

/// Checks at run time that each row is named once. TensorFlow would apply
/// repeated rows one after another; its optimizers sum the gradients of a row
/// first.
Value namedOnce(NodeContext &c, Value at, Size rows) {
  GraphBuilder &g = c.g;
  Value counts = scatterRows(g, ScatterKind::Add, g.splat(g.i64(), {rows}, 0),
                             at, g.splatLike(at, 1));
  Value times = g.take(counts, at, 0);
  times = g.make<CheckRangeOp>(
      times, g.splatLike(times, 1), g.splatLike(times, 2),
      g.ops.getStringAttr(c.site() + ": how often a row is named"));
  return g.add(at, g.sub(times, 1.0));
}

/// Imports a step. The operands are `variables` variables, the rates with the
/// gradient before rate number `gradientAt`, and the indices if the step is
/// sparse.
template <Rule rule, size_t variables, size_t gradientAt, bool sparse>
LogicalResult apply(NodeContext &c) {
  GraphBuilder &g = c.g;
  constexpr size_t gradient = variables + gradientAt;
  for (size_t i = variables; i < c.numInputs(); ++i)
    if (failed(c.expectTensor(i)))
      return failure();
  SmallVector<const Node *> changed;
  SmallVector<Value> whole;
  for (size_t i = 0; i < variables; ++i) {
    changed.push_back(variableOf(c, i));
    if (!changed.back())
      return failure();
    whole.push_back(c.importer.variable(*changed.back()));
    if (!whole.back())
      return failure();
  }
  if (failed(c.expectFloat(gradient)))
    return failure();
  Step step{c, g, whole, c.input(gradient), {}, {}};
  Value at;
  if (sparse) {
    for (Value value : whole)
      if (g.shapeOf(value) != g.shapeOf(whole.front()))
        return c.error("expected variables of one shape, got " +
                       textOf(whole.front()) + " and " + textOf(value));
    if (failed(c.expectRank(gradient + 1, 1)))
      return failure();
    FailureOr<Value> rows = rowsOf(c, gradient + 1, whole.front());
    if (failed(rows))
      return failure();
    at = namedOnce(c, *rows, g.size(whole.front(), 0));
    for (Value &value : step.old)
      value = g.take(value, at, 0);
  }
  SmallVector<Value> alike(step.old);
  alike.push_back(step.gradient);
  for (Value value : alike)
    if (g.elementOf(value) != g.elementOf(step.gradient))
      return c.error("expected operands of one element type, got " +
                     textOf(value) + " and " + textOf(step.gradient));
  if (failed(c.expectOneShape(alike)))
    return failure();
  step.gradient = alike.pop_back_val();
  step.old = alike;
  for (size_t i = variables; i < c.numInputs(); ++i) {
    if (i == gradient || (sparse && i == gradient + 1))
      continue;
    if (failed(c.expectRank(i, 0)) ||
        failed(c.expectSameElements({gradient, i})))
      return failure();
    step.rates.push_back(c.input(i));
  }
  step.made.resize(variables);
  rule(step);
  for (size_t i = 0; i < variables; ++i) {
    Value value = step.made[i];
    if (value && sparse)
      value = scatterRows(g, ScatterKind::Set, whole[i], at, value);
    if (value && failed(writeVariable(c, changed[i], value)))
      return failure();
  }
  return success();
}

/// Registers an optimizer, which both TensorFlow 2 and TensorFlow 1 have under
/// this name, with `variables` variables and `rates` rates. `hasSparse` adds
/// its sparse steps.
template <Rule rule, size_t variables, size_t gradientAt>
void add(OpRegistry &r, const std::string &name, size_t rates, bool hasSparse) {
  for (const char *family : {"Resource", ""}) {
    std::string prefix = family;
    r.add(prefix + "Apply" + name, variables + rates + 1,
          apply<rule, variables, gradientAt, false>)
        .references = variables;
    if (hasSparse)
      r.add(prefix + "SparseApply" + name, variables + rates + 2,
            apply<rule, variables, gradientAt, true>)
          .references = variables;
  }
}

} // namespace

void registerOptimizerOps(OpRegistry &r) {
  add<gradientDescent, 1, 1>(r, "GradientDescent", 1, false);
  add<adam<false>, 3, 6>(r, "Adam", 6, false);
  add<adam<true>, 4, 6>(r, "AdamWithAmsgrad", 6, false);
  add<adaMax, 3, 5>(r, "AdaMax", 5, false);
  add<momentum, 2, 1>(r, "Momentum", 2, true);
  add<kerasMomentum, 2, 1>(r, "KerasMomentum", 2, true);
  add<rmsProp<false>, 3, 4>(r, "RMSProp", 4, true);
  add<rmsProp<true>, 4, 4>(r, "CenteredRMSProp", 4, true);
  add<adagrad<false>, 2, 1>(r, "Adagrad", 1, true);
  add<adagrad<true>, 2, 2>(r, "AdagradV2", 2, true);
  add<adadelta, 3, 3>(r, "Adadelta", 3, true);
  add<ftrl<false>, 3, 0>(r, "Ftrl", 4, true);
  add<ftrl<true>, 3, 0>(r, "FtrlV2", 5, true);
}

} // namespace tenon::tf
