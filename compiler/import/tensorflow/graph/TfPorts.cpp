// Ports from nodes. A SavedModel declares them in signatures, a frozen graph
// only in its nodes.
#include "compiler/import/tensorflow/graph/TfPorts.h"

#include <set>

using namespace mlir;

namespace tenon::tf {

Port portOf(const Node &node, const std::string &tensor) {
  // The port of result 0 has the node's name, others have the tensor's.
  size_t colon = tensor.rfind(':');
  bool isFirst = colon == std::string::npos || tensor.substr(colon) == ":0";
  Port port{
      isFirst ? node.name : tensor, tensor, DataType::Invalid, {false, {}}};
  for (const char *name : {"dtype", "T"})
    if (const Attr *attr = node.find(name))
      if (const auto *type = std::get_if<DataType>(attr);
          type && port.type == DataType::Invalid)
        port.type = *type;
  if (const Attr *attr = node.find("shape"))
    if (const auto *shape = std::get_if<Shape>(attr))
      port.shape = *shape;
  if (const Attr *attr = node.find("_output_shapes"))
    if (const auto *list = std::get_if<List>(attr);
        list && list->shapes.size() == 1 && !port.shape.hasRank)
      port.shape = list->shapes.front();
  return port;
}

SmallVector<const Node *> finalNodes(const Body &graph) {
  std::set<std::string> used;
  for (const Node &node : graph.nodes)
    for (const Edge &edge : node.inputs)
      used.insert(edge.node);
  SmallVector<const Node *> result;
  for (const Node &node : graph.nodes)
    if (!used.count(node.name) && node.op != "NoOp" && node.op != "Const" &&
        node.op != "Placeholder" && node.op != "Assert")
      result.push_back(&node);
  return result;
}

SmallVector<Port> placeholders(const Body &graph, ArrayRef<Port> outputs) {
  std::set<const Node *> seen;
  SmallVector<const Node *> open;
  auto visit = [&](const std::string &name) {
    const Node *node = graph.find(name);
    if (node && seen.insert(node).second)
      open.push_back(node);
  };
  for (const Port &port : outputs)
    visit(port.tensor.substr(0, port.tensor.rfind(':')));
  while (!open.empty())
    for (const Edge &edge : open.pop_back_val()->inputs)
      visit(edge.node);
  SmallVector<Port> ports;
  for (const Node &node : graph.nodes)
    if (node.op == "Placeholder" && seen.count(&node))
      ports.push_back(portOf(node, node.name));
  return ports;
}

} // namespace tenon::tf
