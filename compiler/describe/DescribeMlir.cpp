// A text is parsed as for a compilation. Its main function, or its first public
// one, says the inputs and outputs; ops within regions count too, recipes of
// weights do not.
#include "compiler/describe/DescribeMlir.h"

#include "compiler/ModelLoader.h"
#include "compiler/pipeline/Phases.h"
#include "compiler/report/PassDiagnostics.h"
#include "dialects/tenon/Annotations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon {

/// `f32`, `u8`, `bool`: as descriptions of artifacts spell them.
static std::string dtypeName(Type element) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (element.isInteger(1))
    stream << "bool";
  else if (element.isUnsignedInteger())
    stream << 'u' << element.getIntOrFloatBitWidth();
  else
    stream << element;
  return text;
}

static TensorSummary summarize(Type type, StringAttr name, ArrayAttr dims,
                               const std::string &spare) {
  TensorSummary summary{name ? name.str() : spare, "?", {}};
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    summary.dtype = dtypeName(type);
    return summary;
  }
  summary.dtype = dtypeName(tensor.getElementType());
  for (int64_t d = 0; d < tensor.getRank(); ++d) {
    auto named = dims && d < int64_t(dims.size())
                     ? dyn_cast<StringAttr>(dims[d])
                     : StringAttr();
    summary.dims.push_back(!tensor.isDynamicDim(d)
                               ? std::to_string(tensor.getDimSize(d))
                           : named ? named.str()
                                   : "?");
  }
  return summary;
}

static void countWeights(ModuleOp module, ModelSummary &summary) {
  for (auto weight : module.getOps<WeightOp>()) {
    auto type = dyn_cast<RankedTensorType>(weight.getType());
    // A weight computed from other weights is no parameter of its own.
    bool isComputed = false;
    weight.getRecipe().walk([&](GetWeightOp) { isComputed = true; });
    if (!type || isComputed)
      continue;
    int64_t bits = type.getElementTypeBitWidth();
    summary.parameters += type.getNumElements();
    summary.parameterBytes += weight.getSource()
                                  ? int64_t((*weight.getSource()).getLength())
                                  : type.getNumElements() * ((bits + 7) / 8);
  }
}

static void countOps(ModuleOp module, ModelSummary &summary) {
  llvm::MapVector<OperationName, int64_t> counts;
  for (auto function : module.getOps<func::FuncOp>())
    function.getBody().walk([&](Operation *op) {
      if (!op->hasTrait<OpTrait::IsTerminator>())
        ++counts[op->getName()];
    });
  for (auto &[name, count] : counts)
    summary.ops.push_back({name.getStringRef().str(), count, 0});
  llvm::stable_sort(summary.ops, [](const OpSummary &a, const OpSummary &b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
}

ModelSummary describeMlir(const CompileOptions &options,
                          const DiagnosticHandler &report, Status &status) {
  DialectRegistry registry;
  registerPipelineDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  PassDiagnostics diagnostics(context, options.input);
  LoadedModel loaded = loadModel(context, options, report);
  ModelSummary summary;
  if (!loaded.module) {
    status = diagnostics.flush(report, /*parsing=*/true);
    if (status == Status::Success)
      status = loaded.status;
    return summary;
  }
  status = Status::Success;
  summary.format = "MLIR";
  func::FuncOp main;
  for (auto function : loaded.module->getOps<func::FuncOp>())
    if (!function.isPrivate() && (!main || function.getName() == "main"))
      main = function;
  if (main) {
    summary.name = main.getName().str();
    for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
      summary.inputs.push_back(summarize(type, annotation::name.of(main, i),
                                         annotation::dims.of(main, i),
                                         "input" + std::to_string(i)));
    for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
      summary.outputs.push_back(summarize(type,
                                          annotation::name.ofResult(main, i),
                                          {}, "output" + std::to_string(i)));
  }
  countWeights(*loaded.module, summary);
  countOps(*loaded.module, summary);
  return summary;
}

} // namespace tenon
