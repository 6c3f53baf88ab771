// Names and sizes are judged here, where flags can be named; whether the graph
// takes the sizes is seen when they are in it.
#include "compiler/Variants.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tenon {

using Names = llvm::SmallSetVector<StringRef, 8>;

/// The open extents of the inputs of one function.
static Names openDims(func::FuncOp func) {
  Names names;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto type = dyn_cast<RankedTensorType>(func.getArgumentTypes()[i]);
    auto dims = func.getArgAttrOfType<ArrayAttr>(i, "tenon.dims");
    if (!type || !dims)
      continue;
    for (auto [d, dim] : llvm::enumerate(dims))
      if (auto name = dyn_cast<StringAttr>(dim);
          name && int64_t(d) < type.getRank() && type.isDynamicDim(d))
        names.insert(name.getValue());
  }
  return names;
}

static std::string spell(const VariantOption &variant) {
  std::string text;
  for (const auto &[name, size] : variant.sizes)
    text += (text.empty() ? "" : ",") + name + ":" + std::to_string(size);
  return text;
}

bool requestVariants(ModuleOp module, const CompileOptions &options,
                     const DiagnosticHandler &report) {
  if (options.variants.empty() && options.pads.empty())
    return true;
  auto fail = [&](std::string text, std::string help) {
    report({.file = options.input,
            .text = std::move(text),
            .help = std::move(help),
            .status = Status::Usage});
    return false;
  };
  SmallVector<Names> functions;
  Names all;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isPrivate() && !func.isExternal()) {
      functions.push_back(openDims(func));
      all.insert_range(functions.back());
    }
  auto isOpen = [&](const std::string &flag, const std::string &name) {
    return all.contains(name) ||
           fail(flag + ": no open dimension of an input is named '" + name +
                    "'",
                all.empty()
                    ? "the model has no open dimension"
                    : "the open dimensions are " + llvm::join(all, ", "));
  };
  auto ranges = module->getAttrOfType<DictionaryAttr>("tenon.ranges");
  Builder builder(module.getContext());
  llvm::SmallSetVector<Attribute, 8> variants;
  for (const VariantOption &variant : options.variants) {
    std::string flag = "--specialize=" + spell(variant);
    NamedAttrList sizes;
    for (const auto &[name, size] : variant.sizes) {
      if (!isOpen(flag, name))
        return false;
      auto range =
          ranges ? ranges.getAs<DenseI64ArrayAttr>(name) : DenseI64ArrayAttr();
      if (range && (size < range[0] || size > range[1] || size % range[2] != 0))
        return fail(flag + ": --dim does not allow '" + name + "' to be " +
                        std::to_string(size),
                    "");
      sizes.set(name, builder.getI64IntegerAttr(size));
    }
    if (llvm::none_of(functions, [&](const Names &names) {
          return llvm::all_of(variant.sizes, [&](const auto &size) {
            return names.contains(size.first);
          });
        }))
      return fail(flag + ": no function has all of these dimensions", "");
    if (!variants.insert(sizes.getDictionary(module.getContext())))
      return fail(flag + ": given twice", "");
  }
  NamedAttrList pads;
  for (const PadOption &pad : options.pads) {
    if (!isOpen("--pad=" + pad.name + ":" + std::to_string(pad.multiple),
                pad.name))
      return false;
    pads.set(pad.name, builder.getI64IntegerAttr(pad.multiple));
  }
  if (!variants.empty())
    module->setAttr("tenon.specialize",
                    builder.getArrayAttr(variants.getArrayRef()));
  if (!pads.empty())
    module->setAttr("tenon.pad", pads.getDictionary(module.getContext()));
  return true;
}

} // namespace tenon
