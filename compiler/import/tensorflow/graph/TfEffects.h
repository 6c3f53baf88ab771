// Finds the nodes that read or change variables, and those that must run before
// another node because of control edges.
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

  /// True if the node, or a function that it calls, writes a variable or a
  /// table or has an effect outside the model.
  bool writes(const Node &node);
  /// True if any node of the body writes in this sense.
  bool writes(const Body &body);

  /// The nodes that must run before `node` because of control edges, restricted
  /// to nodes that read or change variables. Only the last node of each chain
  /// is returned. Empty if no node of the body writes. The search stops at
  /// edges that are `given`.
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
  /// Nodes before which no node reads or changes variables.
  llvm::DenseSet<const Node *> free;
};

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFEFFECTS_H
