// Builds the entries of a checkpoint from the model of its architecture.
#include "compiler/import/huggingface/graph/HuggingFaceImporter.h"

#include "compiler/import/ModelImporter.h"
#include "compiler/import/huggingface/generation/Generation.h"
#include "compiler/import/huggingface/graph/CheckpointParameters.h"
#include "compiler/import/huggingface/graph/PlainEntries.h"
#include "compiler/import/huggingface/graph/SpeechEntries.h"
#include "dialects/tenon/Annotations.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tenon {
namespace hf {
namespace {

/// The greatest number of tensors that a message lists.
constexpr size_t mostListed = 200, mostExamples = 8;

class HuggingFaceImporter : public ModelImporter, private Entries {
public:
  HuggingFaceImporter(MLIRContext &context, const Checkpoint &checkpoint,
                      const CompileOptions &options,
                      const DiagnosticHandler &report)
      : ModelImporter(context, checkpoint.path, report), checkpoint(checkpoint),
        options(options), inputs(checkpoint.config),
        parameters(
            checkpoint, g,
            [this](const CheckpointTensor &tensor, RankedTensorType type) {
              return weight(tensor, type);
            }) {}

  OwningOpRef<ModuleOp> run() {
    ModelImporter::begin("Hugging Face, " + checkpoint.config.modelType);
    if (!bindSizes())
      return {};
    checkEntries();
    PlainEntries plain(g, *this, parameters, checkpoint.config, inputs);
    if (wants({"logits"}))
      plain.buildLogits();
    if (checkpoint.config.hasEncoder() && wants({"encode"}))
      plain.buildEncode();
    if (const WhisperConfig *whisper = speechModel())
      buildSpeech(*whisper);
    if (wants({"start", "advance", "result"}))
      buildGeneration();
    if (hasErrors() || !checkParameters())
      return {};
    return finish();
  }

private:
  const WhisperConfig *speechModel() const {
    return std::get_if<WhisperConfig>(&checkpoint.config.model);
  }

  /// True if the user asks for one of the entries `names`, or for none by name.
  bool wants(ArrayRef<StringRef> names) const {
    const std::vector<EntryOption> &asked = options.tensorflow.entries;
    return asked.empty() || llvm::any_of(asked, [&](const EntryOption &entry) {
             return llvm::is_contained(names, StringRef(entry.name));
           });
  }

  /// Reports names that no entry has.
  void checkEntries() {
    SmallVector<StringRef> names = {"logits", "start", "advance", "result"};
    if (checkpoint.config.hasEncoder())
      names.insert(names.begin(), "encode");
    if (speechModel())
      names.insert(names.begin(), {"features", "tokens"});
    for (const EntryOption &entry : options.tensorflow.entries)
      if (entry.isSignature || !llvm::is_contained(names, entry.name))
        error("", "the checkpoint has no function '" + entry.name + "'",
              Status::Usage,
              "its functions are " +
                  llvm::join(ArrayRef(names).drop_back(), ", ") +
                  " and result");
  }

  void buildSpeech(const WhisperConfig &config) {
    SpeechEntries speech(g, *this, config, checkpoint.generation);
    if (wants({"features"}))
      speech.buildFeatures();
    // The names and the use of tokens belong to the entries that make texts.
    if (wants({"start", "advance", "result", "tokens"}))
      speech.buildTokens();
  }

  void buildGeneration() {
    GenerationSetup setup = {checkpoint.config, checkpoint.generation,
                             options.checkpoint.compat ==
                                     GenerationCompat::TensorFlow
                                 ? Compatibility::Tf
                                 : Compatibility::Pt,
                             options.checkpoint.cache == CacheFormat::Bf16
                                 ? Type(g.ops.getBF16Type())
                                 : Type(g.f32()),
                             inputs};
    Generation generation(g, *this, parameters, setup);
    generation.buildStart();
    generation.buildAdvance();
    generation.buildResult();
  }

  //===-- Entries -------------------------------------------------------===//

