// Finds the rank that a graph expects of a value that has not been imported
// yet: from declarations, and from users that accept only one rank.
#include "compiler/import/onnx/graph/GraphImporter.h"

using namespace mlir;

namespace tenon::onnx {

/// True if the result has the rank of the node's only operand.
static bool keepsRank(const Node &node) {
  static const llvm::StringSet<> ops = {"Cast", "Floor", "Identity",
                                        "Neg",  "Relu",  "Sigmoid"};
  return node.domain.empty() && ops.contains(node.opType);
}

std::optional<int64_t> GraphImporter::rankFor(const Node &user,
                                              size_t operand) const {
  if (!user.domain.empty())
    return std::nullopt;
  StringRef op = user.opType;
  if (op == "NonMaxSuppression" && operand < 2)
    return 3;
  if (op == "RoiAlign")
    return operand == 0 ? 4 : operand == 1 ? 2 : 1;
  if (op == "Gemm" && operand < 2)
    return 2;
  if (op == "Transpose")
    if (const auto *order = user.get<std::vector<int64_t>>("perm"))
      return order->size();
  // All operands of Concat have one rank, so take that of an operand already
  // imported.
  if (op == "Concat")
    for (const std::string &other : user.inputs)
      if (std::optional<Bound> found = lookup(other);
          found && found->value && found->isUsable)
        return GraphBuilder::rankOf(found->value);
  return std::nullopt;
}

std::optional<int64_t> GraphImporter::expectedRank(StringRef name) const {
  SmallVector<StringRef> pending = {name};
  for (size_t i = 0; i < pending.size(); ++i) {
    if (graphAround)
      for (const auto *infos : {&graphAround->valueInfo, &graphAround->outputs})
        for (const ValueInfo &info : *infos)
          if (info.name == pending[i] && info.type.shape)
            return info.type.shape->size();
    for (const Node &user : nodesAround)
      for (auto [operand, input] : llvm::enumerate(user.inputs)) {
        if (input != pending[i])
          continue;
        if (std::optional<int64_t> rank = rankFor(user, operand))
          return rank;
        if (keepsRank(user) && user.outputs.size() == 1)
          pending.push_back(user.outputs.front());
      }
  }
  return std::nullopt;
}

} // namespace tenon::onnx
