// Which nodes read or change variables, and which of those must happen before
// another node: only for these are control edges followed.
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

  /// Whether running the node, or a function it calls, changes a variable, a
  /// table or the world.
  bool writes(const Node &node);
  /// Whether some node of the body does.
  bool writes(const Body &body);

  /// The nodes that touch variables and that a control edge of `node` puts
  /// before it; only the last of a chain. Nothing in bodies without writes, and
  /// nothing behind edges that are `given`.
  llvm::SmallVector<const Node *>
  before(const Body &body, const Node &node,
         llvm::function_ref<bool(const Edge &)> given);

  /// Other edges are given from now on.
  void forget() { free.clear(); }

private:
  bool touches(const Body &body, const Node &node);
  /// The functions that a node calls.
  llvm::SmallVector<const Function *> callees(const Node &node) const;

  const Model &model;
  std::map<const Body *, bool> writing;
  /// Nodes that nothing which touches variables comes before.
  llvm::DenseSet<const Node *> free;
};

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFEFFECTS_H
