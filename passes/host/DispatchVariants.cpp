// Makes the choice among the variants of a function. The input has a placed
// function and its variants side by side. Afterwards a dispatcher has the
// function's name: it compares the extents of its inputs with the sizes of the
// variants, and calls the first variant that fits or the code for all sizes.
#include "passes/host/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "runtime/tenon_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include <cstddef>

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_DISPATCHVARIANTS
#include "passes/host/Passes.h.inc"

namespace {
/// An argument and a dimension of it with a named extent.
struct NamedExtent {
  unsigned argument;
  int64_t dim;
};

struct DispatchVariants : impl::DispatchVariantsBase<DispatchVariants> {
  void runOnOperation() override {
    llvm::MapVector<StringRef, SmallVector<func::FuncOp>> families;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (VariantAttr variant = annotation::variant.of(func))
        families[variant.getOf().getValue()].push_back(func);
    for (auto &[name, variants] : families) {
      llvm::sort(variants, [](func::FuncOp a, func::FuncOp b) {
        return numberOf(a) < numberOf(b);
      });
      auto general = getOperation().lookupSymbol<func::FuncOp>(name);
      if (!isPlaced(general) ||
          !llvm::all_of(variants, [&](auto func) { return isPlaced(func); }))
        return signalPassFailure();
      dispatch(general, variants);
    }
  }

  /// True if the function has the attributes of a placed function, and a plan.
  /// False after an error was reported.
  bool isPlaced(func::FuncOp func) {
    if (annotation::numInputs.isOn(func) && planOf(func.getName()))
      return true;
    func.emitError(
        "expected a function with variants, and each variant, to have '")
        << annotation::numInputs.key << "' and a plan named '" << func.getName()
        << ".plan'";
    return false;
  }

  static int64_t numberOf(func::FuncOp variant) {
    return annotation::variant.of(variant).getNumber();
  }
  func::FuncOp planOf(StringRef function) {
    return getOperation().lookupSymbol<func::FuncOp>(
        (function + ".plan").str());
  }

  void dispatch(func::FuncOp func, ArrayRef<func::FuncOp> variants) {
    SmallVector<func::FuncOp> runs(variants), plans;
    for (func::FuncOp variant : variants)
      plans.push_back(planOf(variant.getName()));
    llvm::StringMap<NamedExtent> extents = namedExtents(func);
    func::FuncOp plan = planOf(func.getName());
    makeDispatcher(func, runs, variants, extents);
    makeDispatcher(plan, plans, variants, extents);
  }

  static llvm::StringMap<NamedExtent> namedExtents(func::FuncOp func) {
    llvm::StringMap<NamedExtent> extents;
    int64_t inputs = annotation::numInputs.of(func).getInt();
    for (unsigned i = 1; i <= inputs; ++i) {
      DimsAttr dims = annotation::dims.of(func, i);
      if (!dims)
        continue;
      auto type = cast<MemRefType>(func.getArgumentTypes()[i]);
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (StringAttr name = dims.nameOf(d); name && type.isDynamicDim(d))
          extents.try_emplace(name.getValue(), NamedExtent{i, d});
    }
    return extents;
  }

  /// Gives the name of `general` to a new function that chooses. `general` is
  /// renamed and becomes private; so do the `targets`, one for each variant.
  void makeDispatcher(func::FuncOp general, ArrayRef<func::FuncOp> targets,
                      ArrayRef<func::FuncOp> variants,
                      const llvm::StringMap<NamedExtent> &extents) {
    OpBuilder builder(general);
    auto chooser =
        cast<func::FuncOp>(builder.insert(general->cloneWithoutRegions()));
    general.setName((general.getName() + ".any").str());
    for (func::FuncOp target : targets)
      retire(target);
    retire(general);
    Block *entry = chooser.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    Location loc = general.getLoc();
    SmallVector<Value> results;
    // Choices nest: each one holds the next in its else branch.
    func::ReturnOp::create(
        builder, loc,
        choose(builder, chooser, general, targets, variants, extents));
  }

