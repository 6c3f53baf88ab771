// Conditionals of TensorFlow 1 outside of frames. A Switch sends a value to one
// of two sides, and the other side is dead. A Merge takes the value of the live
// side.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFCONDITIONALS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFCONDITIONALS_H

#include "compiler/import/tensorflow/reader/TfModel.h"

#include <functional>
#include <set>

namespace tenon::tf {

/// The two sides that a Merge joins.
struct Conditional {
  Edge condition;
  std::string name; ///< name of the condition, shared by all its Switches
  size_t inputs[2] = {0, 0}; ///< the Merge's operand numbers for false and true
  std::vector<Edge> outside; ///< edges from outside that the sides use
};

/// The condition of a Switch behind Identity nodes, as `node:index`.
std::string conditionName(const Body &body, const Node &fork);

/// Finds the conditions under which each node of a body is live.
class ConditionFinder {
public:
  /// The search stops at edges that are `given`.
  ConditionFinder(const Body &body, std::function<bool(const Edge &)> given)
      : body(body), given(std::move(given)) {}

  /// The conditional that `merge` joins; null if its operands are not the two
  /// sides of one condition.
  std::optional<Conditional> find(const Node &merge);

private:
  using Conditions = std::set<std::pair<std::string, bool>>;

  const Body &body;
  std::function<bool(const Edge &)> given;
  std::map<const Node *, Conditions> known;

  const Node *producer(const Edge &edge) const;
  /// The conditions of the result that an edge takes. workOut must have visited
  /// its node.
  Conditions of(const Edge &edge) const;
  void workOut(const Node &node);
  void settle(const Node &node);
};

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFCONDITIONALS_H
