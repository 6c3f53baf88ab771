// Finds the nodes that read or change variables, and those that control edges
// order before another node.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFEFFECTS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFEFFECTS_H

#include "compiler/import/tensorflow/reader/TfModel.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tenon::tf {

class Effects {
public:
  explicit Effects(const Model &model) : model(model) {}

  /// True if the node, or a function that it calls, changes a variable or a
  /// table or acts outside the model.
  bool writes(const Node &node);
  /// True if a node of the body does so.
  bool writes(const Body &body);

  /// The nodes that read or change variables and that control edges order
  /// before `node`. Only the last one of a chain is returned. Empty in bodies
  /// without writes. The search stops at edges that are `given`.
  llvm::SmallVector<const Node *>
  before(const Body &body, const Node &node,
         llvm::function_ref<bool(const Edge &)> given);

  /// Resets the cache, because other edges will be given.
  void forget() { free.clear(); }

private:
  bool touches(const Body &body, const Node &node);
  /// The functions that a node calls.
  llvm::SmallVector<const Function *> callees(const Node &node) const;

  const Model &model;
  std::map<const Body *, bool> writing;
  /// Nodes for which no node before them reads or changes variables.
  llvm::DenseSet<const Node *> free;
};

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFEFFECTS_H
