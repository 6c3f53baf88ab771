// How the parts of a model fit together: names, order, arity, attributes,
// functions. Types and shapes are not judged.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_ONNXCHECKER_H
#define TENON_COMPILER_IMPORT_ONNX_READER_ONNXCHECKER_H

#include "compiler/import/onnx/reader/OnnxModel.h"

#include <string_view>
#include <utility>
#include <vector>

namespace tenon::onnx {

/// Domain and name of a function; views into the model.
using QualifiedName = std::pair<std::string_view, std::string_view>;

/// Throws ReadFailure at the first fault. Afterwards what OnnxModel.h promises
/// of graphs, nodes and functions is true.
void checkModel(const Model &model);

/// No function calls itself, and what calls grow to when inlined is bounded.
/// Throws ReadFailure.
void checkFunctions(const Model &model);

/// Calls `visit(node)` for all nodes of `nodes` and of the graphs in their
/// attributes.
template <typename Visit>
void forEachNode(const std::vector<Node> &nodes, const Visit &visit);

/// Calls `visit(graph)` for the graphs directly in the attributes of `node`.
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
