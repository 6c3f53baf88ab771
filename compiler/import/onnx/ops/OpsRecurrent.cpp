// RNN, GRU and LSTM. One product computes the inputs' part of all gates for all
// steps. A loop over time then carries the state and the result as tensors.
#include "compiler/import/graph/Branches.h"
#include "compiler/import/graph/Formulas.h"
#include "compiler/import/onnx/graph/NodeContext.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

struct GateActivation {
  std::string name;
  double alpha = 0, beta = 0;
};

Value apply(GraphBuilder &g, const GateActivation &f, Value x) {
  if (f.name == "sigmoid")
    return g.make<LogisticOp>(x);
  if (f.name == "tanh")
    return g.make<TanhOp>(x);
  if (f.name == "relu")
    return relu(g, x);
  if (f.name == "affine")
    return g.add(g.mul(x, f.alpha), f.beta);
  if (f.name == "leakyrelu")
    return leakyRelu(g, x, f.alpha);
  if (f.name == "thresholdedrelu")
    return thresholdedRelu(g, x, f.alpha);
  if (f.name == "scaledtanh")
    return g.mul(g.make<TanhOp>(g.mul(x, f.beta)), f.alpha);
  if (f.name == "hardsigmoid")
    return hardSigmoid(g, x, f.alpha, f.beta);
  if (f.name == "elu")
    return elu(g, x, f.alpha);
  if (f.name == "softsign")
    return softsign(g, x);
  assert(f.name == "softplus" && "names are checked when they are read");
  return softplus(g, x);
}

/// Reads the activations of all directions, `perDirection` each. Activations
/// with parameters take the next values of alphas and betas in order.
LogicalResult readActivations(NodeContext &c, int64_t directions,
                              ArrayRef<StringRef> defaults,
                              std::vector<GateActivation> &list) {
  std::vector<std::string> names = c.stringsAttr("activations");
  size_t count = directions * defaults.size();
  if (names.empty())
    for (size_t i = 0; i < count; ++i)
      names.push_back(defaults[i % defaults.size()].str());
  if (names.size() != count)
    return c.error("expected " + Twine(count) + " activations, got " +
                   Twine(names.size()));
  SmallVector<double> alphas = c.floatsAttr("activation_alpha");
  SmallVector<double> betas = c.floatsAttr("activation_beta");
  struct Known {
    bool alpha, beta;
    double alphaDefault, betaDefault;
  };
  static const llvm::StringMap<Known> known = {
      {"sigmoid", {false, false, 0, 0}},
      {"tanh", {false, false, 0, 0}},
      {"relu", {false, false, 0, 0}},
      {"softsign", {false, false, 0, 0}},
      {"softplus", {false, false, 0, 0}},
      {"affine", {true, true, 1, 0}},
      {"leakyrelu", {true, false, 0.01f, 0}},
      {"thresholdedrelu", {true, false, 1, 0}},
      {"scaledtanh", {true, true, 1, 1}},
      {"hardsigmoid", {true, true, 0.2f, 0.5}},
      {"elu", {true, false, 1, 0}}};
  size_t nextAlpha = 0, nextBeta = 0;
  for (const std::string &name : names) {
    std::string lower = StringRef(name).lower();
    auto found = known.find(lower);
    if (found == known.end())
      return c.error("expected an activation of the ONNX specification, got "
                     "\"" +
                     name + "\"");
    GateActivation f{lower, found->second.alphaDefault,
                     found->second.betaDefault};
    if (found->second.alpha && nextAlpha < alphas.size())
      f.alpha = alphas[nextAlpha++];
    if (found->second.beta && nextBeta < betas.size())
      f.beta = betas[nextBeta++];
    list.push_back(f);
  }
  return success();
}

/// The operands and attributes that the three nodes share; extents are checked.
struct Network {
  explicit Network(GraphBuilder &g) : g(g) {}

  GraphBuilder &g;
  int64_t gates = 1, directions = 1;
  bool backward = false; ///< the only direction runs from the end
  std::optional<double> clip;
  bool linearBeforeReset = false, inputForget = false;
  std::vector<GateActivation> activations;
  int64_t activationsPerDirection = 1;
  Value x, w, r, b, lengths, initialH, initialC, peepholes;
  Size time, batch, hidden;
  mlir::Type element;

  Value limited(Value v) const { return clip ? g.clamp(v, -*clip, *clip) : v; }
};

