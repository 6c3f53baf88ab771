// ONNX: one file, and the files with weights that it names.
#include "compiler/describe/DescribeOnnx.h"
#include "compiler/formats/ModelFormat.h"
#include "compiler/import/onnx/graph/OnnxImporter.h"
#include "compiler/import/onnx/reader/OnnxReader.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tenon {
namespace {

class OnnxFile : public ReadModel {
public:
  OnnxFile(const std::string &path, std::unique_ptr<onnx::Model> read)
      : model(std::move(read)) {
    files.push_back({path, nullptr});
    llvm::StringSet<> known;
    for (const onnx::DataFile &data : model->files) {
      if (!known.insert(data.path).second)
        continue;
      if (data.path == path)
        files.front().file = data.file;
      else
        files.push_back({data.path, data.file});
    }
  }

  OwningOpRef<ModuleOp> import(MLIRContext &context,
                               const CompileOptions &options,
                               const DiagnosticHandler &report) override {
    return importOnnx(context, *model, {options.dims, options.shapes}, report);
  }

  std::optional<ModelSummary> describe(const CompileOptions &options,
                                       const DiagnosticHandler &) override {
    return describeOnnx(*model, options);
  }

private:
  std::unique_ptr<onnx::Model> model;
};

class OnnxFormat : public ModelFormat {
public:
  /// True for every file: the format has no magic number, and its reader
  /// reports what is wrong.
  bool recognise(const std::string &) const override { return true; }

  std::unique_ptr<ReadModel>
  read(const CompileOptions &options,
       const DiagnosticHandler &report) const override {
    std::unique_ptr<onnx::Model> model = readOnnx(options.input, report);
    return model ? std::make_unique<OnnxFile>(options.input, std::move(model))
                 : nullptr;
  }
};
} // namespace

const ModelFormat &onnxFormat() {
  static const OnnxFormat format;
  return format;
}

} // namespace tenon
