// TensorFlow: the folder of a SavedModel, or a file with a frozen graph.
#include "compiler/describe/DescribeTensorFlow.h"
#include "compiler/formats/ModelFormat.h"
#include "compiler/import/tensorflow/graph/TfImporter.h"
#include "compiler/import/tensorflow/reader/TfReader.h"
#include "compiler/pipeline/Phases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace tenon {
namespace {

class TensorFlowModel : public ReadModel {
public:
  explicit TensorFlowModel(std::unique_ptr<tf::Model> read)
      : model(std::move(read)) {
    for (const tf::ModelFile &file : model->files)
      files.push_back({file.path, file.file});
  }

  OwningOpRef<ModuleOp> import(MLIRContext &context,
                               const CompileOptions &options,
                               const DiagnosticHandler &report) override {
    return importTensorFlow(context, *model, options, checkSizes, report);
  }

  std::optional<ModelSummary> describe(const CompileOptions &,
                                       const DiagnosticHandler &) override {
    return describeTensorFlow(*model);
  }

private:
  std::unique_ptr<tf::Model> model;
};

class TensorFlowFormat : public ModelFormat {
public:
  bool recognise(const std::string &path) const override {
    return isFolder(path) || looksLikeGraphDef(path);
  }

  /// Refuses a GraphDef in a file named `.onnx`: the exporter probably failed.
  /// Options for TensorFlow graphs show that the user knows the format.
  bool checkRequest(const CompileOptions &options,
                    const DiagnosticHandler &report) const override {
    if (!llvm::StringRef(options.input).ends_with_insensitive(".onnx") ||
        isFolder(options.input) || options.tensorflow != TensorFlowOptions())
      return true;
    report({.file = options.input,
            .place = "offset 0",
            .text = "not an ONNX model: a node stands where ONNX has its "
                    "version, as in a TensorFlow GraphDef",
            .help = "to compile it as a TensorFlow graph, name its inputs and "
                    "outputs with --feeds=TENSOR,.. and --fetches=TENSOR,.., "
                    "or rename it to .pb; 'tenon inspect' lists them",
            .status = Status::InvalidModel});
    return false;
  }

  std::unique_ptr<ReadModel>
  read(const CompileOptions &options,
       const DiagnosticHandler &report) const override {
    std::unique_ptr<tf::Model> model =
        readTensorFlow(options.input, options.tensorflow.tag, report);
    return model ? std::make_unique<TensorFlowModel>(std::move(model))
                 : nullptr;
  }

  std::vector<std::string>
  listFiles(const CompileOptions &options) const override {
    if (!isFolder(options.input))
      return {options.input};
    // The format's fixed folders.
    std::vector<std::string> paths;
    std::error_code error;
    for (const char *part : {"variables", "assets"})
      for (llvm::sys::fs::recursive_directory_iterator
               it(options.input + "/" + part, error,
                  /*follow_symlinks=*/false),
           end;
           it != end && !error; it.increment(error))
        if (it->type() != llvm::sys::fs::file_type::directory_file)
          paths.push_back(it->path());
    llvm::sort(paths);
    paths.insert(paths.begin(), options.input + "/saved_model.pb");
    return paths;
  }

  void takeOwnOptions(CompileOptions &options) const override {
    options.tensorflow = {};
  }

  std::string refuseElsewhere(const CompileOptions &options) const override {
    return options.tensorflow == TensorFlowOptions()
               ? ""
               : "signatures, functions, tags, feeds and fetches are of "
                 "TensorFlow graphs, and this is none";
  }
};
} // namespace

const ModelFormat &tensorFlowFormat() {
  static const TensorFlowFormat format;
  return format;
}

} // namespace tenon
