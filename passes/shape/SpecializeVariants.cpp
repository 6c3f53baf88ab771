// Clones each function, with static types, for every set of sizes that the
// module requests. The clone has attributes for its sizes and its number. Later
// passes treat clones as ordinary functions; they must not let extents change
// how values are rounded.
#include "passes/shape/Passes.h"

#include "passes/shape/TypeRefiner.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tenon-specialize-variants"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_SPECIALIZEVARIANTS
#include "passes/shape/Passes.h.inc"

namespace {
struct SpecializeVariants : impl::SpecializeVariantsBase<SpecializeVariants> {
  void runOnOperation() override {
    ArrayOf<DimSizesAttr> asked = annotation::specialize.of(getOperation());
    if (!asked)
      return;
    SmallVector<DimSizesAttr> variants(asked.entries());
    // Variants with more sizes come first; otherwise the user's order counts.
    llvm::stable_sort(variants, [](DimSizesAttr a, DimSizesAttr b) {
      return a.size() > b.size();
    });
    SmallVector<func::FuncOp> functions;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isPrivate() && !func.isExternal())
        functions.push_back(func);
    for (func::FuncOp func : functions) {
      int64_t number = 0;
      Operation *last = func;
      for (DimSizesAttr sizes : variants) {
        if (StringAttr missing = missingDim(func, sizes)) {
          if (auto remark =
                  remarkMissed(func, RemarkCategory::Variants, "no-variant"))
            remark << llvm::formatv("function '{0}' has no variant for {1}",
                                    func.getName(), textOf(sizes))
                          .str()
                   << because(
                          llvm::formatv("no open extent of its inputs is named "
                                        "'{0}'",
                                        missing.getValue())
                              .str());
          continue;
        }
        func::FuncOp clone = makeVariant(func, sizes, ++number, last);
        if (!clone)
          return signalPassFailure();
        last = clone;
        LDBG() << clone.getName() << ": " << clone.getFunctionType();
        if (auto remark = remarkDone(func, RemarkCategory::Variants, "variant"))
          remark << llvm::formatv("function '{0}' has variant {1} for {2}",
                                  func.getName(), number, textOf(sizes))
                        .str();
      }
    }
    annotation::specialize.removeFrom(getOperation());
  }

  /// The name of the first of the sizes that belongs to no dynamic extent of
  /// the function; null if all do.
  static StringAttr missingDim(func::FuncOp func, DimSizesAttr sizes) {
    llvm::SmallDenseSet<StringAttr> open;
    for (BlockArgument argument : func.getArguments())
      forNamedDims(func, argument, [&](int64_t d, StringAttr name) {
        if (cast<RankedTensorType>(argument.getType()).isDynamicDim(d))
          open.insert(name);
      });
    for (const auto &[name, size] : sizes.entries())
      if (!open.contains(name))
        return name;
    return {};
  }

  static void
  forNamedDims(func::FuncOp func, BlockArgument argument,
               llvm::function_ref<void(int64_t, StringAttr)> visit) {
    DimsAttr dims = annotation::dims.of(func, argument.getArgNumber());
    if (!dims || !isa<RankedTensorType>(argument.getType()))
      return;
    for (int64_t d = 0; d < int64_t(dims.size()); ++d)
      if (StringAttr name = dims.nameOf(d))
        visit(d, name);
  }

  /// Makes the clone after `last`; null after an error.
  func::FuncOp makeVariant(func::FuncOp func, DimSizesAttr sizes,
                           int64_t number, Operation *last) {
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(last);
    auto clone = cast<func::FuncOp>(builder.clone(*func));
    clone.setName((func.getName() + ".variant" + Twine(number)).str());
    annotation::variant.set(
        clone, VariantAttr::get(&getContext(), number,
                                FlatSymbolRefAttr::get(func), sizes));
    for (BlockArgument argument : clone.getArguments()) {
      // The function for all sizes has the defaults; they need not fit these.
      clone.removeArgAttr(argument.getArgNumber(),
                          annotation::defaultValue.key);
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type)
        continue;
      SmallVector<int64_t> shape(type.getShape());
      forNamedDims(clone, argument, [&](int64_t d, StringAttr name) {
        if (std::optional<int64_t> size = sizes.sizeOf(name);
            size && shape[d] < 0)
          shape[d] = *size;
      });
      argument.setType(RankedTensorType::get(shape, type.getElementType()));
    }
    std::string wrong;
    Location place = func.getLoc();
    {
      ScopedDiagnosticHandler listen(&getContext(), [&](Diagnostic &said) {
        if (wrong.empty()) {
          wrong = said.str();
          place = said.getLocation();
        }
        return success();
      });
      if (succeeded(refineTypes(clone)) && succeeded(verify(clone)) &&
          succeeded(simplify(clone)))
        return clone;
    }
    emitError(place) << "unsupported: the model does not take the sizes "
                     << textOf(sizes) << ": " << wrong;
    return {};
  }

  /// Simplifies the clone again, because static sizes make some ops redundant.
  LogicalResult simplify(func::FuncOp clone) {
    OpPassManager passes(func::FuncOp::getOperationName());
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    return runPipeline(passes, clone);
  }

  static std::string textOf(DimSizesAttr sizes) {
    std::string text;
    for (auto [name, size] : sizes.entries())
      text +=
          (text.empty() ? "" : ",") + name.str() + "=" + std::to_string(size);
    return text;
  }
};
} // namespace
} // namespace tenon
