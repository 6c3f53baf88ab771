// Checks names and sizes here, where an error can name the flag. Whether the
// graph takes the sizes shows when a pass puts them in.
#include "compiler/Variants.h"

#include "dialects/tenon/Annotations.h"

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
    auto type = cast<RankedTensorType>(func.getArgumentTypes()[i]);
    DimsAttr dims = annotation::dims.of(func, i);
    for (int64_t d = 0; dims && d < type.getRank(); ++d)
      if (StringAttr name = dims.nameOf(d); name && type.isDynamicDim(d))
        names.insert(name.getValue());
  }
  return names;
}

static std::string textOf(const VariantOption &variant) {
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
  DimRangesAttr ranges = annotation::ranges.of(module);
  Builder builder(module.getContext());
  llvm::SmallSetVector<Attribute, 8> variants;
  for (const VariantOption &variant : options.variants) {
    std::string flag = "--specialize=" + textOf(variant);
    NamedAttrList sizes;
    for (const auto &[name, size] : variant.sizes) {
      if (!isOpen(flag, name))
        return false;
      DimRangeAttr range = ranges ? ranges.rangeOf(name) : DimRangeAttr();
      if (range && (size < range.getLeast() || size > range.getMost() ||
                    size % range.getMultiple() != 0))
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
    annotation::specialize.set(
        module, cast<ArrayOf<DimSizesAttr>>(
                    builder.getArrayAttr(variants.getArrayRef())));
  if (!pads.empty())
    annotation::pad.set(
        module, cast<DimSizesAttr>(pads.getDictionary(module.getContext())));
  return true;
}

} // namespace tenon
