// Lowers all remaining ops to the LLVM dialect. A launch stores the kernel's
// operands in a structure on the stack and calls the runtime's parallel loop
// with the kernel's task function, which loads the operands again. A launch of
// one task calls the kernel directly. After each launch the runtime is asked if
// the run is cancelled. If so, the kernel may have skipped tasks, and the
// function returns before it writes anything else.
#include "passes/host/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Device.h"
#include "dialects/tenon/Machine.h"
#include "dialects/tenon/State.h"
#include "dialects/tenon/TenonDialect.h"
#include "passes/host/ContextReads.h"
#include "passes/host/DeviceCalls.h"
#include "passes/host/Launching.h"
#include "passes/kernel/CoreCalls.h"
#include "passes/kernel/numerics/FmaExpansion.h"
#include "passes/kernel/numerics/HalfExpansion.h"
#include "passes/kernel/numerics/PowerScaling.h"
#include "passes/kernel/numerics/RangeExpansion.h"
#include "passes/kernel/numerics/RoundExpansion.h"
#include "runtime/tenon_abi.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMX/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_CONVERTTOLLVM
#include "passes/host/Passes.h.inc"

namespace {
struct LowerLaunch : ConvertOpToLLVMPattern<LaunchOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(LaunchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto module = op->getParentOfType<ModuleOp>();
    auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
    Value call = callOf(op);
    if (!call)
      return rewriter.notifyMatchFailure(op,
                                         "launched outside a graph function");
    Type i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
    SmallVector<Value> mark = {
        call,
        LLVM::ConstantOp::create(rewriter, loc, i32,
                                 rewriter.getI32IntegerAttr(
                                     annotation::launchNumber.of(op).getInt())),
        adaptor.getFlops(), adaptor.getBytes()};
    SmallVector<Type> markTypes = {pointer, i32, i64, i64};
    LLVM::LLVMFuncOp begin =
        coreFunction(rewriter, module, "tenon_core_begin", markTypes);
    LLVM::CallOp::create(rewriter, loc, begin, mark);
    launch(op, adaptor, rewriter, call);
    LLVM::LLVMFuncOp end =
        coreFunction(rewriter, module, "tenon_core_end", markTypes, i32);
    returnWhere(op, rewriter,
                LLVM::CallOp::create(rewriter, loc, end, mark).getResult());
    rewriter.eraseOp(op);
    return success();
  }

  static void launch(LaunchOp op, OpAdaptor adaptor,
                     ConversionPatternRewriter &rewriter, Value call) {
    Location loc = op.getLoc();
    auto module = op->getParentOfType<ModuleOp>();
    auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
    Type i64 = rewriter.getI64Type();
    if (getConstantIntValue(op.getTasks()) == 1) {
      Value zero = LLVM::ConstantOp::create(rewriter, loc, i64,
                                            rewriter.getI64IntegerAttr(0));
      // Do not inline: the kernels of a thousand layers would become one
      // function, and LLVM's compile time grows faster than its size.
      callKernel(rewriter, loc, op.getKernel(), call,
                 op.getOperands_().getTypes(), adaptor.getOperands_(), zero,
                 adaptor.getTasks())
          .setNoInline(true);
      return;
    }
    SmallVector<Type> fields = {pointer};
    for (Value operand : adaptor.getOperands_())
      fields.push_back(operand.getType());
    auto structure =
        LLVM::LLVMStructType::getLiteral(rewriter.getContext(), fields);
    Value arguments = allocateAtEntry(op, rewriter, structure);
    auto store = [&](int32_t field, Value value) {
      Value at =
          LLVM::GEPOp::create(rewriter, loc, pointer, structure, arguments,
                              ArrayRef<LLVM::GEPArg>{0, field});
      LLVM::StoreOp::create(rewriter, loc, value, at);
    };
    store(0, call);
    for (auto [i, operand] : llvm::enumerate(adaptor.getOperands_()))
      store(int32_t(i) + 1, operand);
    LLVM::LLVMFuncOp body = taskFunction(rewriter, module, op, structure);
    LLVM::LLVMFuncOp parallel =
        coreFunction(rewriter, module, "tenon_core_parallel",
                     {pointer, pointer, pointer, i64, i64, i64});
    Value function = LLVM::AddressOfOp::create(rewriter, loc, body);
    LLVM::CallOp::create(rewriter, loc, parallel,
                         ValueRange{call, function, arguments,
                                    adaptor.getTasks(), adaptor.getFlops(),
                                    adaptor.getBytes()});
  }

