// Counts ops, including those within regions but not those in the recipes of
// weights.
#include "compiler/describe/DescribeMlir.h"

#include "compiler/report/NumberText.h"
#include "dialects/tenon/Annotations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon {

/// The name of an element type in descriptions of artifacts: `f32`, `u8`,
/// `bool`.
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

/// An element of a default: the shortest text that reads back as it.
static std::string elementText(Attribute element) {
  if (auto real = dyn_cast<FloatAttr>(element))
    return real.getType().isF64()
               ? numberText({.real = real.getValueAsDouble()}, TENON_F64)
               : numberText({.real = real.getValueAsDouble()}, TENON_F32);
  auto whole = cast<IntegerAttr>(element);
  if (whole.getType().isInteger(1))
    return whole.getValue().isZero() ? "false" : "true";
  return llvm::toString(whole.getValue(), 10,
                        /*Signed=*/!whole.getType().isUnsignedInteger());
}

/// Adds the default and the bounds of argument `number`.
static void addNotes(func::FuncOp func, unsigned number,
                     TensorSummary &summary) {
  if (DenseElementsAttr value = annotation::defaultValue.of(func, number)) {
    auto elements = value.getValues<Attribute>();
    summary.defaultValue =
        listText(value.getType().getShape().vec(),
                 [&](int64_t i) { return elementText(elements[i]); });
  }
  if (InputRangeAttr range = annotation::inputRange.of(func, number)) {
    Type element = range.getElementType();
    if (isa<IntegerType>(element)) {
      auto [least, greatest] = range.integers();
      summary.least = std::to_string(least);
      summary.greatest = std::to_string(greatest);
      return;
    }
    int32_t dtype = element.isF32() ? TENON_F32 : TENON_F64;
    auto [least, greatest] = range.floats();
    summary.least = numberText({.real = least}, dtype);
    summary.greatest = numberText({.real = greatest}, dtype);
  }
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
    // A weight computed from other weights is no parameter.
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

static EntrySummary describeEntry(func::FuncOp entry) {
  EntrySummary summary;
  summary.name = entry.getName().str();
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
    summary.inputs.push_back(summarize(type, annotation::name.of(entry, i),
                                       annotation::dims.of(entry, i),
                                       "input" + std::to_string(i)));
    addNotes(entry, i, summary.inputs.back());
  }
  for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
    summary.outputs.push_back(summarize(type,
                                        annotation::name.ofResult(entry, i), {},
                                        "output" + std::to_string(i)));
  return summary;
}

ModelSummary describeMlir(ModuleOp module) {
  ModelSummary summary;
  summary.format = "MLIR";
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isPrivate())
      summary.functions.push_back(describeEntry(function));
  if (!summary.functions.empty()) {
    auto main = llvm::find_if(summary.functions, [](const EntrySummary &entry) {
      return entry.name == "main";
    });
    if (main == summary.functions.end())
      main = summary.functions.begin();
    summary.name = main->name;
    summary.inputs = main->inputs;
    summary.outputs = main->outputs;
  }
  if (summary.functions.size() == 1)
    summary.functions.clear();
  countWeights(module, summary);
  countOps(module, summary);
  return summary;
}

} // namespace tenon
