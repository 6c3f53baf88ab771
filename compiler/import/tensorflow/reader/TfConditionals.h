// Conditionals of TensorFlow 1, without frames: Switch sends a value to one of
// two sides, the other side is dead, Merge takes what is alive.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFCONDITIONALS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFCONDITIONALS_H

#include "compiler/import/tensorflow/reader/TfModel.h"

#include <functional>
#include <set>

namespace tenon::tf {

/// The two sides that meet in a Merge.
struct Conditional {
  Edge condition;
  std::string name; ///< of the condition: Switches of one condition share it
  size_t inputs[2] = {0, 0}; ///< the Merge's operands, when false and true
  std::vector<Edge> outside; ///< what the sides use and none of them computes
};

/// The condition of a Switch, behind identities: `node:index`.
std::string conditionName(const Body &body, const Node &fork);

/// Which conditions must hold for a node to be alive, for one body.
class ConditionFinder {
public:
  /// Nothing is looked at behind edges that are `given`.
  ConditionFinder(const Body &body, std::function<bool(const Edge &)> given)
      : body(body), given(std::move(given)) {}

  /// Nothing where the operands are not the two sides of one condition.
  std::optional<Conditional> find(const Node &merge);

private:
  using Conditions = std::set<std::pair<std::string, bool>>;

  const Body &body;
  std::function<bool(const Edge &)> given;
  std::map<const Node *, Conditions> known;

  const Node *producer(const Edge &edge) const;
  /// The conditions of the result that an edge takes; its node has been worked
  /// out.
  Conditions of(const Edge &edge) const;
  void workOut(const Node &node);
  void settle(const Node &node);
};

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFCONDITIONALS_H
