// Turns each fusion of the device into a kernel in the module `@device` and a
// launch. Fusions with equal regions, operand types and plans share one kernel.
#include "passes/gpu/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Device.h"
#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/Remarks.h"
#include "passes/gpu/BlockAttention.h"
#include "passes/gpu/BlockKernel.h"
#include "passes/gpu/BlockNonzero.h"
#include "passes/gpu/BlockScan.h"
#include "passes/gpu/BlockSort.h"
#include "passes/gpu/BlockSuppression.h"
#include "passes/gpu/BlockTile.h"
#include "passes/gpu/DeviceUpdate.h"
#include "passes/gpu/ElementKernel.h"
#include "passes/gpu/FewRows.h"
#include "passes/gpu/NestKernel.h"
#include "passes/gpu/WarpRows.h"
#include "passes/gpu/WideMap.h"
#include "passes/kernel/KernelFunction.h"
#include "passes/kernel/KernelNames.h"
#include "passes/kernel/KernelWork.h"
#include "passes/kernel/LaunchSizes.h"
#include "passes/kernel/attention/GeneralAttention.h"
#include "passes/kernel/nest/KernelNests.h"
#include "passes/kernel/rows/RowKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_LOWERDEVICEFUSIONS
#include "passes/gpu/Passes.h.inc"

namespace {
struct DeviceKernel {
  func::FuncOp func;
  TaskCounter tasks;
  int64_t threads, blockTasks; ///< of a block
};

struct LowerDeviceFusions : impl::LowerDeviceFusionsBase<LowerDeviceFusions> {
  llvm::StringMap<DeviceKernel> kernels;
  ModuleOp device; ///< of the kernels