/// The operands of one direction.
struct Direction {
  const Network &net;
  Value r;             ///< [gates * hidden, hidden]
  Value recurrentBias; ///< [gates * hidden] or null
  Value peepholes;     ///< [3 * hidden] or null
  ArrayRef<GateActivation> f;

  Value gate(Value all, int64_t i) const {
    GraphBuilder &g = net.g;
    return g.sliceDim(all, g.rankOf(all) - 1, g.mul(g.index(i), net.hidden),
                      net.hidden);
  }
  Value act(size_t i, Value v) const {
    return apply(net.g, f[i], net.limited(v));
  }
  /// h times the transposed rows of R for `count` gates from gate `first` on.
  Value recurrent(Value h, int64_t first, int64_t count) const {
    GraphBuilder &g = net.g;
    Value rows = g.sliceDim(r, 0, g.mul(g.index(first), net.hidden),
                            g.mul(g.index(count), net.hidden));
    return g.dotGeneral(h, rows, {}, {}, {1}, {1});
  }
};

struct State {
  Value h, c;
};

State rnnStep(const Direction &d, Value x, State s) {
  GraphBuilder &g = d.net.g;
  Value sum = g.add(x, d.recurrent(s.h, 0, 1));
  if (d.recurrentBias)
    sum = g.add(sum, d.recurrentBias);
  return {d.act(0, sum), {}};
}

State gruStep(const Direction &d, Value x, State s) {
  GraphBuilder &g = d.net.g;
  auto biased = [&](Value v, int64_t gate) {
    return d.recurrentBias ? g.add(v, d.gate(d.recurrentBias, gate)) : v;
  };
  Value both = d.recurrent(s.h, 0, 2);
  Value z = d.act(0, biased(g.add(d.gate(x, 0), d.gate(both, 0)), 0));
  Value r = d.act(0, biased(g.add(d.gate(x, 1), d.gate(both, 1)), 1));
  Value inner = d.net.linearBeforeReset
                    ? g.mul(r, biased(d.recurrent(s.h, 2, 1), 2))
                    : biased(d.recurrent(g.mul(r, s.h), 2, 1), 2);
  Value candidate = d.act(1, g.add(d.gate(x, 2), inner));
  Value rest = g.sub(g.splatLike(z, 1), z);
  return {g.add(g.mul(rest, candidate), g.mul(z, s.h)), {}};
}

State lstmStep(const Direction &d, Value x, State s) {
  GraphBuilder &g = d.net.g;
  Value all = g.add(x, d.recurrent(s.h, 0, 4));
  if (d.recurrentBias)
    all = g.add(all, d.recurrentBias);
  auto seen = [&](int64_t gate, Value cell, int64_t peephole) {
    Value v = d.gate(all, gate);
    return d.peepholes ? g.add(v, g.mul(d.gate(d.peepholes, peephole), cell))
                       : v;
  };
  // The order of gates is input, output, forget, cell; that of peepholes is
  // input, output, forget.
  Value i = d.act(0, seen(0, s.c, 0));
  Value f = d.net.inputForget ? g.sub(g.splatLike(i, 1), i)
                              : d.act(0, seen(2, s.c, 2));
  Value cell = d.act(1, d.gate(all, 3));
  Value c = g.add(g.mul(f, s.c), g.mul(i, cell));
  Value o = d.act(0, seen(1, c, 1));
  return {g.mul(o, apply(g, d.f[2], c)), c};
}

using Step = State (*)(const Direction &, Value, State);

struct Ran {
  Value all; ///< [time, batch, hidden]
  State last;
};

