// The effects of a node follow from the name of its op and from the bodies of
// the functions that it calls.
#include "compiler/import/tensorflow/graph/TfEffects.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"

namespace tenon::tf {

/// True for ops that have an effect outside the model: they access files,
/// screens or the network, or run foreign code.
static bool hasSideEffects(llvm::StringRef op) {
  static const char *const ops[] = {
      "EagerPyFunc",     "PrintV2",           "PyFunc",
      "PyFuncStateless", "SaveSlices",        "SaveV2",
      "RestoreV2",       "ShardedFilename",   "Save",
      "WriteFile",       "MergeV2Checkpoints"};
  return llvm::is_contained(ops, op) || op.starts_with("Send") ||
         op.ends_with("Send") || op.starts_with("Shutdown") ||
         op.starts_with("Write");
}

static bool changesState(llvm::StringRef op) {
  return hasSideEffects(op) || op.starts_with("Assign") ||
         op.starts_with("ResourceApply") ||
         op.starts_with("ResourceSparseApply") ||
         op.starts_with("ResourceScatter") || op.starts_with("Apply") ||
         op.starts_with("SparseApply") ||
         (op.starts_with("Scatter") && op != "ScatterNd") ||
         op.starts_with("LookupTableInsert") ||
         op.starts_with("LookupTableImport");
}

/// True for variables of TensorFlow 1: any op can read them by taking them as
/// an operand.
static bool isReference(const Node &node) {
  return node.op == "VariableV2" || node.op == "Variable";
}

llvm::SmallVector<const Function *> Effects::callees(const Node &node) const {
  llvm::SmallVector<const Function *> found;
  auto add = [&](const std::string &name) {
    auto function = model.functions.find(name);
    if (function != model.functions.end())
      found.push_back(&function->second);
  };
  add(node.op);
  for (const auto &[key, attr] : node.attrs)
    if (const auto *name = std::get_if<FunctionName>(&attr))
      add(name->name);
  return found;
}

bool Effects::writes(const Node &node) {
  return changesState(node.op) ||
         llvm::any_of(callees(node), [&](const Function *function) {
           return writes(function->body);
         });
}

bool Effects::writes(const Body &body) {
  // Ends the recursion for a function that calls itself, which is refused
  // elsewhere.
  auto [known, isNew] = writing.try_emplace(&body, false);
  if (!isNew)
    return known->second;
  bool found =
      llvm::any_of(body.nodes, [&](const Node &node) { return writes(node); });
  return writing[&body] = found;
}

bool Effects::touches(const Body &body, const Node &node) {
  if (node.op == "ReadVariableOp" || node.op == "ResourceGather" ||
      node.op == "ResourceGatherNd" || changesState(node.op) ||
      !callees(node).empty())
    return true;
  return llvm::any_of(node.inputs, [&](const Edge &edge) {
    const Node *producer = body.find(edge.node);
    return producer && isReference(*producer);
  });
}

llvm::SmallVector<const Node *>
Effects::before(const Body &body, const Node &node,
                llvm::function_ref<bool(const Edge &)> given) {
  llvm::SmallVector<const Node *> found, open, passed;
  if (node.controls.empty() || !writes(body))
    return found;
  llvm::SmallPtrSet<const Node *, 16> seen;
  auto visit = [&](const std::string &name) {
    const Node *next = body.find(name);
    if (next && !free.contains(next) && seen.insert(next).second)
      open.push_back(next);
  };
  for (const std::string &control : node.controls)
    visit(control);
  while (!open.empty()) {
    const Node *next = open.pop_back_val();
    if (touches(body, *next)) {
      found.push_back(next);
      continue;
    }
    passed.push_back(next);
    for (const Edge &edge : next->inputs)
      if (!given(edge))
        visit(edge.node);
    for (const std::string &control : next->controls)
      visit(control);
  }
  if (found.empty())
    free.insert(passed.begin(), passed.end());
  return found;
}

} // namespace tenon::tf