  void runOnOperation() override {
    kernels.clear();
    makeDevice();
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) {
      if (annotation::onDevice.isOn(fusion))
        fusions.push_back(fusion);
    });
    for (FusionOp fusion : fusions)
      if (failed(lower(fusion)))
        return signalPassFailure();
  }

  void makeDevice() {
    auto end = OpBuilder::atBlockEnd(getOperation().getBody());
    device = ModuleOp::create(end, getOperation().getLoc(),
                              DeviceLaunchOp::deviceModule);
    // A kernel's vectors are as wide as a thread's widest access.
    annotation::machine.set(device, MachineAttr::x86(&getContext(), 16, {}));
  }

  LogicalResult lower(FusionOp fusion) {
    // An empty result needs no kernel, and strides of its shape may overflow.
    if (hasNoElements(fusion)) {
      fusion.erase();
      return success();
    }
    if (!planOf(fusion))
      return fusion.emitError("expected a plan: tenon-plan-device-kernels "
                              "comes first");
    OpBuilder builder(fusion);
    Attribute plan = planOf(fusion);
    if (!isOfDevice(fusion, plan))
      return fusion.emitError("expected the plan of a device's kernel, got ")
             << plan;
    auto type = cast<MemRefType>(fusion.getOutputs()[0].getType());
    auto tile = dyn_cast<BlockTilePlanAttr>(plan);
    if (isa<DeviceUpdatePlanAttr>(plan))
      if (Value first = copiedBeforeUpdate(fusion))
        launch(builder, fusion, copyOf(fusion, first), false);
    if (tile && !type.hasStaticShape())
      launchTilesOrFewRows(builder, fusion, tile);
    else
      launch(builder, fusion, kernelOf(fusion, plan));
    if (isSuppression(fusion))
      launch(builder, fusion, joinOf(fusion), false);
    fusion.erase();
    return success();
  }

  /// True unless the plan is one for CPUs: general updates and searches have
  /// one task.
  static bool isOfDevice(FusionOp fusion, Attribute plan) {
    if (fusion.getKind() == FusionKind::Scatter)
      return isa<DeviceUpdatePlanAttr>(plan);
    return fusion.getKind() != FusionKind::Opaque || isa<BlockPlanAttr>(plan);
  }

  /// Launches the kernel in tiles. As sizes are known only at run time, the
  /// host chooses: a kernel without tiles computes a result that would fill
  /// less than a quarter of its tiles, as the few rows of a small batch.
  void launchTilesOrFewRows(OpBuilder &builder, FusionOp fusion,
                            BlockTilePlanAttr tile) {
    Location loc = fusion.getLoc();
    IndexBuilder at{builder, loc};
    const DeviceKernel &tiled = kernelOf(fusion, tile);
    SmallVector<OpFoldResult> sizes = dividedSizes(builder, fusion);
    Value room = at.mul(tiled.tasks(builder, loc, sizes),
                        at.constant(tile.getRows() * tile.getColumns() / 4));
    Value isSmall = at.less(at.product(sizes), room);
    Attribute fewRows = tile.getFewRows();
    const DeviceKernel &plain = kernelOf(
        fusion, fewRows ? fewRows : GeneralPlanAttr::get(&getContext()));
    auto branch = scf::IfOp::create(builder, loc, isSmall, true);
    OpBuilder few = branch.getThenBodyBuilder(),
              many = branch.getElseBodyBuilder();
    launch(many, fusion, tiled);
    launch(few, fusion, plain);
  }

  /// The kernel of the fusion with `plan`.
  const DeviceKernel &kernelOf(FusionOp fusion, Attribute plan) {
    return kernelOf(fusion, plan, plan == planOf(fusion) ? "" : "without tiles",
                    [&](Kernel &kernel) { return emit(kernel, plan); });
  }

  /// The kernel that writes `first` to the output of an update.
  const DeviceKernel &copyOf(FusionOp fusion, Value first) {
    return kernelOf(
        fusion, GeneralPlanAttr::get(&getContext()), "copy",
        [&](Kernel &kernel) { return emitElements(kernel, first); });
  }

  /// The kernel that joins the rows which the blocks of a suppression wrote.
  const DeviceKernel &joinOf(FusionOp fusion) {
    return kernelOf(fusion, planOf(fusion), "join", emitJoinedSuppression);
  }

  static bool isSuppression(FusionOp fusion) {
    return !fusion.getBlock().getOps<NonMaxSuppressionOp>().empty();
  }

  using Emitter = llvm::function_ref<TaskCounter(Kernel &)>;

  /// One of the kernels of the fusion, made at its first use.
  const DeviceKernel &kernelOf(FusionOp fusion, Attribute plan, StringRef which,
                               Emitter emit) {
    DeviceKernel &kernel = kernels[kernelKey(fusion) + which.str()];
    if (!kernel.func)
      build(fusion, plan, emit, kernel);
    else if (auto remark =
                 remarkDone(fusion, RemarkCategory::Kernels, "shared"))
      remark
          << ("the fusion shares kernel '" + kernel.func.getName() + "'").str();
    return kernel;
  }

  /// Launches a kernel of the fusion. The work of the fusion counts for its
  /// main kernel alone.
  static void launch(OpBuilder &builder, FusionOp fusion,
                     const DeviceKernel &kernel, bool isMain = true) {
    Location loc = fusion.getLoc();
    Value tasks =
        unlessEmpty(builder, fusion,
                    kernel.tasks(builder, loc, dividedSizes(builder, fusion)));
    Value none = IndexBuilder{builder, loc}.constant(0);
    KernelWork work = isMain ? countWork(fusion, builder, /*readsMemory=*/false)
                             : KernelWork{none, none};
    SmallVector<Value> operands(fusion.getOperands());
    func::FuncOp func = kernel.func;
    DeviceLaunchOp::create(builder, loc, func.getName(), tasks, kernel.threads,
                           kernel.blockTasks, work.flops, work.bytes, operands);
  }

  void build(FusionOp fusion, Attribute plan, Emitter emit,
             DeviceKernel &lowered) {
    Location loc = fusion.getLoc();
    auto end = OpBuilder::atBlockEnd(device.getBody());
    std::string name = kernelName(fusion, kernels.size() - 1);
    lowered.func = func::FuncOp::create(end, loc, name, kernelType(fusion));
    lowered.func.setPrivate();
    Kernel kernel = startKernel(fusion, lowered.func);
    kernel.machine = MachineAttr::of(lowered.func);
    kernel.hasFineTasks = true;
    lowered.tasks = emit(kernel);
    setBlock(lowered, plan);
    if (isa<BlockTilePlanAttr, FewRowsPlanAttr, BlockAttentionPlanAttr>(plan))
      annotation::keepsRegisters.set(lowered.func,
                                     kernel.builder.getUnitAttr());
    kernel.builder.setInsertionPointToEnd(&lowered.func.getBody().front());
    func::ReturnOp::create(kernel.builder, loc);
  }

  /// Sets the threads and tasks of a block. Threads that share a task are as
  /// many as the plan says.
  static void setBlock(DeviceKernel &lowered, Attribute plan) {
    lowered.threads = blockThreads;
    lowered.blockTasks = 1;
    if (auto fewRows = dyn_cast<FewRowsPlanAttr>(plan))
      lowered.threads = fewRowsThreads(fewRows);
    else if (auto attention = dyn_cast<BlockAttentionPlanAttr>(plan))
      lowered.threads = attentionThreads(attention);
    else if (isa<WarpRowsPlanAttr>(plan))
      lowered.threads = warpRowsThreads;
    else if (!isa<BlockTilePlanAttr, BlockPlanAttr, WideMapPlanAttr>(plan))
      lowered.blockTasks = blockThreads;
  }

  static Value resultOf(Kernel &kernel) {
    return kernel.fusion.getYield().getOperand(0);
  }

  /// A contraction whose form no nest covers is computed like an elementwise
  /// op, as on CPUs.
  static TaskCounter emitContraction(Kernel &kernel, Attribute plan) {
    const char *obstacle = nullptr;
    Operation *contraction = contractionOf(kernel);
    std::vector<ContractionNest> nests;
    if (contraction)
      nests = nestsOf(kernel, contraction, obstacle);
    if (nests.empty())
      return emitElements(kernel, resultOf(kernel));
    Value result = contraction->getResult(0);
    if (auto tile = dyn_cast<BlockTilePlanAttr>(plan))
      return emitBlockTile(kernel, result, nests.front(), tile);
    if (auto fewRows = dyn_cast<FewRowsPlanAttr>(plan))
      return emitFewRows(kernel, result, nests.front(), fewRows);
    return emitNests(kernel, result, nests);
  }

  static TaskCounter emit(Kernel &kernel, Attribute plan) {
    switch (kernel.fusion.getKind()) {
    case FusionKind::Map:
      if (auto wide = dyn_cast<WideMapPlanAttr>(plan))
        return emitWideMap(kernel, wide);
      return emitElements(kernel, resultOf(kernel));
    case FusionKind::Window:
      return emitElements(kernel, resultOf(kernel));
    case FusionKind::Contraction:
      return emitContraction(kernel, plan);
    case FusionKind::Rows:
      if (auto warp = dyn_cast<WarpRowsPlanAttr>(plan))
        return emitWarpRows(kernel, warp);
      return emitRows(kernel);
    case FusionKind::Attention:
      if (auto block = dyn_cast<BlockAttentionPlanAttr>(plan))
        return emitBlockAttention(kernel, block);
      return emitGeneralAttention(kernel);
    case FusionKind::Scan:
      if (isa<BlockPlanAttr>(plan))
        return emitBlockScan(kernel);
      return emitScan(kernel);
    case FusionKind::Sort:
      if (isa<BlockPlanAttr>(plan))
        return emitBlockSort(kernel);
      return opOf<TopKOp>(kernel) ? emitTopK(kernel) : emitSort(kernel);
    case FusionKind::Scatter:
      return emitDeviceUpdate(kernel, cast<DeviceUpdatePlanAttr>(plan));
    case FusionKind::Opaque:
      return opOf<NonzeroOp>(kernel) ? emitBlockNonzero(kernel)
                                     : emitBlockSuppression(kernel);
    }
    return nullptr;
  }
};
} // namespace
} // namespace tenon
