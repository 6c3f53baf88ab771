// Chooses the entries to compile: signatures, functions of the model's objects,
// the tensors between which the user cuts the graph, or the whole of a frozen
// graph.
#include "compiler/import/tensorflow/graph/TfGraphImporter.h"
#include "compiler/import/tensorflow/graph/TfPorts.h"

using namespace mlir;

namespace tenon::tf {

constexpr size_t maxListed = 40;

static std::string join(ArrayRef<std::string> names) {
  std::string text;
  for (const std::string &name : names.take_front(maxListed))
    text += (text.empty() ? "" : ", ") + name;
  if (names.size() > maxListed)
    text += ", ...";
  return text.empty() ? "none" : text;
}

std::optional<GraphImporter::Entries> GraphImporter::chooseEntries() {
  auto only = [](std::optional<Entry> entry) -> std::optional<Entries> {
    if (!entry)
      return std::nullopt;
    return Entries{*entry};
  };
  if (!options.tensorflow.feeds.empty() || !options.tensorflow.fetches.empty())
    return only(cutEntry());
  if (!model.isSavedModel) {
    if (options.tensorflow.entries.empty() && !options.tensorflow.allSignatures)
      return only(wholeGraph());
    error("", "a frozen graph has neither signatures nor functions",
          Status::Usage, "name tensors with --feeds= and --fetches=");
    return std::nullopt;
  }
  std::vector<EntryOption> wanted = options.tensorflow.entries;
  auto add = [&](const std::string &name) {
    if (llvm::none_of(wanted, [&](const EntryOption &option) {
          return option.isSignature && option.name == name;
        }))
      wanted.push_back({true, name});
  };
  constexpr const char *usual = "serving_default";
  if (options.tensorflow.allSignatures) {
    // The usual signature comes first, because a run that names no function
    // takes the first one.
    if (model.signatures.count(usual))
      add(usual);
    for (const auto &[name, signature] : model.signatures)
      add(name);
  }
  if (wanted.empty())
    add(model.signatures.size() == 1 ? model.signatures.begin()->first : usual);
  Entries entries;
  llvm::StringSet<> names;
  for (const EntryOption &option : wanted) {
    std::optional<Entry> entry = option.isSignature
                                     ? signatureEntry(option.name)
                                     : functionEntry(option.name);
    if (!entry)
      return std::nullopt;
    entry->name = option.name;
    // The compiler appends suffixes to function names; the resulting names must
    // not be taken.
    StringRef stem = option.name;
    stem.consume_back(".plan");
    if (!names.insert(option.name).second ||
        (stem != option.name && names.contains(stem)) ||
        names.contains(option.name + ".plan")) {
      error("",
            "two functions of the artifact would be named '" + stem.str() + "'",
            Status::Usage);
      return std::nullopt;
    }
    entries.push_back(std::move(*entry));
  }
  return entries;
}

std::string GraphImporter::howToChooseSignature() {
  SmallVector<std::string> names;
  for (const auto &[known, signature] : model.signatures)
    names.push_back(known);
  return names.empty() ? "name tensors with --feeds= and --fetches="
                       : "choose one with --signature=: " + join(names);
}

std::optional<GraphImporter::Entry>
GraphImporter::signatureEntry(const std::string &name) {
  auto found = model.signatures.find(name);
  if (found == model.signatures.end()) {
    error("", "the model has no signature '" + name + "'", Status::Usage,
          howToChooseSignature());
    return std::nullopt;
  }
  // Without outputs the signature does not describe the computation, but its
  // function does.
  if (found->second.outputs.empty() && model.findObject("signatures." + name))
    return functionEntry("signatures." + name);
  Entry entry;
  entry.inputs = llvm::to_vector(found->second.inputs);
  entry.outputs = llvm::to_vector(found->second.outputs);
  return entry;
}

/// True if every shape that fits `special` also fits `general`.
static bool covers(const Shape &general, const Shape &special) {
  if (!general.hasRank)
    return true;
  if (!special.hasRank || general.dims.size() != special.dims.size())
    return false;
  return llvm::all_of(llvm::zip(general.dims, special.dims), [](auto pair) {
    auto [wide, narrow] = pair;
    return wide < 0 || wide == narrow;
  });
}

static bool covers(const ConcreteFunction &general,
                   const ConcreteFunction &special) {
  return general.inputs.size() == special.inputs.size() &&
         llvm::all_of(llvm::zip(general.inputs, special.inputs), [](auto pair) {
           auto &[wide, narrow] = pair;
           return wide.type == narrow.type && covers(wide.shape, narrow.shape);
         });
}

std::optional<GraphImporter::Entry>
GraphImporter::functionEntry(const std::string &path) {
  std::vector<std::string> traced;
  if (model.concreteFunctions.count(path))
    traced = {path};
  else if (const Object *object = model.findObject(path))
    traced = object->functions;
  if (traced.empty()) {
    std::vector<std::string> paths = model.functionPaths(maxListed + 1);
    error("", "the model has no function '" + path + "'", Status::Usage,
          paths.empty() ? "its objects have none; " + howToChooseSignature()
                        : "choose one with --function=: " + join(paths));
    return std::nullopt;
  }
  // Prefer variants that are not for training, then the most general one.
  SmallVector<std::pair<std::string, const ConcreteFunction *>> variants;
  for (const std::string &name : traced)
    if (auto found = model.concreteFunctions.find(name);
        found != model.concreteFunctions.end() && found->second.isComplete)
      variants.push_back({name, &found->second});
  auto prefer = [&](auto keep) {
    if (llvm::any_of(variants, keep))
      llvm::erase_if(variants, [&](auto &variant) { return !keep(variant); });
  };
  prefer([](auto &variant) { return !variant.second->hasTrueFlag; });
  prefer([&](auto &variant) {
    return llvm::all_of(variants, [&](auto &other) {
      return covers(*variant.second, *other.second);
    });
  });
  if (variants.size() != 1) {
    std::string help;
    for (auto &[name, function] : variants)
      help += (help.empty() ? "choose one with --function=: " : "; ") + name +
              " (" + function->arguments + ")";
    error("function '" + path + "'",
          variants.empty() ? "its arguments cannot be read"
                           : "it was traced for several kinds of arguments",
          variants.empty() ? Status::Unsupported : Status::Usage, help);
    return std::nullopt;
  }
  auto &[name, chosen] = variants.front();
  Entry entry;
  entry.function = &model.functions.at(name);
  entry.inputs = llvm::to_vector(chosen->inputs);
  for (const std::string &output : chosen->outputs)
    entry.outputs.push_back({output, "", DataType::Invalid, {}});
  entry.captures = llvm::to_vector(chosen->captures);
  return entry;
}

std::optional<GraphImporter::Entry> GraphImporter::wholeGraph() {
  Entry entry;
  SmallVector<const Node *> last = finalNodes(model.graph);
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
    // A signature may have a more precise type and shape.
    for (const auto &[key, signature] : model.signatures)
      for (const Port &input : signature.inputs)
        if (input.tensor == tensor || input.tensor == tensor + ":0") {
          port.type = input.type;
          port.shape = input.shape;
        }
    ports.push_back(port);
    return true;
  };
  for (const std::string &feed : options.tensorflow.feeds)
    if (!add(feed, entry.inputs))
      return std::nullopt;
  for (const std::string &fetch : options.tensorflow.fetches)
    if (!add(fetch, entry.outputs))
      return std::nullopt;
  if (options.tensorflow.fetches.empty()) {
    std::optional<Entry> whole = wholeGraph();
    if (!whole)
      return std::nullopt;
    entry.outputs = whole->outputs;
  }
  if (options.tensorflow.feeds.empty())
    entry.inputs = placeholders(model.graph, entry.outputs);
  return entry;
}

} // namespace tenon::tf