  /// Calls the kernel, with each memref expanded into its fields, as for every
  /// function.
  static LLVM::CallOp callKernel(OpBuilder &rewriter, Location loc,
                                 StringRef kernel, Value call, TypeRange types,
                                 ValueRange operands, Value begin, Value end) {
    SmallVector<Value> expanded = {call};
    for (auto [type, operand] : llvm::zip(types, operands)) {
      if (auto memref = dyn_cast<MemRefType>(type))
        MemRefDescriptor::unpack(rewriter, loc, operand, memref, expanded);
      else
        expanded.push_back(operand);
    }
    expanded.append({begin, end});
    return LLVM::CallOp::create(
        rewriter, loc, TypeRange(),
        FlatSymbolRefAttr::get(rewriter.getContext(), kernel), expanded);
  }

  /// The function `void KERNEL.task(ptr arguments, i64 begin, i64 end)`, made
  /// once for each kernel.
  static LLVM::LLVMFuncOp taskFunction(ConversionPatternRewriter &rewriter,
                                       ModuleOp module, LaunchOp op,
                                       LLVM::LLVMStructType structure) {
    std::string name = (op.getKernel() + ".task").str();
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return known;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(module.getBody());
    Location loc = op.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(rewriter.getContext()),
        {pointer, rewriter.getI64Type(), rewriter.getI64Type()});
    auto body = LLVM::LLVMFuncOp::create(rewriter, loc, name, type,
                                         LLVM::Linkage::Internal);
    Block *entry = body.addEntryBlock(rewriter);
    rewriter.setInsertionPointToStart(entry);
    SmallVector<Value> fields;
    for (auto [i, field] : llvm::enumerate(structure.getBody())) {
      Value at = LLVM::GEPOp::create(rewriter, loc, pointer, structure,
                                     entry->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
      fields.push_back(LLVM::LoadOp::create(rewriter, loc, field, at));
    }
    callKernel(rewriter, loc, op.getKernel(), fields[0],
               op.getOperands_().getTypes(), ValueRange(fields).drop_front(),
               entry->getArgument(1), entry->getArgument(2));
    LLVM::ReturnOp::create(rewriter, loc, ValueRange());
    return body;
  }
};

/// A fault becomes a call of the core, which records the first one of a run.
struct LowerFault : ConvertOpToLLVMPattern<FaultOp> {
  LowerFault(const LLVMTypeConverter &converter,
             SmallVectorImpl<Attribute> &sites)
      : ConvertOpToLLVMPattern(converter), sites(sites) {}

  LogicalResult
  matchAndRewrite(FaultOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto module = op->getParentOfType<ModuleOp>();
    auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
    Type i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
    auto function = coreFunction(rewriter, module, "tenon_core_fault",
                                 {pointer, i32, i32, i64, i64, i64});
    auto *place = llvm::find(sites, Attribute(op.getSiteAttr()));
    int64_t site = place - sites.begin();
    if (place == sites.end())
      sites.push_back(op.getSiteAttr());
    Operation *kernel = op->getParentOfType<FunctionOpInterface>();
    Value call = kernel->getRegion(0).front().getArgument(0);
    Value code = LLVM::ConstantOp::create(
        rewriter, loc, i32,
        rewriter.getI32IntegerAttr(op.getSize() ? TENON_FAULT_SHAPE
                                                : TENON_FAULT_INDEX));
    Value number = LLVM::ConstantOp::create(rewriter, loc, i32,
                                            rewriter.getI32IntegerAttr(site));
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(
        op, function,
        ValueRange{call, code, number, adaptor.getFound(), adaptor.getLow(),
                   adaptor.getHigh()});
    return success();
  }

  SmallVectorImpl<Attribute> &sites;
};

/// Lowers a check to a branch to a block that records the fault and returns.
/// Control flow consists of branches by now, so a check may stand anywhere.
void lowerCheck(CheckSizeOp check) {
  OpBuilder builder(check);
  Location loc = check.getLoc();
  auto function = check->getParentOfType<func::FuncOp>();
  auto wide = [&](Value size) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), size);
  };
  Value found = wide(check.getFound()), low = wide(check.getLow()),
        high = wide(check.getHigh());
  Value fits = arith::AndIOp::create(
      builder, loc,
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, low,
                            found),
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, found,
                            high));
  Block *before = check->getBlock();
  Block *after = before->splitBlock(check->getNextNode());
  Block *fault = builder.createBlock(&function.getBody());
  FaultOp::create(builder, loc, /*size=*/true, check.getSiteAttr(), found, low,
                  high);
  SmallVector<Value> nothing;
  for (Type type : function.getResultTypes())
    nothing.push_back(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
  func::ReturnOp::create(builder, loc, nothing);
  builder.setInsertionPointToEnd(before);
  cf::CondBranchOp::create(builder, loc, fits, after, fault);
  check.erase();
}

