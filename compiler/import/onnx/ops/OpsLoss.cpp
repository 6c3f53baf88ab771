// Losses over classes. A mask over the classes selects one log probability for
// each target, which is then weighted and reduced.
#include "compiler/import/onnx/graph/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

/// The loss of `logs`, [N, C, d...], for the targets in operand 1, [N, d...],
/// with the class weights in operand 2.
LogicalResult negativeLogLikelihood(NodeContext &c, Value logs) {
  GraphBuilder &g = c.g;
  std::string reduction = c.stringAttr("reduction", "mean");
  bool ignores = c.hasAttr("ignore_index");
  int64_t ignored = ignores ? c.intAttr("ignore_index") : 0;
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return c.error("expected reduction none, sum or mean, got \"" + reduction +
                   "\"");
  if (failed(c.expectInteger(1)) || (c.hasInput(2) && failed(c.expectFloat(2))))
    return failure();
  int64_t rank = g.rankOf(logs);
  Sizes wanted = g.sizes(logs);
  Size classes = wanted[1];
  wanted.erase(wanted.begin() + 1);
  FailureOr<Value> given =
                       c.withSizes(1, wanted, "a target per row of classes"),
                   weight = Value();
  if (c.hasInput(2))
    weight = c.withSizes(2, classes, "a weight per class");
  if (failed(given) || failed(weight))
    return failure();
  Value target = *given;

  mlir::Type index = g.elementOf(target), element = g.elementOf(logs);
  Value keep;
  Value safe = target;
  if (ignores) {
    keep = g.compare(CompareDirection::NE, target, g.scalarInt(index, ignored));
    safe = g.select(keep, target, g.splatLike(target, 0));
  }
  Sizes targetSizes = g.sizes(safe);
  Value low = g.splatLike(safe, 0);
  Value high = g.broadcastTo(g.fromSize(g.size(logs, 1), index), targetSizes);
  safe = g.make<CheckRangeOp>(safe, low, high, g.ops.getStringAttr(c.site()));
  g.recordSizes(safe, targetSizes);
  Value chosen =
      g.compare(CompareDirection::EQ, g.iota(index, g.sizes(logs), 1),
                g.unsqueeze(safe, {1}));
  auto pick = [&](Value values) {
    return g.reduce(ReduceKind::Add,
                    g.select(chosen, values, g.scalar(element, 0)), {1}, false);
  };
  Value loss = g.make<NegateOp>(pick(logs));
  Value weights;
  if (*weight)
    weights = pick(
        g.unsqueeze(*weight, llvm::to_vector(llvm::seq<int64_t>(1, rank - 1))));
  if (keep && !weights)
    weights = g.convert(keep, element);
  else if (keep)
    weights = g.select(keep, weights, g.splatLike(weights, 0));
  if (keep)
    loss = g.select(keep, loss, g.splatLike(loss, 0));
  if (weights)
    loss = g.mul(loss, weights);
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
  if (reduction == "sum")
    loss = g.reduce(ReduceKind::Add, loss, all, false);
  else if (reduction == "mean" && !weights)
    loss = g.mean(loss, all, false);
  else if (reduction == "mean")
    loss = g.div(g.reduce(ReduceKind::Add, loss, all, false),
                 g.reduce(ReduceKind::Add, weights, all, false));
  c.set(0, loss);
  return success();
}

LogicalResult nllLoss(NodeContext &c) {
  if (failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 2)))
    return failure();
  return negativeLogLikelihood(c, c.input(0));
}

LogicalResult softmaxCrossEntropy(NodeContext &c) {
  Value x = c.input(0);
  if (failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 2)))
    return failure();
  Value logs =
      LogSoftmaxOp::create(c.g.ops, c.g.loc, x.getType(), x, uint64_t(1));
  c.g.recordSizes(logs, c.g.sizes(x));
  if (c.wants(1))
    c.set(1, logs);
  return negativeLogLikelihood(c, logs);
}

} // namespace

void registerLossOps(OpRegistry &r) {
  r.add("NegativeLogLikelihoodLoss", 12, Arity(2, 3), 1, nllLoss);
  r.add("SoftmaxCrossEntropyLoss", 12, Arity(2, 3), Arity(1, 2),
        softmaxCrossEntropy);
}

} // namespace tenon::onnx
