// The graph of each function of a model before and after fusion, its kernels
// and its memory, as plain data.
#ifndef TENON_COMPILER_REPORT_MODELGRAPH_H
#define TENON_COMPILER_REPORT_MODELGRAPH_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

/// One launch of a kernel.
struct LaunchSummary {
  std::string kernel;             ///< its symbol
  int64_t flops = -1, bytes = -1; ///< of the launch; -1: known in a run only
};

/// An op, a kernel, an input or an output.
struct GraphNode {
  std::string op;                     ///< "tenon.add", "contraction", "input"
  std::vector<std::string> names;     ///< of the model's nodes, or of the input
  std::vector<std::string> types;     ///< of its results, "f32 [1, 64]"
  std::vector<std::string> values;    ///< names of `tenon verify` for results
  std::vector<std::string> constants; ///< types of weights and constants read
  std::vector<LaunchSummary> launches; ///< of a kernel
  std::string plan;                    ///< of a kernel
};

/// `to` reads what `from` computes.
struct GraphEdge {
  size_t from, to;
  auto operator<=>(const GraphEdge &) const = default;
};

/// Nodes are in the order of the program, so an edge leads to a later node.
struct OpGraph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges; ///< sorted, without repeats
};

/// A buffer in the arena. `first` and `last` are nodes of the graph after
/// fusion: the buffer's elements are needed from the one to the other.
struct PlacedBuffer {
  int64_t offset, bytes;
  size_t first, last;
  std::string type;
};

struct FunctionGraph {
  std::string name;
  OpGraph before;                    ///< empty for a variant
  OpGraph after;                     ///< empty for a function that others call
  std::vector<PlacedBuffer> buffers; ///< empty if their sizes are unknown
  int64_t arenaBytes = -1;           ///< -1: known in a run only
};

struct ModelGraph {
  std::vector<FunctionGraph> functions;

  /// The function called `name`, added if it is new.
  FunctionGraph &at(const std::string &name) {
    for (FunctionGraph &function : functions)
      if (function.name == name)
        return function;
    functions.push_back({name, {}, {}, {}});
    return functions.back();
  }
};

} // namespace tenon

#endif // TENON_COMPILER_REPORT_MODELGRAPH_H
