// The phase table. A comment above a pass says why the pass is there and not
// earlier.
#include "compiler/pipeline/Phases.h"

#include "dialects/tenon/Device.h"
#include "dialects/tenon/HostEvaluable.h"
#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/State.h"
#include "passes/buffer/Bufferize.h"
#include "passes/buffer/Passes.h"
#include "passes/cpu/Passes.h"
#include "passes/fuse/Passes.h"
#include "passes/gpu/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/host/Passes.h"
#include "passes/shape/Passes.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tenon {

static bool isGraphOp(Operation *op) {
  return isa<ModuleOp>(op) ||
         isa<func::FuncDialect, scf::SCFDialect, arith::ArithDialect,
             tensor::TensorDialect>(op->getDialect());
}

/// Ops of host code that works with a device.
static bool isDeviceOp(Operation *op) {
  return isa<HostMemoryOp, TransferOp, DeviceLoadOp, DeviceStoreOp,
             DeviceLaunchOp>(op);
}

static bool allowedOnTensors(Operation *op) {
  return isGraphOp(op) ||
         (isa<TenonDialect>(op->getDialect()) &&
          !isa<FusionOp, LaunchOp, FaultOp, StateMemoryOp, StateOffsetOp>(op) &&
          !isDeviceOp(op));
}

static bool allowedFused(Operation *op) {
  if (makesStoredForm(op))
    return bool(op->getParentOfType<WeightOp>());
  if (isGraphOp(op) || isa<FusionOp>(op) || op->getParentOfType<FusionOp>() ||
      op->getParentOfType<WeightOp>())
    return true;
  return isa<WeightOp, GetWeightOp, ConstantOp, ReshapeOp, BoundOp, CheckSizeOp,
             StateOp, StateReadOp, StateWriteOp, ContextExtentOp, GetExtentOp>(
      op);
}

static bool allowedPlaced(Operation *op) {
  if (op->getParentOfType<FusionOp>() || op->getParentOfType<WeightOp>() ||
      isa<FusionOp, WeightOp>(op))
    return true;
  bool tensors =
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
  return !tensors && !isa<memref::AllocOp>(op);
}

static bool allowedPlanned(Operation *op) {
  auto fusion = dyn_cast<FusionOp>(op);
  return allowedPlaced(op) && (!fusion || planOf(fusion));
}

static bool allowedTiled(Operation *op) {
  return op->getParentOfType<WeightOp>() ||
         !isa<TenonDialect>(op->getDialect()) ||
         isa<WeightOp, StateOp, StateOffsetOp, ContextExtentOp, GetExtentOp,
             LaunchOp, FaultOp, BoundOp, CheckSizeOp>(op) ||
         isDeviceOp(op);
}

static bool allowedLLVM(Operation *op) {
  return isa<ModuleOp>(op) ||
         isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect());
}

static void buildShaped(OpPassManager &pm, const PipelineOptions &) {
  // The inliner folds nothing: if an op is folded away, its requirements on its
  // operands are lost. The next pass turns the requirements into checks.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addNestedPass<func::FuncOp>(createCheckSizes());
  // Before variants: the sizes of variants and the multiples of padding are
  // both given for the inputs.
  pm.addPass(createPadDims());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSymbolDCEPass());
}

