// Which part of the graph is compiled: a signature, the tensors the user cut it
// at, or what a frozen graph plainly is.
#include "compiler/import/tensorflow/TfGraphImporter.h"
#include "compiler/import/tensorflow/TfPorts.h"

using namespace mlir;

namespace tenon::tf {

static std::string join(ArrayRef<std::string> names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

std::optional<GraphImporter::Entry> GraphImporter::chooseEntry() {
  if (!options.feeds.empty() || !options.fetches.empty())
    return cutEntry();
  if (!model.isSavedModel)
    return wholeGraph();
  SmallVector<std::string> names;
  for (const auto &[name, signature] : model.signatures)
    names.push_back(name);
  std::string wanted = options.signature;
  if (wanted.empty())
    wanted = names.size() == 1 ? names.front() : "serving_default";
  auto found = model.signatures.find(wanted);
  if (found == model.signatures.end()) {
    error("", "the model has no signature '" + wanted + "'", Status::Usage,
          names.empty() ? "name tensors with --feeds= and --fetches="
                        : "choose one with --signature=: " + join(names));
    return std::nullopt;
  }
  if (found->second.outputs.empty()) {
    error("signature '" + wanted + "'", "it has no outputs",
          Status::Unsupported);
    return std::nullopt;
  }
  return Entry{llvm::to_vector(found->second.inputs),
               llvm::to_vector(found->second.outputs)};
}

std::optional<GraphImporter::Entry> GraphImporter::wholeGraph() {
  Entry entry;
  SmallVector<const Node *> last = ends(model.graph);
  SmallVector<std::string> names;
  for (const Node *node : last)
    names.push_back(node->name);
  if (last.size() != 1) {
    error("", "expected one node whose result nobody uses, got " + join(names),
          Status::Usage, "name the outputs with --fetches=");
    return std::nullopt;
  }
  entry.outputs.push_back(portOf(*last.front(), last.front()->name));
  entry.inputs = placeholders(model.graph, entry.outputs);
  return entry;
}

std::optional<GraphImporter::Entry> GraphImporter::cutEntry() {
  Entry entry;
  auto add = [&](const std::string &tensor, SmallVectorImpl<Port> &ports) {
    std::string name = tensor.substr(0, tensor.rfind(':'));
    const Node *node = model.graph.find(name);
    if (!node) {
      error("", "the graph has no node '" + name + "'", Status::Usage);
      return false;
    }
    Port port = portOf(*node, tensor);
    // A signature may know more of it.
    for (const auto &[key, signature] : model.signatures)
      for (const Port &input : signature.inputs)
        if (input.tensor == tensor || input.tensor == tensor + ":0") {
          port.type = input.type;
          port.shape = input.shape;
        }
    ports.push_back(port);
    return true;
  };
  for (const std::string &feed : options.feeds)
    if (!add(feed, entry.inputs))
      return std::nullopt;
  for (const std::string &fetch : options.fetches)
    if (!add(fetch, entry.outputs))
      return std::nullopt;
  if (options.fetches.empty()) {
    std::optional<Entry> whole = wholeGraph();
    if (!whole)
      return std::nullopt;
    entry.outputs = whole->outputs;
  }
  if (options.feeds.empty())
    entry.inputs = placeholders(model.graph, entry.outputs);
  return entry;
}

} // namespace tenon::tf
