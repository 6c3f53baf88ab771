// Depth first with an explicit stack, because chains of nodes can be long.
#include "compiler/import/tensorflow/reader/TfCycles.h"

#include <unordered_map>

namespace tenon::tf {

static bool goesRound(const Node &node) {
  return node.op == "NextIteration" || node.op == "RefNextIteration";
}

std::optional<std::string>
findCycle(const Body &body, const std::vector<std::string> &starts,
          const std::function<bool(const Edge &)> &given) {
  enum class Mark { Open, Done };
  std::unordered_map<const Node *, Mark> marks;
  std::vector<std::pair<const Node *, size_t>> path;
  auto textOfCycle = [&](const Node *again) {
    std::string text = again->name;
    for (size_t i = path.size(); i-- > 0 && text.size() < 1000;) {
      text += " <- " + path[i].first->name;
      if (path[i].first == again)
        break;
    }
    return text;
  };
  for (const std::string &start : starts) {
    const Node *first = body.find(start);
    if (!first || !marks.try_emplace(first, Mark::Open).second)
      continue;
    path.push_back({first, 0});
    while (!path.empty()) {
      auto &[node, next] = path.back();
      size_t data = goesRound(*node) ? 0 : node->inputs.size();
      if (next == data + node->controls.size()) {
        marks[node] = Mark::Done;
        path.pop_back();
        continue;
      }
      size_t i = next++;
      if (i < data && given(node->inputs[i]))
        continue;
      const Node *from =
          body.find(i < data ? node->inputs[i].node : node->controls[i - data]);
      if (!from)
        continue;
      auto [mark, isNew] = marks.try_emplace(from, Mark::Open);
      if (isNew)
        path.push_back({from, 0});
      else if (mark->second == Mark::Open)
        return textOfCycle(from);
    }
  }
  return std::nullopt;
}

} // namespace tenon::tf