/// Lowers a copy to one memcpy. Buffers are contiguous even if their type has a
/// strided layout.
struct LowerCopy : ConvertOpToLLVMPattern<memref::CopyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::CopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getSource().getType());
    MemRefDescriptor source(adaptor.getSource()), target(adaptor.getTarget());
    int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    Value bytes =
        LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                 rewriter.getI64IntegerAttr(elementBytes));
    for (int64_t d = 0; d < type.getRank(); ++d)
      bytes = LLVM::MulOp::create(rewriter, loc, bytes,
                                  source.size(rewriter, loc, d));
    LLVM::MemcpyOp::create(rewriter, loc, target.alignedPtr(rewriter, loc),
                           source.alignedPtr(rewriter, loc), bytes, false);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Converts one module: that of a version, or that of a device's kernels.
struct Conversion {
  ModuleOp module;
  SmallVectorImpl<Attribute> &sites;
  bool nativeHalf, nativeFma, nativeRound;
  bool wide = false; ///< vectors of AVX-512

  LogicalResult run() {
    MLIRContext *context = module.getContext();
    wide = MachineAttr::of(module).getVectorBytes() == 64;
    // No later pass estimates costs, and LLVM has the target's features.
    annotation::machine.removeFrom(module);
    SmallVector<CheckSizeOp> checks;
    module.walk([&](CheckSizeOp check) { checks.push_back(check); });
    for (CheckSizeOp check : checks)
      lowerCheck(check);
    if (failed(simplifyFirst()))
      return failure();
    LowerToLLVMOptions options(context);
    LLVMTypeConverter converter(context, options);
    converter.addConversion([this](FloatType type) -> std::optional<Type> {
      if (!isBits(type))
        return std::nullopt;
      return IntegerType::get(type.getContext(), 16);
    });
    converter.addConversion([this](VectorType type) -> std::optional<Type> {
      if (type.getRank() > 1 || !isBits(type.getElementType()))
        return std::nullopt;
      return VectorType::get(type.getNumElements(),
                             IntegerType::get(type.getContext(), 16));
    });
    narrowFloatsAsBits();
    RewritePatternSet patterns(context);
    patterns.add<LowerLaunch>(converter);
    patterns.add<LowerCopy>(converter, /*benefit=*/2);
    patterns.add<LowerFault>(converter, sites);
    populateDeviceCallPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateAMXLegalizeForLLVMExportPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    target.addLegalDialect<NVVM::NVVMDialect>();
    return applyFullConversion(module, target, std::move(patterns));
  }

  /// True for types that become i16: bf16, and f16 if the processor does not
  /// convert it. Kernels only move such elements and convert them by integer
  /// arithmetic. On processors without the type, LLVM would call a library for
  /// each value that is live across blocks.
  bool isBits(Type type) const {
    return type.isBF16() || (type.isF16() && !nativeHalf);
  }

