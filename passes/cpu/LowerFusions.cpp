// Turns each fusion into a kernel function and a launch, according to its plan.
// Fusions with equal regions, operand types and plans share one kernel, so
// layers of equal shape share code.
#include "passes/cpu/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/PartialUpdate.h"
#include "dialects/tenon/Remarks.h"
#include "passes/cpu/ContractionEmitter.h"
#include "passes/cpu/attention/AttentionEmitter.h"
#include "passes/cpu/map/MapKernels.h"
#include "passes/kernel/KernelFunction.h"
#include "passes/kernel/KernelNames.h"
#include "passes/kernel/KernelWork.h"
#include "passes/kernel/LaunchSizes.h"
#include "passes/kernel/attention/GeneralAttention.h"
#include "passes/kernel/index/IndexKernels.h"
#include "passes/kernel/rows/RowKernels.h"
#include "passes/kernel/rows/RowReducer.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_LOWERFUSIONS
#include "passes/cpu/Passes.h.inc"

namespace {
struct LoweredKernel {
  func::FuncOp func;
  TaskCounter tasks;
};

struct LowerFusions : impl::LowerFusionsBase<LowerFusions> {
  using Base::Base;

  llvm::StringMap<LoweredKernel> kernels;

  void runOnOperation() override {
    kernels.clear();
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) {
      if (!annotation::onDevice.isOn(fusion))
        fusions.push_back(fusion);
    });
    for (FusionOp fusion : fusions)
      if (failed(lower(fusion)))
        return signalPassFailure();
  }

  LogicalResult lower(FusionOp fusion) {
    // An empty result needs no kernel, and strides of its shape may overflow.
    if (hasNoElements(fusion)) {
      fusion.erase();
      return success();
    }
    OpBuilder builder(fusion);
    auto longRows = LongRows::of(fusion);
    if (failed(longRows ? lowerLongRows(builder, fusion, *longRows)
                        : lowerWhole(builder, fusion)))
      return failure();
    fusion.erase();
    return success();
  }

  LogicalResult lowerWhole(OpBuilder &builder, FusionOp fusion) {
    LoweredKernel &kernel = kernels[kernelKey(fusion)];
    if (kernel.func) {
      if (auto remark = remarkDone(fusion, RemarkCategory::Kernels, "shared"))
        remark << ("the fusion shares kernel '" + kernel.func.getName() + "'")
                      .str();
    } else if (failed(build(fusion, kernel))) {
      return failure();
    } else if (auto remark =
                   remarkDone(fusion, RemarkCategory::Kernels, "emitted")) {
      remark << ("the fusion has kernel '" + kernel.func.getName() + "'").str();
    }
    Value tasks = unlessEmpty(
        builder, fusion,
        kernel.tasks(builder, fusion.getLoc(), dividedSizes(builder, fusion)));
    KernelWork work = countWork(fusion, builder, /*readsMemory=*/true);
    SmallVector<Value> operands(fusion.getOperands());
    LaunchOp::create(builder, fusion.getLoc(), kernel.func.getName(), tasks,
                     work.flops, work.bytes, operands);
    return success();
  }

  /// Launches a kernel for each phase if there are few rows, else one kernel
  /// for whole rows.
  LogicalResult lowerLongRows(OpBuilder &builder, FusionOp fusion,
                              const LongRows &longRows) {
    Location loc = fusion.getLoc();
    IndexBuilder at{builder, loc};
    SmallVector<OpFoldResult> sizes = dividedSizes(builder, fusion);
    auto operand = cast<RankedTensorType>(
        rowReductions(fusion).front()->getOperand(0).getType());
    sizes.resize(operand.getRank() - 1);
    Value rows = at.product(sizes);
    std::optional<int64_t> known = getConstantIntValue(rows);
    if (known && *known > LongRows::mostRows)
      return lowerWhole(builder, fusion);
    if (known)
      return launchPhases(builder, fusion, longRows, rows);
    auto branch = scf::IfOp::create(
        builder, loc, at.less(rows, at.constant(LongRows::mostRows + 1)), true);
    OpBuilder few = branch.getThenBodyBuilder(),
              many = branch.getElseBodyBuilder();
    return failure(failed(launchPhases(few, fusion, longRows, rows)) ||
                   failed(lowerWhole(many, fusion)));
  }

  LogicalResult launchPhases(OpBuilder &builder, FusionOp fusion,
                             const LongRows &longRows, Value rows) {
    Location loc = fusion.getLoc();
    SmallVector<Value> operands(fusion.getOperands());
    auto function = fusion->getParentOfType<func::FuncOp>();
    OpBuilder entry = OpBuilder::atBlockBegin(&function.getBody().front());
    for (MemRefType type : longRows.scratch)
      operands.push_back(memref::AllocaOp::create(entry, loc, type));
    IndexBuilder at{builder, loc};
    Value phases = at.constant(longRows.phases);
    KernelWork work = countWork(fusion, builder, /*readsMemory=*/true);
    for (size_t phase = 0; phase < longRows.phases; ++phase) {
      LoweredKernel &kernel =
          kernels[kernelKey(fusion) + "phase" + std::to_string(phase)];
      if (!kernel.func && failed(buildPhase(fusion, kernel, longRows, phase)))
        return failure();
      LaunchOp::create(builder, loc, kernel.func.getName(),
                       at.mul(rows, at.constant(longRows.pieces)),
                       at.floorDiv(work.flops, phases),
                       at.floorDiv(work.bytes, phases), operands);
    }
    return success();
  }

  LogicalResult build(FusionOp fusion, LoweredKernel &lowered) {
    if (!planOf(fusion))
      return fusion.emitError(
          "expected a plan: tenon-plan-kernels comes first");
    Location loc = fusion.getLoc();
    OpBuilder module(getOperation().getBodyRegion());
    module.setInsertionPointToEnd(getOperation().getBody());
    lowered.func = func::FuncOp::create(module, loc,
                                        kernelName(fusion, kernels.size() - 1),
                                        kernelType(fusion));
    lowered.func.setPrivate();
    Kernel kernel = startKernel(fusion, lowered.func);
    lowered.tasks = emit(kernel, planOf(fusion));
    kernel.builder.setInsertionPointToEnd(&lowered.func.getBody().front());
    func::ReturnOp::create(kernel.builder, loc);
    return success();
  }

  LogicalResult buildPhase(FusionOp fusion, LoweredKernel &lowered,
                           const LongRows &longRows, size_t phase) {
    OpBuilder module(getOperation().getBodyRegion());
    module.setInsertionPointToEnd(getOperation().getBody());
    FunctionType whole = kernelType(fusion);
    SmallVector<Type> types(whole.getInputs().drop_back(2));
    llvm::append_range(types, longRows.scratch);
    llvm::append_range(types, whole.getInputs().take_back(2));
    lowered.func = func::FuncOp::create(module, fusion.getLoc(),
                                        kernelName(fusion, kernels.size() - 1),
                                        module.getFunctionType(types, {}));
    lowered.func.setPrivate();
    Kernel kernel = startKernel(fusion, lowered.func);
    emitLongRows(kernel,
                 lowered.func.getArguments().drop_back(2).take_back(
                     longRows.scratch.size()),
                 phase);
    kernel.builder.setInsertionPointToEnd(&lowered.func.getBody().front());
    func::ReturnOp::create(kernel.builder, fusion.getLoc());
    return success();
  }

  static TaskCounter emit(Kernel &kernel, Attribute plan) {
    switch (kernel.fusion.getKind()) {
    case FusionKind::Map:
      if (TaskCounter tasks = emitJoin(kernel))
        return tasks;
      if (TaskCounter tasks = emitTurnedMap(kernel))
        return tasks;
      return emitMap(kernel);
    case FusionKind::Window:
      return emitMap(kernel);
    case FusionKind::Rows:
      return emitRows(kernel);
    case FusionKind::Contraction:
      return emitContraction(kernel, plan);
    case FusionKind::Attention:
      if (auto tiled = dyn_cast<AttentionPlanAttr>(plan))
        return emitAttention(kernel, tiled);
      return emitGeneralAttention(kernel);
    case FusionKind::Scan:
      return emitScan(kernel);
    case FusionKind::Sort:
      return opOf<TopKOp>(kernel) ? emitTopK(kernel) : emitSort(kernel);
    case FusionKind::Scatter:
      if (auto update = dyn_cast<UpdatePlanAttr>(plan))
        return emitUpdate(kernel, update);
      return emitScatter(kernel);
    case FusionKind::Opaque:
      if (llvm::any_of(kernel.fusion.getBlock(),
                       [](Operation &op) { return isa<NonzeroOp>(op); }))
        return emitNonzero(kernel);
      return emitNonMaxSuppression(kernel);
    }
    return nullptr;
  }
};
} // namespace
} // namespace tenon