static void buildFused(OpPassManager &pm, const PipelineOptions &options) {
  // First, while transposes and reshapes of heads are where frontends put them.
  pm.addPass(createFindAttention());
  // While the operands of attention are visible, and before weights are folded.
  pm.addPass(createMergeContractions());
  // Before transposes move: they move past a product, but not past flattened
  // rows.
  pm.addPass(createRestoreRows());
  // Before composites are decomposed: a transpose moves past a whole op, but
  // not past its parts.
  pm.addPass(createPropagateTransposes());
  // After attention is found, while operands are of one type, and before
  // composites are decomposed: their parts are computed in f32 too.
  pm.addNestedPass<func::FuncOp>(createWidenHalves());
  pm.addPass(createCSEPass());
  // After transposes have settled: a transposed kernel becomes a weight of its
  // own.
  pm.addPass(createFoldWeights());
  // After kernels are weights, and while batch normalization is one op.
  if (options.foldBatchNorm)
    pm.addPass(createFoldBatchNorm());
  pm.addPass(createDecomposeComposites());
  // After transposes have moved: they move past one concatenation, but would
  // stop between its parts.
  pm.addPass(createSplitConcatenates());
  // After decomposition: then reductions inside composites are next to the
  // frontends' reshapes too.
  pm.addPass(createSinkReshapes());
  pm.addPass(createAbsorbTransposes());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Again, for folded kernels and for values that decomposition computes from
  // statistics.
  pm.addPass(createFoldWeights());
  pm.addPass(createCSEPass());
  // After kernels have their last order of dimensions.
  pm.addPass(createQuadProducts());
  // After all recipes are made: a contraction reads one weight now.
  PackWeightsOptions pack;
  pack.format = options.weightFormat;
  pm.addPass(createPackWeights(pack));
  pm.addPass(createFoldWeights());
  pm.addPass(createCSEPass());
  // After packing: only contractions read panels, and the groups of a panel are
  // along the sums.
  QuantizeWeightsOptions quantize;
  quantize.format = options.weightFormat;
  pm.addPass(createQuantizeWeights(quantize));
  pm.addPass(createFoldWeights());
  pm.addPass(createCSEPass());
  // After quantization: products with scaled weights have another form. Before
  // fusion: the kernel that computes rows may round them.
  if (options.products != Products::Chain) {
    PlanProductsOptions products;
    products.form = options.products;
    pm.addPass(createPlanProducts(products));
    pm.addPass(createRoundOperands());
    pm.addPass(createFoldWeights());
    pm.addPass(createCSEPass());
  }
  // After every pass that decides how values are rounded: a variant must give
  // the same bits as the code for all sizes.
  pm.addPass(createSpecializeVariants());
  pm.addNestedPass<func::FuncOp>(createPlanFusions());
  // After the last CSE: it would merge equal destinations, and two tensors
  // would have one buffer.
  pm.addNestedPass<func::FuncOp>(createFormFusions());
  // After fusion: the copies of a kernel and their readers are known.
  pm.addNestedPass<func::FuncOp>(createStreamOutputs());
}

static void buildPlaced(OpPassManager &pm, const PipelineOptions &) {
  // Before values have buffers: the old and the new value of a state are still
  // two tensors.
  pm.addNestedPass<func::FuncOp>(createPlaceState());
  pm.addNestedPass<func::FuncOp>(createCarryInPlace());
  pm.addPass(createBufferize());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // After CSE: buffers of equal size have the same SSA value for it.
  pm.addNestedPass<func::FuncOp>(createJoinInPlace());
  pm.addNestedPass<func::FuncOp>(createWriteInPlace());
  pm.addPass(createPlaceBuffers());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Canonicalization that does not simplify the blocks of kernels; LLVM does
/// that.
static GreedyRewriteConfig withBlocksAsTheyAre() {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return config;
}

static void buildPlanned(OpPassManager &pm, const PipelineOptions &options) {
  if (options.device) {
    // Before sides are assigned: constants are buffers like all others then.
    pm.addPass(createPlaceConstants());
    pm.addNestedPass<func::FuncOp>(createAssignSides());
    pm.addNestedPass<func::FuncOp>(createSplitJoins());
    pm.addNestedPass<func::FuncOp>(createInsertTransfers());
    pm.addNestedPass<func::FuncOp>(createPlanDeviceKernels());
  }
  // After buffers: the layout of operands in memory is known.
  pm.addPass(createPlanKernels());
}

static void simplifyKernels(OpPassManager &kernel) {
  kernel.addPass(createCanonicalizerPass(withBlocksAsTheyAre()));
  kernel.addPass(createCSEPass());
  kernel.addPass(createLoopInvariantCodeMotionPass());
}

static void buildTiled(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createLowerFusions());
  if (options.device)
    pm.addPass(createLowerDeviceFusions());
  // Function by function: on the whole module, every kernel would be walked
  // again until the last kernel stops changing.
  simplifyKernels(pm.nest<func::FuncOp>());
  if (options.device)
    simplifyKernels(pm.nest<ModuleOp>().nest<func::FuncOp>());
}

static void simplifyFunctions(OpPassManager &function) {
  function.addPass(createReconcileUnrealizedCastsPass());
  function.addPass(createCanonicalizerPass(withBlocksAsTheyAre()));
}

