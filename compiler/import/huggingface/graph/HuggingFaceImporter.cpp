// Builds the entries of a checkpoint from the model of its architecture.
#include "compiler/import/huggingface/graph/HuggingFaceImporter.h"

#include "compiler/import/InputDims.h"
#include "compiler/import/ModelImporter.h"
#include "compiler/import/huggingface/blocks/LeftPads.h"
#include "compiler/import/huggingface/generation/Generation.h"
#include "compiler/import/huggingface/graph/CheckpointParameters.h"
#include "compiler/import/huggingface/models/Decoder.h"
#include "dialects/tenon/Annotations.h"

using namespace mlir;

namespace tenon {
namespace hf {
namespace {

constexpr const char *rowsName = "rows", *seqName = "seq";
/// The greatest number of tensors that a message lists.
constexpr size_t mostListed = 200, mostExamples = 8;

class HuggingFaceImporter : public ModelImporter, private Entries {
public:
  HuggingFaceImporter(MLIRContext &context, const Checkpoint &checkpoint,
                      const CompileOptions &options,
                      const DiagnosticHandler &report)
      : ModelImporter(context, checkpoint.path, report), checkpoint(checkpoint),
        options(options), parameters(checkpoint, g,
                                     [this](const CheckpointTensor &tensor,
                                            RankedTensorType type) {
                                       return weight(tensor, type);
                                     }) {}

  OwningOpRef<ModuleOp> run() {
    ModelImporter::begin("Hugging Face, " + checkpoint.config.modelType);
    BoundDims bound;
    if (!bindSizes(bound))
      return {};
    checkEntries();
    if (wants({"logits"}))
      buildLogits(bound);
    if (wants({"start", "advance", "result"}))
      buildGeneration(bound);
    if (hasErrors() || !checkParameters())
      return {};
    return finish();
  }

private:
  /// True if the user asks for one of the entries `names`, or for none by name.
  bool wants(ArrayRef<StringRef> names) const {
    const std::vector<EntryOption> &asked = options.tensorflow.entries;
    return asked.empty() || llvm::any_of(asked, [&](const EntryOption &entry) {
             return llvm::is_contained(names, StringRef(entry.name));
           });
  }

  /// Reports names that no entry has.
  void checkEntries() {
    for (const EntryOption &entry : options.tensorflow.entries)
      if (entry.isSignature ||
          !llvm::is_contained({"logits", "start", "advance", "result"},
                              StringRef(entry.name)))
        error("", "the checkpoint has no function '" + entry.name + "'",
              Status::Usage,
              "its functions are logits, start, advance and result");
  }

  void buildLogits(const BoundDims &bound) {
    func::FuncOp entry =
        begin("logits", {{"ids", typeOf(bound, 0), bound.names[0]},
                         {"lengths", typeOf(bound, 1), bound.names[1]}});
    Value ids = entry.getArgument(0), lengths = entry.getArgument(1);
    Size seq = g.size(ids, 1);
    LeftPads pads(g, ids,
                  checkedInput(g, lengths, g.add(seq, g.index(1)), "lengths"));
    // Pads are removed before the check: they may be any number.
    Value tokens = checkedInput(g, pads.removeFrom(ids),
                                g.index(checkpoint.config.vocabulary()), "ids");
    Value positions = g.iota(g.i64(), {seq}, 0);
    std::unique_ptr<Decoder> decoder =
        makeDecoder(checkpoint.config, Part(g, parameters));
    Value hidden = decoder->hidden(tokens, positions, AttendInSequence());
    Value logits = decoder->logits(pads.restoreTo(hidden));
    end(entry, {logits}, {"logits"});
  }

  void buildGeneration(const BoundDims &bound) {
    GenerationSetup setup = {checkpoint.config, checkpoint.generation,
                             options.checkpoint.compat ==
                                     GenerationCompat::TensorFlow
                                 ? Compatibility::Tf
                                 : Compatibility::Pt,
                             options.checkpoint.cache == CacheFormat::Bf16
                                 ? Type(g.ops.getBF16Type())
                                 : Type(g.f32()),
                             bound};
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

  RankedTensorType typeOf(const BoundDims &bound, size_t input) {
    return RankedTensorType::get(bound.extents[input], g.i64());
  }

  //===-- Sizes ---------------------------------------------------------===//

  /// Binds the sizes of inputs. Sequences are at most as long as the positions
  /// of the model.
  bool bindSizes(BoundDims &bound) {
    std::vector<DimOption> dims = options.dims;
    auto range = [&](const char *name, int64_t most) -> DimOption & {
      for (DimOption &dim : dims)
        if (dim.name == name)
          return dim;
      return dims.emplace_back(DimOption{name, 1, most});
    };
    int64_t positions = checkpoint.config.positions();
    int64_t fewest = range(rowsName, INT64_MAX).min;
    DimOption &seq = range(seqName, positions);
    if (seq.max == INT64_MAX)
      seq.max = positions;
    if (fewest < 1 || seq.min < 1) {
      error("", "expected at least one row and one position", Status::Usage);
      return false;
    }
    if (seq.max > positions) {
      error("",
            "--dim gives seq up to " + std::to_string(seq.max) +
                ", and the model has " + std::to_string(positions) +
                " positions",
            Status::Usage);
      return false;
    }
    int64_t longest = seq.max;
    auto refuse = [&](const std::string &text, const std::string &help) {
      error("", text, Status::Usage, help);
    };
    std::vector<DeclaredInput> inputs = {
        {"ids", {{-1, rowsName, true}, {-1, seqName, true}}},
        {"lengths", {{-1, rowsName, true}}}};
    if (!bindInputDims(g.ops, inputs, dims, options.shapes, refuse, bound))
      return false;
    if (!bound.ranges.empty())
      annotation::ranges.set(*module, bound.ranges);
    if (int64_t fixed = bound.extents[0][1]; !ShapedType::isDynamic(fixed))
      longest = fixed;
    return checkWindow(longest);
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
