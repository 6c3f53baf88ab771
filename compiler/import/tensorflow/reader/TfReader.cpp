// A frozen graph is one GraphDef. The folder of a SavedModel has graphs with
// tags, and the variables.
#include "compiler/import/tensorflow/reader/TfReader.h"

#include "compiler/files/ReadFailure.h"
#include "compiler/files/ReaderBoundary.h"
#include "compiler/import/tensorflow/reader/TensorBundle.h"
#include "compiler/import/tensorflow/reader/TfDecoder.h"
#include "compiler/import/tensorflow/reader/TfEnvelope.h"
#include "compiler/import/tensorflow/reader/TfObjects.h"
#include "compiler/import/tensorflow/reader/VariableKeys.h"
#include "compiler/wire/ParseMessage.h"

#include <algorithm>
#include <array>
#include <set>
#include <sys/stat.h>

namespace tenon {

using namespace tf;

bool isFolder(const std::string &path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

bool looksLikeGraphDef(const std::string &path) {
  bool looks = false;
  try {
    std::shared_ptr<OpenFile> file = OpenFile::open(path);
    std::array<std::byte, 64> head;
    size_t size = std::min<uint64_t>(file->size(), head.size());
    if (!file->read(0, head.data(), size))
      return false;
    wire::WireReader reader(std::span(head).first(size));
    wire::Tag tag = reader.readTag();
    if (tag.field != 1 || tag.type != wire::WireType::Length)
      return false;
    uint64_t length = reader.readVarint();
    if (length == 0 || length > file->size() - reader.offset())
      return false;
    // A NodeDef begins with its name (1) or, if that is empty, its op (2).
    wire::Tag first = reader.readTag();
    looks = (first.field == 1 || first.field == 2) &&
            first.type == wire::WireType::Length;
  } catch (const wire::WireError &) {
  } catch (const FileError &) {
  }
  return looks;
}

/// The tags of a graph as text, such as `serve` or `a,b`.
static std::string textOf(const proto::MetaGraphDef &graph) {
  std::string text;
  for (const std::string &tag : graph.meta_info_def().tags())
    text += (text.empty() ? "" : ",") + tag;
  return text.empty() ? "(no tags)" : text;
}

static std::set<std::string> split(const std::string &tags) {
  std::set<std::string> result;
  for (size_t at = 0; at <= tags.size();) {
    size_t end = std::min(tags.find(',', at), tags.size());
    if (end > at)
      result.insert(tags.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

static const proto::MetaGraphDef &choose(const proto::SavedModel &saved,
                                         const std::string &tags) {
  std::vector<const proto::MetaGraphDef *> fits;
  std::string all;
  std::set<std::string> wanted = split(tags.empty() ? "serve" : tags);
  for (const proto::MetaGraphDef &graph : saved.meta_graphs()) {
    std::set<std::string> has(graph.meta_info_def().tags().begin(),
                              graph.meta_info_def().tags().end());
    if (has == wanted)
      fits.push_back(&graph);
    all += (all.empty() ? "" : "; ") + textOf(graph);
  }
  if (fits.empty() && tags.empty() && saved.meta_graphs_size() == 1)
    return saved.meta_graphs(0);
  if (fits.size() != 1)
    throw ReadFailure{Status::InvalidModel, "",
                      saved.meta_graphs_size() == 0
                          ? "no graph is in it"
                          : "expected one graph with the tags " +
                                (tags.empty() ? "serve" : tags) + ", got " +
                                all,
                      saved.meta_graphs_size() ? "choose one with --tag=" : ""};
  return *fits.front();
}

static void readSavedModel(Model &model, const std::string &tags) {
  std::string file = model.path;
  while (file.size() > 1 && file.ends_with('/'))
    file.pop_back();
  file += "/saved_model.pb";
  struct stat found;
  if (stat(file.c_str(), &found) != 0)
    fail("", "the folder has neither a saved_model.pb nor a config.json");
  std::shared_ptr<FileRoot> root = FileRoot::ofModel(file);
  if (!root) // removed since the check above
    fail("", "the folder has no saved_model.pb");
  model.files.push_back({file, OpenFile::open(file)});
  proto::SavedModel saved;
  wire::parseMessage(model.files[0].file->map(), savedModelSchema,
                     "a SavedModel", saved);
  const proto::MetaGraphDef &graph = choose(saved, tags);
  model.version = graph.meta_info_def().tensorflow_version();
  decodeGraph(graph.graph_def(), model);
  for (const auto &[name, signature] : graph.signature_def())
    // This op only runs initializers, so there is nothing to compute.
    if (name != "__saved_model_init_op")
      model.signatures[name] = decodeSignature(name, signature);
  std::string index = root->join("variables/variables.index");
  if (lstat(index.c_str(), &found) == 0) {
    model.bundle = std::make_shared<TensorBundle>(root, "variables/variables",
                                                  model.files);
    model.variableKeys =
        findVariableKeys(model, graph.saver_def().restore_op_name());
  }
  decodeObjects(graph.object_graph_def(), model);
}

std::unique_ptr<Model> readTensorFlow(const std::string &path,
                                      const std::string &tags,
                                      const DiagnosticHandler &report) {
  auto model = std::make_unique<Model>();
  model->path = path;
  ReaderBoundary boundary(path, report);
  bool done = boundary.run([&] {
    if (isFolder(path)) {
      model->isSavedModel = true;
      readSavedModel(*model, tags);
    } else {
      model->files.push_back({path, OpenFile::open(path)});
      proto::GraphDef graph;
      wire::parseMessage(model->files[0].file->map(), graphSchema,
                         "a TensorFlow graph", graph);
      decodeGraph(graph, *model);
    }
    OpenFile &file = *model->files[0].file;
    file.unmap();
    if (!file.unchanged())
      fail("", "the file changed while it was read", Status::Io);
  });
  return done ? std::move(model) : nullptr;
}

} // namespace tenon