static void buildLLVM(OpPassManager &pm, const PipelineOptions &options) {
  ConvertToLLVMOptions convert;
  convert.nativeHalf = options.nativeHalf;
  convert.nativeFma = options.nativeFma;
  convert.nativeRound = options.nativeRound;
  // Before entries are made: the dispatcher gets an entry, its variants do not.
  pm.addPass(createDispatchVariants());
  pm.addPass(createMakeEntries());
  if (options.device) {
    pm.addPass(createMakeDeviceEntries());
    pm.nest<ModuleOp>().addNestedPass<func::FuncOp>(
        createSCFToControlFlowPass());
  }
  pm.addNestedPass<func::FuncOp>(createSCFToControlFlowPass());
  pm.addPass(createConvertToLLVM(convert));
  simplifyFunctions(pm.nest<LLVM::LLVMFuncOp>());
  if (options.device)
    simplifyFunctions(pm.nest<ModuleOp>().nest<LLVM::LLVMFuncOp>());
}

ArrayRef<Phase> phaseTable() {
  static const Phase phases[] = {
      {.name = "imported",
       .rule = "only tenon, func, scf, arith and tensor ops on tensors; "
               "weights are symbols",
       .build = nullptr,
       .allowed = allowedOnTensors},
      {.name = "shaped",
       .rule = "every extent is a number or an index value computed from the "
               "inputs",
       .build = buildShaped,
       .allowed = allowedOnTensors},
      {.name = "fused",
       .rule = "all computation on tensors stands inside tenon.fusion regions",
       .build = buildFused,
       .allowed = allowedFused,
       .storesWeights = true,
       .decidesProducts = true},
      {.name = "placed",
       .rule = "no tensors outside fusions: memrefs in one arena, and nothing "
               "allocates",
       .build = buildPlaced,
       .allowed = allowedPlaced},
      {.name = "planned",
       .rule = "each fusion has the plan of its kernel, tiles and tasks",
       .build = buildPlanned,
       .allowed = allowedPlanned,
       .needsTarget = true},
      {.name = "tiled",
       .rule = "each fusion is a function of loops, called by tenon.launch",
       .build = buildTiled,
       .allowed = allowedTiled,
       .decidesProducts = true,
       .needsTarget = true},
      {.name = "llvm",
       .rule = "llvm only; entries have the ABI's signature",
       .build = buildLLVM,
       .allowed = allowedLLVM,
       .needsTarget = true},
  };
  return phases;
}

const Phase *findPhase(StringRef name) {
  const Phase *phase = llvm::find_if(
      phaseTable(), [&](const Phase &phase) { return phase.name == name; });
  return phase == phaseTable().end() ? nullptr : phase;
}

Operation *findViolation(const Phase &phase, ModuleOp module) {
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    if (phase.allowed(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

LogicalResult checkPhase(const Phase &phase, ModuleOp module) {
  if (Operation *op = findViolation(phase, module))
    return op->emitError("still there after phase ")
           << phase.name << ": " << op->getName();
  return success();
}

namespace {
/// The guard of a phase as a pass, so that pipelines fail where the compiler
/// would.
class PhaseGuard : public PassWrapper<PhaseGuard, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PhaseGuard)

  explicit PhaseGuard(const Phase &phase) : phase(phase) {}

  StringRef getName() const override { return "PhaseGuard"; }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(checkPhase(phase, getOperation())))
      signalPassFailure();
  }

private:
  const Phase &phase;
};
} // namespace

void buildPhase(OpPassManager &pm, const Phase &phase,
                const PipelineOptions &options) {
  if (phase.build)
    phase.build(pm, options);
  pm.addPass(std::make_unique<PhaseGuard>(phase));
}

LogicalResult checkSizes(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addNestedPass<func::FuncOp>(createCheckSizes());
  return passes.run(module);
}

void registerPipelineDialects(DialectRegistry &registry) {
  registry
      .insert<TenonDialect, amx::AMXDialect, arith::ArithDialect,
              bufferization::BufferizationDialect, cf::ControlFlowDialect,
              func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
              memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
              tensor::TensorDialect, ub::UBDialect, vector::VectorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  // An arith.select of two buffers keeps both alive.
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  func::registerInlinerExtension(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  registerBufferizableOps(registry);
}

} // namespace tenon