/// Runs the steps through time from one end. A step after the end of a sequence
/// does not change the sequence's state, and its output is zero.
Ran run(const Direction &d, Value gatesOfInput, State start, bool backward,
        Step step) {
  const Network &net = d.net;
  GraphBuilder &g = net.g;
  Sizes allSizes{net.time, net.batch, net.hidden};
  Sizes stateSizes{net.batch, net.hidden};
  bool hasCell = bool(start.c);
  SmallVector<Value> inits{g.splat(net.element, allSizes, 0), start.h};
  if (hasCell)
    inits.push_back(start.c);
  Size steps = stepsOver(g, net.time, {allSizes, stateSizes});
  auto loop =
      scf::ForOp::create(g.ops, g.loc, g.indexValue(g.index(0)),
                         g.indexValue(steps), g.indexValue(g.index(1)), inits);
  auto record = [&](ValueRange values) {
    g.recordSizes(values[0], allSizes);
    for (Value state : values.drop_front())
      g.recordSizes(state, stateSizes);
  };
  {
    OpBuilder::InsertionGuard guard(g.ops);
    g.ops.setInsertionPointToStart(loop.getBody());
    record(loop.getRegionIterArgs());
    Size at = OpFoldResult(loop.getInductionVar());
    if (backward)
      at = g.sub(g.sub(net.time, g.index(1)), at);
    Value all = loop.getRegionIterArg(0);
    State before{loop.getRegionIterArg(1),
                 hasCell ? loop.getRegionIterArg(2) : Value()};
    Value x = g.squeeze(g.sliceDim(gatesOfInput, 0, at, g.index(1)), {0});
    State after = step(d, x, before);
    Value shown = after.h;
    if (net.lengths) {
      Value now = g.fromSize(at, g.elementOf(net.lengths));
      Value runs =
          g.unsqueeze(g.compare(CompareDirection::GT, net.lengths, now), {1});
      shown = g.select(runs, after.h, g.splatLike(after.h, 0));
      after.h = g.select(runs, after.h, before.h);
      if (hasCell)
        after.c = g.select(runs, after.c, before.c);
    }
    all = g.dynamicUpdateSlice(all, g.unsqueeze(shown, {0}),
                               {at, g.index(0), g.index(0)});
    SmallVector<Value> yielded{all, after.h};
    if (hasCell)
      yielded.push_back(after.c);
    scf::YieldOp::create(g.ops, g.loc, yielded);
  }
  record(loop.getResults());
  return {loop.getResult(0),
          {loop.getResult(1), hasCell ? loop.getResult(2) : Value()}};
}

/// Swaps the first two dimensions if the layout is batch-first; a null value
/// stays.
Value swapLayout(GraphBuilder &g, Value v, bool batchFirst) {
  return v && batchFirst ? g.swapDims(v, 0, 1) : v;
}

LogicalResult readNetwork(NodeContext &c, Network &net,
                          ArrayRef<StringRef> defaults, bool batchFirst) {
  GraphBuilder &g = c.g;
  std::string direction = c.stringAttr("direction", "forward");
  net.backward = direction == "reverse";
  net.directions = direction == "bidirectional" ? 2 : 1;
  if (net.directions == 1 && direction != "forward" && !net.backward)
    return c.error("expected direction forward, reverse or bidirectional, got "
                   "\"" +
                   direction + "\"");
  if (c.hasAttr("clip"))
    net.clip = c.floatAttr("clip");
  net.activationsPerDirection = defaults.size();
  c.ignoreAttrs({"output_sequence"});
  if (failed(readActivations(c, net.directions, defaults, net.activations)) ||
      failed(c.expectFloat(0)) ||
      (c.hasInput(4) && failed(c.expectInteger(4))) ||
      failed(c.expectRank(0, 3)) || failed(c.expectRank(1, 3)) ||
      failed(c.expectRank(2, 3)) ||
      failed(c.expectSameElements({0, 1, 2, 3, 5, 6, 7})))
    return failure();
  net.element = g.elementOf(c.input(0));
  Sizes x = g.sizes(c.input(0));
  Size &batch = x[batchFirst ? 0 : 1];
  // If one operand's batch extent is static, use it for all operands; the run
  // checks the others.
  for (auto [i, dim] : {std::pair(4, 0), {5, !batchFirst}, {6, !batchFirst}})
    if (Value operand = c.input(i); operand && dim < g.rankOf(operand))
      if (Size size = g.size(operand, dim);
          !g.staticSize(batch) && g.staticSize(size))
        batch = size;
  net.batch = batch;
  net.time = x[batchFirst ? 1 : 0];
  Size d = g.index(net.directions), hidden = net.hidden = g.size(c.input(2), 2);
  if (std::optional<int64_t> known = g.staticSize(hidden);
      known && c.hasAttr("hidden_size") && c.intAttr("hidden_size") != *known)
    return c.error("expected hidden_size to be the last extent of R, got " +
                   Twine(c.intAttr("hidden_size")) + " and " + Twine(*known));
  auto times = [&](int64_t n) { return g.mul(g.index(n), hidden); };
  Sizes state{d, net.batch, hidden};
  if (batchFirst)
    std::swap(state[0], state[1]);
  bool fits = true;
  auto read = [&](size_t i, ArrayRef<Size> sizes, StringRef what) -> Value {
    FailureOr<Value> value = Value();
    if (fits && c.hasInput(i))
      value = c.withSizes(i, sizes, what);
    fits &= succeeded(value);
    return fits ? *value : Value();
  };
  Size rows = times(net.gates);
  net.x = swapLayout(g, read(0, x, "X"), batchFirst);
  net.w = read(1, {d, rows, x[2]}, "W");
  net.r = read(2, {d, rows, hidden}, "R");
  net.b = read(3, {d, times(2 * net.gates)}, "B");
  net.lengths = read(4, net.batch, "sequence_lens");
  net.initialH = swapLayout(g, read(5, state, "initial_h"), batchFirst);
  net.initialC = swapLayout(g, read(6, state, "initial_c"), batchFirst);
  net.peepholes = read(7, {d, times(3)}, "P");
  return success(fits);
}

