// Checks how the parts of a model fit together: names, order, arity,
// attributes, functions. Types and shapes are not checked.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_ONNXCHECKER_H
#define TENON_COMPILER_IMPORT_ONNX_READER_ONNXCHECKER_H

#include "compiler/import/onnx/reader/OnnxModel.h"

#include <string_view>
#include <utility>
#include <vector>

namespace tenon::onnx {

/// The domain and name of a function; they refer to the model's strings.
using QualifiedName = std::pair<std::string_view, std::string_view>;

/// Throws ReadFailure at the first error. Afterwards graphs, nodes and
/// functions have the properties that OnnxModel.h states.
void checkModel(const Model &model);

/// Checks that no function calls itself, and that the model stays within the
/// limits after inlining. Throws ReadFailure.
void checkFunctions(const Model &model);

/// Calls `visit(node)` for all nodes of `nodes` and, recursively, of the graphs
/// in their attributes.
template <typename Visit>
void forEachNode(const std::vector<Node> &nodes, const Visit &visit);

/// Calls `visit(graph)` for each graph that is directly in an attribute of
/// `node`.
template <typename Visit>
void forEachGraph(const Node &node, const Visit &visit) {
  for (const auto &[name, attribute] : node.attributes) {
    if (auto *one = std::get_if<std::unique_ptr<Graph>>(&attribute.value))
      visit(**one);
    else if (auto *many = std::get_if<std::vector<std::unique_ptr<Graph>>>(
                 &attribute.value))
      for (const auto &graph : *many)
        visit(*graph);
  }
}

template <typename Visit>
void forEachNode(const std::vector<Node> &nodes, const Visit &visit) {
  for (const Node &node : nodes) {
    visit(node);
    forEachGraph(node,
                 [&](const Graph &graph) { forEachNode(graph.nodes, visit); });
  }
}

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_READER_ONNXCHECKER_H
