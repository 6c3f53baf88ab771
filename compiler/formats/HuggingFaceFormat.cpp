// Hugging Face: a folder with config.json and files of weights.
#include "compiler/describe/DescribeHuggingFace.h"
#include "compiler/describe/DescribeMlir.h"
#include "compiler/formats/ModelFormat.h"
#include "compiler/import/huggingface/graph/HuggingFaceImporter.h"
#include "compiler/import/huggingface/reader/Checkpoint.h"

using namespace mlir;

namespace tenon {
namespace {

class CheckpointModel : public ReadModel {
public:
  explicit CheckpointModel(std::unique_ptr<hf::Checkpoint> read)
      : checkpoint(std::move(read)) {
    for (const hf::CheckpointFile &file : checkpoint->files)
      files.push_back({file.path, file.file});
  }

  OwningOpRef<ModuleOp> import(MLIRContext &context,
                               const CompileOptions &options,
                               const DiagnosticHandler &report) override {
    return importHuggingFace(context, *checkpoint, options, report);
  }

  /// The functions are described as they are imported. A checkpoint with
  /// errors is described by its configuration.
  std::optional<ModelSummary> describe(const CompileOptions &options,
                                       const DiagnosticHandler &) override {
    ModelSummary summary = describeHuggingFace(*checkpoint);
    MLIRContext context(MLIRContext::Threading::DISABLED);
    if (OwningOpRef<ModuleOp> module =
            import(context, options, [](const Diagnostic &) {}))
      summary.functions = describeMlir(*module).functions;
    // A description tells the names of the extents of logits.
    for (EntrySummary &function : summary.functions)
      if (function.name == "logits")
        function.outputs = summary.outputs;
    return summary;
  }

private:
  std::unique_ptr<hf::Checkpoint> checkpoint;
};

class HuggingFaceFormat : public ModelFormat {
public:
  bool recognise(const std::string &path) const override {
    return isCheckpointFolder(path);
  }

  std::unique_ptr<ReadModel>
  read(const CompileOptions &options,
       const DiagnosticHandler &report) const override {
    std::unique_ptr<hf::Checkpoint> checkpoint =
        readCheckpoint(options.input, report);
    return checkpoint ? std::make_unique<CheckpointModel>(std::move(checkpoint))
                      : nullptr;
  }

  void takeOwnOptions(CompileOptions &options) const override {
    options.checkpoint = {};
    llvm::erase_if(options.tensorflow.entries,
                   [](const EntryOption &entry) { return !entry.isSignature; });
  }

  std::string refuseElsewhere(const CompileOptions &options) const override {
    return options.checkpoint == CheckpointOptions()
               ? ""
               : "formats of caches and modes of generation are of Hugging "
                 "Face checkpoints, and this is none";
  }
};
} // namespace

const ModelFormat &huggingFaceFormat() {
  static const HuggingFaceFormat format;
  return format;
}

} // namespace tenon