  void narrowFloatsAsBits() {
    Type i16 = IntegerType::get(module.getContext(), 16);
    module.walk([&](Operation *op) {
      if (auto global = dyn_cast<memref::GlobalOp>(op)) {
        auto dense = dyn_cast_if_present<DenseElementsAttr>(
            global.getInitialValueAttr());
        if (!dense || !isBits(dense.getElementType()))
          return;
        global.setInitialValueAttr(dense.bitcast(i16));
        global.setType(MemRefType::get(global.getType().getShape(), i16));
      } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        if (!isBits(getElementTypeOrSelf(constant.getType())))
          return;
        OpBuilder builder(constant);
        TypedAttr bits;
        if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
          bits = dense.bitcast(i16);
        else
          bits = builder.getIntegerAttr(
              i16,
              cast<FloatAttr>(constant.getValue()).getValue().bitcastToAPInt());
        Value integer =
            arith::ConstantOp::create(builder, constant.getLoc(), bits);
        constant.replaceAllUsesWith(
            arith::BitcastOp::create(builder, constant.getLoc(),
                                     constant.getType(), integer)
                .getResult());
        constant.erase();
      } else if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
        // The lowering of a broadcast keeps the vector's element type, so
        // convert the type here.
        VectorType type = broadcast.getResultVectorType();
        if (!isBits(type.getElementType()))
          return;
        OpBuilder builder(broadcast);
        Location loc = broadcast.getLoc();
        Value source = arith::BitcastOp::create(
            builder, loc,
            getElementTypeOrSelf(broadcast.getSourceType()) ==
                    broadcast.getSourceType()
                ? i16
                : Type(cast<VectorType>(broadcast.getSourceType()).clone(i16)),
            broadcast.getSource());
        Value bits =
            vector::BroadcastOp::create(builder, loc, type.clone(i16), source);
        broadcast.replaceAllUsesWith(
            arith::BitcastOp::create(builder, loc, type, bits).getResult());
        broadcast.erase();
      }
    });
  }

  LogicalResult simplifyFirst() {
    RewritePatternSet patterns(module.getContext());
    memref::populateExpandStridedMetadataPatterns(patterns);
    vector::populateVectorTransferLoweringPatterns(patterns, 1);
    vector::populateVectorMaskOpLoweringPatterns(patterns);
    vector::populateVectorMaskMaterializationPatterns(patterns, true);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    vector::populateVectorFromElementsUnrollPatterns(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateExpandBFloat16Patterns(patterns);
    if (!nativeHalf)
      populateExpandHalfPatterns(patterns);
    if (!nativeFma)
      populateExpandFmaPatterns(patterns);
    if (!nativeRound)
      populateExpandRoundPatterns(patterns);
    if (wide) {
      populateExpandRangePatterns(patterns);
      populateScaleByPowerPatterns(patterns);
    }
    return applyPatternsGreedily(module, std::move(patterns));
  }
};

struct ConvertToLLVM : impl::ConvertToLLVMBase<ConvertToLLVM> {
  using ConvertToLLVMBase::ConvertToLLVMBase;

  void runOnOperation() override {
    eraseGraphOnlyOps();
    numberLaunches();
    SmallVector<Attribute> sites = known(annotation::sites);
    // A device converts f16, multiplies and adds, and rounds by instructions.
    for (auto device : getOperation().getOps<ModuleOp>()) {
      if (failed(Conversion{device, sites, true, true, true}.run()))
        return signalPassFailure();
      markEntries(device);
    }
    if (failed(Conversion{getOperation(), sites, nativeHalf, nativeFma,
                          nativeRound}
                   .run()))
      return signalPassFailure();
    setRows(annotation::sites, sites);
  }
  /// Weights and states have offsets now, and the artifact's tables describe
  /// them.
  void eraseGraphOnlyOps() {
    readContext(getOperation());
    readHostMemory(getOperation());
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
      if (isa<WeightOp, StateOp, ContextExtentOp>(op))
        op.erase();
    getOperation().walk([](BoundOp op) {
      op.getResult().replaceAllUsesWith(op.getValue());
      op.erase();
    });
  }

  /// The rows that other versions of the module have put into `table`.
  template <typename TableT> SmallVector<Attribute> known(const TableT &table) {
    ArrayAttr rows = table.of(getOperation());
    return rows ? llvm::to_vector(rows) : SmallVector<Attribute>();
  }
  template <typename TableT>
  void setRows(const TableT &table, ArrayRef<Attribute> rows) {
    table.set(getOperation(),
              cast<typename TableT::Kind>(ArrayAttr::get(&getContext(), rows)));
  }

  /// Numbers the launches and writes the table of launches. Versions of a
  /// module launch the same kernels, so most rows are there already.
  void numberLaunches() {
    SmallVector<Attribute> launches = known(annotation::launches);
    size_t next = 0;
    getOperation().walk([&](Operation *op) {
      FlatSymbolRefAttr kernel;
      if (auto launch = dyn_cast<LaunchOp>(op))
        kernel = launch.getKernelAttr();
      else if (auto launch = dyn_cast<DeviceLaunchOp>(op))
        kernel = launch.getKernelAttr();
      else
        return;
      Attribute row = LaunchRowAttr::get(kernel, LocationAttr(op->getLoc()));
      size_t number = next++;
      if (number >= launches.size() || launches[number] != row) {
        number = launches.size();
        launches.push_back(row);
      }
      annotation::launchNumber.setCount(op, number);
    });
    setRows(annotation::launches, launches);
  }
};
} // namespace
} // namespace tenon