  /// The function is only called from here on and gets no entries.
  static void retire(func::FuncOp func) {
    func.setPrivate();
    annotation::numInputs.removeFrom(func);
    annotation::numOutputs.removeFrom(func);
  }

  ValueRange choose(OpBuilder &builder, func::FuncOp chooser,
                    func::FuncOp general, ArrayRef<func::FuncOp> targets,
                    ArrayRef<func::FuncOp> variants,
                    const llvm::StringMap<NamedExtent> &extents) {
    if (targets.empty())
      return call(builder, chooser, general, 0);
    Location loc = chooser.getLoc();
    Value fits;
    VariantAttr variant = annotation::variant.of(variants.front());
    for (auto [name, size] : variant.getSizes().entries()) {
      NamedExtent extent = extents.lookup(name);
      Value found = memref::DimOp::create(
          builder, loc, chooser.getArgument(extent.argument), extent.dim);
      Value wanted = arith::ConstantIndexOp::create(builder, loc, size);
      Value equal = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, found, wanted);
      fits = fits ? arith::AndIOp::create(builder, loc, fits, equal).getResult()
                  : equal;
    }
    auto branch = scf::IfOp::create(builder, loc, chooser.getResultTypes(),
                                    fits, /*withElseRegion=*/true);
    auto fill = [&](Block *block, llvm::function_ref<ValueRange()> body) {
      OpBuilder::InsertionGuard guard(builder);
      if (!block->empty())
        block->getTerminator()->erase();
      builder.setInsertionPointToEnd(block);
      ValueRange values = body();
      scf::YieldOp::create(builder, loc, values);
    };
    fill(branch.thenBlock(), [&] {
      return call(builder, chooser, targets.front(),
                  numberOf(variants.front()));
    });
    fill(branch.elseBlock(), [&] {
      return choose(builder, chooser, general, targets.drop_front(),
                    variants.drop_front(), extents);
    });
    return branch.getResults();
  }

  ValueRange call(OpBuilder &builder, func::FuncOp chooser, func::FuncOp target,
                  int64_t number) {
    Location loc = chooser.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Value place = LLVM::GEPOp::create(
        builder, loc, pointer, builder.getI8Type(), chooser.getArgument(0),
        ArrayRef<LLVM::GEPArg>{int32_t(offsetof(tenon_call, variant))});
    Value value = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                           builder.getI32IntegerAttr(number));
    LLVM::StoreOp::create(builder, loc, value, place);
    storePlannedExtents(builder, chooser);
    SmallVector<Value> operands;
    for (auto [argument, type] :
         llvm::zip(chooser.getArguments(), target.getArgumentTypes()))
      operands.push_back(
          argument.getType() == type
              ? Value(argument)
              : memref::CastOp::create(builder, loc, type, argument));
    return func::CallOp::create(builder, loc, target, operands).getResults();
  }

  /// Stores the planned extents of bounded outputs. The caller reads them after
  /// the run, and a variant that knows them in advance does not write them.
  static void storePlannedExtents(OpBuilder &builder, func::FuncOp chooser) {
    CountAttr inputs = annotation::numInputs.of(chooser),
              outputs = annotation::numOutputs.of(chooser);
    if (!inputs || !outputs)
      return;
    Location loc = chooser.getLoc();
    Value shapes = chooser.getArguments().back();
    int64_t slot = 0;
    for (int64_t i = 0; i < outputs.getInt(); ++i) {
      unsigned number = unsigned(1 + inputs.getInt() + i);
      Value output = chooser.getArgument(number);
      bool isBounded = annotation::bounded.isOn(chooser, number);
      int64_t rank = cast<MemRefType>(output.getType()).getRank();
      for (int64_t d = 0; d < rank; ++d, ++slot) {
        if (!isBounded)
          continue;
        Value extent = memref::DimOp::create(builder, loc, output, d);
        Value stored = arith::IndexCastOp::create(builder, loc,
                                                  builder.getI64Type(), extent);
        memref::StoreOp::create(
            builder, loc, stored, shapes,
            Value(arith::ConstantIndexOp::create(builder, loc, slot)));
      }
    }
  }
};
} // namespace
} // namespace tenon