  func::FuncOp begin(StringRef name, ArrayRef<EntryArgument> inputs) override {
    func::FuncOp entry = beginEntry(name, inputs);
    parameters.beginEntry();
    return entry;
  }
  void end(func::FuncOp entry, ArrayRef<Value> results,
           ArrayRef<std::string> names) override {
    endEntry(entry, results, names);
  }
  OpBuilder inModule() override { return beforeEntry(); }

  //===-- Sizes ---------------------------------------------------------===//

  bool bindSizes() {
    auto refuse = [&](const std::string &text, const std::string &help) {
      error("", text, Status::Usage, help);
    };
    if (!inputs.bind(g.ops, options.dims, options.shapes, refuse))
      return false;
    if (!inputs.ranges().empty())
      annotation::ranges.set(*module, inputs.ranges());
    return checkWindow(inputs.longest());
  }

  /// A window that is never shorter than the sequence has no effect.
  bool checkWindow(int64_t longest) {
    const auto *llama = std::get_if<LlamaConfig>(&checkpoint.config.model);
    if (!llama || !llama->window || *llama->window >= longest)
      return true;
    std::string window = std::to_string(*llama->window);
    error(llama->windowKey,
          "a window of " + window +
              " positions is not supported for "
              "sequences of up to " +
              std::to_string(longest),
          Status::Unsupported,
          "--dim=seq=1.." + window + " limits sequences to the window");
    return false;
  }

  //===-- Weights -------------------------------------------------------===//

  Value weight(const CheckpointTensor &tensor, RankedTensorType type) {
    const StoredTensor &stored = tensor.stored;
    ConstantRange range{checkpoint.files[tensor.file].path, stored.offset,
                        stored.length};
    Value value = constant(
        type, range, [&] { return checkpoint.bytes(tensor); }, stored.name);
    // After an error the import goes on to find others.
    return value
               ? value
               : g.splat(type.getElementType(), g.indices(type.getShape()), 0);
  }

  /// Reports all tensors that the model cannot use in one message.
  bool checkParameters() {
    for (const auto &[name, dtype] : parameters.unsupported())
      unsupportedUse("tensors of " + dtype, "tensor \"" + name + "\"");
    if (const std::vector<std::string> &wrong = parameters.mistakes();
        !wrong.empty()) {
      Diagnostic diagnostic;
      diagnostic.file = checkpoint.path;
      diagnostic.text = "the checkpoint lacks " + std::to_string(wrong.size()) +
                        (wrong.size() == 1 ? " tensor" : " tensors") +
                        " of the model that config.json describes";
      diagnostic.details = wrong;
      if (wrong.size() > mostListed) {
        diagnostic.details.resize(mostListed);
        diagnostic.details.push_back(
            "and " + std::to_string(wrong.size() - mostListed) + " more");
      }
      diagnostic.status = Status::InvalidModel;
      report(diagnostic);
      markFailed();
      return false;
    }
    // Other entries alone do not need all tensors.
    if (wants({"logits", "start", "advance", "result"}))
      warnOfUnused();
    return true;
  }

  void warnOfUnused() {
    std::vector<std::string> unused = parameters.unused();
    if (unused.empty())
      return;
    Diagnostic diagnostic;
    diagnostic.severity = Severity::Warning;
    diagnostic.file = checkpoint.path;
    diagnostic.text = std::to_string(unused.size()) +
                      (unused.size() == 1 ? " tensor is" : " tensors are") +
                      " not part of the model that config.json describes";
    for (size_t i = 0; i < unused.size() && i < mostExamples; ++i)
      diagnostic.details.push_back("tensor \"" + unused[i] + "\"");
    if (unused.size() > mostExamples)
      diagnostic.details.push_back(
          "and " + std::to_string(unused.size() - mostExamples) + " more");
    report(diagnostic);
  }

  const Checkpoint &checkpoint;
  const CompileOptions &options;
  EntryInputs inputs;
  CheckpointParameters parameters;
};
} // namespace
} // namespace hf

OwningOpRef<ModuleOp> importHuggingFace(MLIRContext &context,
                                        const hf::Checkpoint &checkpoint,
                                        const CompileOptions &options,
                                        const DiagnosticHandler &report) {
  loadImportDialects(context);
  return hf::HuggingFaceImporter(context, checkpoint, options, report).run();
}

} // namespace tenon
