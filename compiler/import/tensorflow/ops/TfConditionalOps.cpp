// Switch and Merge outside of frames: each Merge becomes a branch on its
// condition. The nodes of a side are imported inside the branch, and the nodes
// that they use from outside before it.
#include "compiler/import/tensorflow/graph/TfBranches.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tenon::tf {

constexpr size_t maxNesting = 64;

std::optional<bool> GraphImporter::sideOf(const Node &fork) const {
  const Frame &frame = *frames.back();
  auto found = frame.taken.find(conditionName(frame.body, fork));
  return found == frame.taken.end() ? std::nullopt
                                    : std::optional(found->second);
}

const Conditional *GraphImporter::conditionalOf(const Frame &frame,
                                                const Node &merge) {
  auto [found, isNew] = conditionals.try_emplace(&merge);
  if (isNew) {
    std::shared_ptr<ConditionFinder> &finder = conditions[&frame.body];
    if (!finder) {
      std::set<std::pair<std::string, int64_t>> given;
      for (const auto &[tensor, result] : frame.fed)
        given.insert(tensor);
      finder = std::make_shared<ConditionFinder>(
          frame.body, [given](const Edge &edge) {
            return given.count({edge.node, edge.index}) != 0;
          });
    }
    found->second = finder->find(merge);
  }
  return found->second ? &*found->second : nullptr;
}

bool GraphImporter::importMerge(Frame &frame, const Node &merge) {
  frame.done[&merge] = {};
  const Conditional *conditional = conditionalOf(frame, merge);
  if (!conditional) {
    unsupported(merge, "operands that are not the two sides of one condition");
    return true;
  }
  std::optional<Result> condition =
      resultOf(frame, conditional->condition, &merge);
  if (!condition)
    return false;
  if (condition->kind != Result::Kind::Tensor)
    return true;
  if (frames.size() > maxNesting) {
    error(placeIn(merge),
          "expected conditionals at most " + std::to_string(maxNesting) +
              " deep, got more",
          Status::Limit);
    return false;
  }
  g.loc = FusedLoc::get(
      {NameLoc::get(StringAttr::get(&context, frame.prefix + merge.name))},
      StringAttr::get(&context, merge.op), &context);
  Location loc = g.loc;
  // Imports a side: its value, and the number of the Merge's operand for it.
  auto side = [&](bool value) -> FailureOr<Results> {
    Frame branch = frame;
    branch.done.erase(&merge);
    branch.taken[conditional->name] = value;
    frames.push_back(&branch);
    llvm::scope_exit leave([&] { frames.pop_back(); });
    size_t operand = conditional->inputs[value];
    const Edge &edge = merge.inputs[operand];
    FailureOr<const Node *> producer = producerOf(branch, edge, &merge);
    if (failed(producer) || (*producer && !evaluate(branch, **producer)))
      return failure();
    std::optional<Result> result = resultOf(branch, edge, &merge);
    if (!result)
      return failure();
    g.loc = loc;
    return Results{*result, Result::tensor(g.scalarInt(g.ops.getI32Type(),
                                                       int64_t(operand)))};
  };
  NodeContext c(*this, merge, {});
  FailureOr<Results> results = failure();
  if (auto known = shapes.constants(condition->value);
      known && known->size() == 1) {
    results = side(known->front() != 0);
  } else {
    FailureOr<Value> flag = truth(c, condition->value);
    if (succeeded(flag))
      results = importBranches(c, *flag, side);
  }
  if (hasErrors())
    return false;
  if (succeeded(results))
    frame.done[&merge] = *results;
  return true;
}

namespace {

/// Supported only inside a side that is being imported, or if the condition is
/// constant.
LogicalResult forkOp(NodeContext &c) {
  std::optional<bool> side = c.importer.sideOf(c.node);
  if (!side && c.operand(1).kind == Result::Kind::Tensor)
    if (auto known = c.shapes.constants(c.input(1));
        known && known->size() == 1)
      side = known->front() != 0;
  if (!side)
    return c.unsupported("a side that meets no other in a Merge");
  c.set(0, Result());
  c.set(*side ? 1 : 0, c.operand(0));
  return success();
}

} // namespace

void registerConditionalOps(OpRegistry &r) {
  for (const char *op : {"Switch", "RefSwitch"})
    r.add(op, 2, forkOp, {"output_false", "output_true"});
  // The importer handles a Merge before its operands, so a Merge that gets here
  // is no conditional.
  for (const char *op : {"Merge", "RefMerge"})
    r.add(op, 1, kMany,
          [](NodeContext &c) {
            return c.unsupported("a Merge that is no conditional");
          },
          {"output", "value_index"});
}

} // namespace tenon::tf
