// Builds the entries with the base class of the importers.
#include "test/unit/generation/StepModule.h"

#include "compiler/import/huggingface/generation/Processors.h"
#include "compiler/import/huggingface/generation/Warpers.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;

namespace tenon::test {
namespace {

using namespace hf;

class StepImporter : public ModelImporter {
public:
  StepImporter(MLIRContext &context, const DiagnosticHandler &report,
               const GenerationConfig &defaults, int64_t vocabulary,
               Compatibility compatibility)
      : ModelImporter(context, "step", report),
        options(g, defaults, vocabulary, compatibility) {}

  OwningOpRef<ModuleOp> run() {
    begin("test");
    buildStart();
    buildStep("process", [&](const Sequences &at, Value scores) {
      return processed(g, options, at, scores);
    });
    buildStep("process_with_source",
              [&](const Sequences &at, Value scores) {
                return processed(g, options, at, scores);
              },
              {argument("source", g.i64(), {"rows", "columns"})});
    buildStep("warp", [&](const Sequences &at, Value scores) {
      return renormalized(g, options, warped(g, options, at, scores));
    });
    return finish();
  }

private:
  void buildStart() {
    func::FuncOp entry = beginEntry("start", options.inputs());
    options.store(SmallVector<Value>(entry.getArguments().begin(),
                                     entry.getArguments().end()));
    endEntry(entry, {g.scalarInt(g.i64(), 1)}, {"done"});
  }

  EntryArgument argument(StringRef name, Type element,
                         ArrayRef<StringRef> dims) {
    SmallVector<int64_t> shape(dims.size(), ShapedType::kDynamic);
    SmallVector<Attribute> names;
    for (auto [extent, dim] : llvm::zip_equal(shape, dims))
      if (dim == "vocabulary")
        names.push_back(g.ops.getI64IntegerAttr(extent = options.vocabulary()));
      else
        names.push_back(g.ops.getStringAttr(dim));
    return {name.str(), RankedTensorType::get(shape, element),
            g.ops.getArrayAttr(names)};
  }

  using Change = function_ref<Value(const Sequences &at, Value scores)>;

  /// An entry that changes scores. It computes them first, so that they may be
  /// changed where they are.
  void buildStep(StringRef name, Change change,
                 ArrayRef<EntryArgument> source = {}) {
    SmallVector<EntryArgument> arguments = {
        argument("scores", g.f32(), {"rows", "vocabulary"}),
        argument("ids", g.i64(), {"rows", "positions"}),
        argument("length", g.i64(), {}),
        argument("prompt", g.i64(), {}),
        argument("max_length", g.i64(), {}),
        argument("beams", g.i64(), {})};
    llvm::append_range(arguments, source);
    func::FuncOp entry = beginEntry(name, arguments);
    auto input = [&](unsigned i) { return Value(entry.getArgument(i)); };
    Value scores = g.maximum(input(0), -double(INFINITY));
    Sequences at = {input(1), input(2), input(3), input(4), input(5)};
    if (!source.empty())
      at.source = {[&] { return input(6); }, g.size(input(6), 1)};
    Value result = change(at, scores);
    endEntry(entry, {result}, {"result"});
  }

  Options options;
};
} // namespace

OwningOpRef<ModuleOp> makeStepModule(MLIRContext &context,
                                     const GenerationConfig &defaults,
                                     int64_t vocabulary,
                                     Compatibility compatibility) {
  loadImportDialects(context);
  DiagnosticHandler report = [](const Diagnostic &diagnostic) {
    ADD_FAILURE() << formatDiagnostic(diagnostic);
  };
  return StepImporter(context, report, defaults, vocabulary, compatibility)
      .run();
}

} // namespace tenon::test
