// From a model file to a module at phase `imported`. ONNX has no magic number
// and MLIR text has no fixed first word: a file of printable characters is
// text.
#include "compiler/ModelLoader.h"

#include "compiler/artifact/CheckRecipes.h"
#include "compiler/import/onnx/graph/OnnxImporter.h"
#include "compiler/import/onnx/reader/OnnxReader.h"
#include "compiler/import/tensorflow/graph/TfImporter.h"
#include "compiler/import/tensorflow/reader/TfReader.h"
#include "compiler/pipeline/CheckImported.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace tenon {

/// Nested deeper, MLIR's parser would run out of stack.
constexpr int maxTextNesting = 200;
constexpr uint64_t sniffedBytes = 512;

bool isMlirText(const std::string &path) {
  // Never a pipe nobody writes to, nor a device without end.
  FileError error;
  std::shared_ptr<OpenFile> file = OpenFile::tryOpen(path, error);
  if (!file)
    return false;
  std::string bytes(std::min(file->size(), sniffedBytes), '\0');
  if (!file->read(0, bytes.data(), bytes.size()))
    return false;
  llvm::StringRef head(bytes);
  bool printable = llvm::all_of(
      head, [](unsigned char c) { return c >= ' ' || isspace(c); });
  return printable && (llvm::StringRef(path).ends_with(".mlir") ||
                       head.contains("func.func") || head.contains("module") ||
                       head.contains("tenon."));
}

constexpr const char *notTensorFlow =
    "signatures, functions, tags, feeds and fetches are of TensorFlow graphs, "
    "and this is none";

/// Whether the user chose a part as only TensorFlow graphs have them.
static bool namesTensorFlow(const CompileOptions &options) {
  return !options.entries.empty() || options.allSignatures ||
         !options.tag.empty() || !options.feeds.empty() ||
         !options.fetches.empty();
}

static int nesting(llvm::StringRef text) {
  int depth = 0, deepest = 0;
  for (char c : text) {
    if (c == '(' || c == '{' || c == '[' || c == '<')
      deepest = std::max(deepest, ++depth);
    else if (c == ')' || c == '}' || c == ']' || c == '>')
      depth = std::max(0, depth - 1);
  }
  return deepest;
}

static Status loadText(MLIRContext &context, const CompileOptions &options,
                       LoadedModel &model, const DiagnosticHandler &report) {
  auto fail = [&](Status status, std::string text) {
    report({.file = options.input, .text = std::move(text), .status = status});
    return status;
  };
  // Extents stand in every type of a text, not only in the inputs'.
  if (!options.shapes.empty())
    return fail(Status::Usage,
                "--shape gives an input of a model its shape, and this is MLIR "
                "text, whose types say every shape");
  // All functions of a text are compiled: to name one is to choose what runs.
  CompileOptions others = options;
  llvm::erase_if(others.entries,
                 [](const EntryOption &entry) { return !entry.isSignature; });
  if (namesTensorFlow(others))
    return fail(Status::Usage, notTensorFlow);
  // Read once and not mapped: what is parsed is what was judged.
  auto buffer = llvm::MemoryBuffer::getFile(options.input, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/true,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return fail(Status::Io, "cannot be read: " + buffer.getError().message());
  if (nesting((*buffer)->getBuffer()) > maxTextNesting)
    return fail(Status::Limit, "brackets are nested deeper than " +
                                   std::to_string(maxTextNesting) + " levels");
  model.module = parseSourceString<ModuleOp>((*buffer)->getBuffer(), &context,
                                             options.input);
  if (model.module && (failed(checkImported(*model.module)) ||
                       failed(checkRecipes(*model.module))))
    model.module = {};
  return model.module ? Status::Success : Status::InvalidModel;
}

LoadedModel loadModel(MLIRContext &context, const CompileOptions &options,
                      const DiagnosticHandler &report) {
  LoadedModel model;
  model.filesRead.push_back(options.input);
  if (isMlirText(options.input)) {
    model.status = loadText(context, options, model, report);
    return model;
  }
  model.status = Status::Failure;
  auto remember = [&](const Diagnostic &d) {
    if (d.severity == Severity::Error && d.status != Status::Success)
      model.status = d.status;
    report(d);
  };
  if (isFolder(options.input) || looksLikeGraphDef(options.input)) {
    // Content decides, but not against the name: an ONNX exporter that left
    // such a file went wrong, unless the user says what it is.
    if (llvm::StringRef(options.input).ends_with_insensitive(".onnx") &&
        !isFolder(options.input) && !namesTensorFlow(options)) {
      remember({.file = options.input,
                .place = "offset 0",
                .text = "not an ONNX model: a node stands where ONNX has its "
                        "version, as in a TensorFlow GraphDef",
                .help = "to compile it as a TensorFlow graph, name its inputs "
                        "and outputs with --feeds=TENSOR,.. and "
                        "--fetches=TENSOR,.., or rename it to .pb; 'tenon "
                        "inspect' lists them",
                .status = Status::InvalidModel});
      return model;
    }
    std::unique_ptr<tf::Model> graph =
        readTensorFlow(options.input, options.tag, remember);
    if (!graph)
      return model;
    loadImportDialects(context);
    model.module = importTensorFlow(context, *graph, options, remember);
    model.filesRead.clear();
    for (const tf::ModelFile &file : graph->files) {
      model.filesRead.push_back(file.path);
      model.openFiles.emplace(file.path, file.file);
    }
    if (model.module)
      model.status = Status::Success;
    return model;
  }
  if (namesTensorFlow(options)) {
    remember({.file = options.input,
              .text = notTensorFlow,
              .status = Status::Usage});
    return model;
  }
  std::unique_ptr<onnx::Model> onnxModel = readOnnx(options.input, remember);
  if (!onnxModel)
    return model;
  loadImportDialects(context);
  model.module =
      importOnnx(context, *onnxModel,
                 ImportOptions{options.dims, options.shapes}, remember);
  if (model.module)
    model.status = Status::Success;
  for (onnx::DataFile &file : onnxModel->files)
    if (model.openFiles.emplace(file.path, std::move(file.file)).second &&
        file.path != options.input)
      model.filesRead.push_back(file.path);
  return model;
}

std::vector<std::string> listModelFiles(const std::string &input) {
  std::vector<std::string> paths;
  if (isFolder(input)) {
    // The format has its files in these places.
    std::error_code error;
    for (const char *part : {"variables", "assets"})
      for (llvm::sys::fs::recursive_directory_iterator
               it(input + "/" + part, error, /*follow_symlinks=*/false),
           end;
           it != end && !error; it.increment(error))
        if (it->type() != llvm::sys::fs::file_type::directory_file)
          paths.push_back(it->path());
    llvm::sort(paths);
    paths.insert(paths.begin(), input + "/saved_model.pb");
    return paths;
  }
  paths.push_back(input);
  if (isMlirText(input) || looksLikeGraphDef(input))
    return paths;
  std::unique_ptr<onnx::Model> model =
      readOnnx(input, [](const Diagnostic &) {});
  if (!model)
    return {};
  for (const onnx::DataFile &file : model->files)
    if (file.path != input)
      paths.push_back(file.path);
  return paths;
}

} // namespace tenon