LogicalResult recurrent(NodeContext &c, Network &net,
                        ArrayRef<StringRef> defaults, bool hasCell, Step step) {
  GraphBuilder &g = c.g;
  bool batchFirst = c.intAttr("layout", 0) != 0;
  if (failed(readNetwork(c, net, defaults, batchFirst)))
    return failure();
  SmallVector<Value> all, lastH, lastC;
  for (int64_t i = 0; i < net.directions; ++i) {
    auto own = [&](Value v) {
      return v ? g.squeeze(g.sliceDim(v, 0, g.index(i), g.index(1)), {0})
               : Value();
    };
    auto start = [&](Value given) {
      return given ? own(given)
                   : g.splat(net.element, {net.batch, net.hidden}, 0);
    };
    Value gates = g.dotGeneral(net.x, own(net.w), {}, {}, {2}, {1});
    Value recurrentBias;
    if (Value b = own(net.b)) {
      Size half = g.mul(g.index(net.gates), net.hidden);
      gates = g.add(gates, g.sliceDim(b, 0, g.index(0), half));
      recurrentBias = g.sliceDim(b, 0, half, half);
    }
    Direction d{net, own(net.r), recurrentBias, own(net.peepholes),
                ArrayRef(net.activations)
                    .slice(i * net.activationsPerDirection,
                           net.activationsPerDirection)};
    State first{start(net.initialH), hasCell ? start(net.initialC) : Value()};
    Ran ran = run(d, gates, first, net.backward || i == 1, step);
    all.push_back(g.unsqueeze(ran.all, {1}));
    lastH.push_back(g.unsqueeze(ran.last.h, {0}));
    if (hasCell)
      lastC.push_back(g.unsqueeze(ran.last.c, {0}));
  }
  if (c.wants(0)) {
    Value y = g.concat(all, 1); // [time, direction, batch, hidden]
    c.set(0, batchFirst ? g.transpose(y, {2, 0, 1, 3}) : y);
  }
  if (c.wants(1))
    c.set(1, swapLayout(g, g.concat(lastH, 0), batchFirst));
  if (c.wants(2))
    c.set(2, swapLayout(g, g.concat(lastC, 0), batchFirst));
  return success();
}

LogicalResult rnn(NodeContext &c) {
  Network net(c.g);
  return recurrent(c, net, {"Tanh"}, false, rnnStep);
}

LogicalResult gru(NodeContext &c) {
  Network net(c.g);
  net.gates = 3;
  net.linearBeforeReset = c.intAttr("linear_before_reset", 0) != 0;
  return recurrent(c, net, {"Sigmoid", "Tanh"}, false, gruStep);
}

LogicalResult lstm(NodeContext &c) {
  Network net(c.g);
  net.gates = 4;
  net.inputForget = c.intAttr("input_forget", 0) != 0;
  return recurrent(c, net, {"Sigmoid", "Tanh", "Tanh"}, true, lstmStep);
}

} // namespace

void registerRecurrentOps(OpRegistry &r) {
  r.add("RNN", 1, Arity(3, 6), Arity(0, 2), rnn);
  r.add("GRU", 1, Arity(3, 6), Arity(0, 2), gru);
  r.add("LSTM", 1, Arity(3, 8), Arity(0, 3), lstm);
}

} // namespace tenon::onnx
