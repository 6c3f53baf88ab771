// The phase table. A comment beside a pass says why it stands there and not
// earlier.
#include "compiler/pipeline/Phases.h"

#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/State.h"
#include "passes/buffer/Bufferize.h"
#include "passes/buffer/Passes.h"
#include "passes/cpu/Passes.h"
#include "passes/fuse/Passes.h"
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
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tenon {

static bool isGraphOp(Operation *op) {
  return isa<ModuleOp>(op) ||
         isa<func::FuncDialect, scf::SCFDialect, arith::ArithDialect,
             tensor::TensorDialect>(op->getDialect());
}

static bool allowedOnTensors(Operation *op) {
  return isGraphOp(op) ||
         (isa<TenonDialect>(op->getDialect()) &&
          !isa<FusionOp, LaunchOp, FaultOp, StateMemoryOp>(op));
}

static bool allowedFused(Operation *op) {
  if (isGraphOp(op) || isa<FusionOp>(op) || op->getParentOfType<FusionOp>() ||
      op->getParentOfType<WeightOp>())
    return true;
  return isa<WeightOp, GetWeightOp, ConstantOp, ReshapeOp, BoundOp, CheckSizeOp,
             StateOp, StateReadOp, StateWriteOp>(op);
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
         isa<WeightOp, StateOp, LaunchOp, FaultOp, BoundOp, CheckSizeOp>(op);
}

static bool allowedLLVM(Operation *op) {
  return isa<ModuleOp>(op) || isa<LLVM::LLVMDialect>(op->getDialect());
}

static void buildShaped(OpPassManager &pm, const PipelineOptions &) {
  // It folds nothing: an op that goes takes along what it demanded of its
  // operands, until the next pass has stated that.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addNestedPass<func::FuncOp>(createCheckSizes());
  // Before variants: their sizes are those of the inputs, and multiples alike.
  pm.addPass(createPadDims());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSymbolDCEPass());
}

static void buildFused(OpPassManager &pm, const PipelineOptions &options) {
  // First: transposes and reshapes of heads stand where frontends put them.
  pm.addPass(createFindAttention());
  // While it is seen what attention reads, and before weights are folded.
  pm.addPass(createMergeContractions());
  // Before transposes move: they pass products, but not flattened rows.
  pm.addPass(createRestoreRows());
  // Before composites fall apart: a transpose passes one whole op, not its
  // parts.
  pm.addPass(createPropagateTransposes());
  pm.addPass(createCSEPass());
  // After transposes have settled: those of kernels become weights of their
  // own.
  pm.addPass(createFoldWeights());
  // After kernels are weights, and while batch normalization is one op.
  if (options.foldBatchNorm)
    pm.addPass(createFoldBatchNorm());
  pm.addPass(createDecomposeComposites());
  // After transposes, which pass one op and would stop between its parts.
  pm.addPass(createSplitConcatenates());
  // After decomposition: composites' inner reductions meet reshapes of
  // frontends too.
  pm.addPass(createSinkReshapes());
  pm.addPass(createAbsorbTransposes());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Once more: folded kernels, and what decomposition computes from statistics.
  pm.addPass(createFoldWeights());
  pm.addPass(createCSEPass());
  // After all recipes are made: what a contraction reads is one weight now.
  PackWeightsOptions pack;
  pack.bits = options.weightBits;
  pm.addPass(createPackWeights(pack));
  pm.addPass(createFoldWeights());
  pm.addPass(createCSEPass());
  // After packing: what lies in panels is read by contractions, and groups
  // follow their sums.
  if (options.weightBits < 32) {
    QuantizeWeightsOptions quantize;
    quantize.bits = options.weightBits;
    pm.addPass(createQuantizeWeights(quantize));
    pm.addPass(createFoldWeights());
    pm.addPass(createCSEPass());
  }
  // After quantization: weights with scales have products of their own. Before
  // fusion: what computes rows may round them.
  if (options.products != Products::Chain) {
    PlanProductsOptions products;
    products.form = options.products;
    pm.addPass(createPlanProducts(products));
    pm.addPass(createRoundOperands());
    pm.addPass(createFoldWeights());
    pm.addPass(createCSEPass());
  }
  // After every pass that decides how something is rounded: a variant has the
  // bits of the code for every size.
  pm.addPass(createSpecializeVariants());
  pm.addNestedPass<func::FuncOp>(createPlanFusions());
  // Last: equal destinations made into one would be one buffer for two tensors.
  pm.addNestedPass<func::FuncOp>(createFormFusions());
  // After fusion: what a kernel copies is known, and who reads it.
  pm.addNestedPass<func::FuncOp>(createStreamOutputs());
}

static void buildPlaced(OpPassManager &pm, const PipelineOptions &) {
  // While values have no buffers: an old and a new value of a state are two
  // tensors still.
  pm.addNestedPass<func::FuncOp>(createPlaceState());
  pm.addNestedPass<func::FuncOp>(createCarryInPlace());
  pm.addPass(createBufferize());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // After CSE: buffers of one size have one value for it.
  pm.addNestedPass<func::FuncOp>(createWriteInPlace());
  pm.addPass(createPlaceBuffers());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Canonicalization of kernels, whose blocks LLVM simplifies.
static GreedyRewriteConfig withBlocksAsTheyAre() {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return config;
}

static void buildPlanned(OpPassManager &pm, const PipelineOptions &) {
  // After buffers: how operands lie in memory is known.
  pm.addPass(createPlanKernels());
}

static void buildTiled(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createLowerFusions());
  // One by one: of the module as a whole, every kernel would be walked again
  // until the last of them settles.
  OpPassManager &kernel = pm.nest<func::FuncOp>();
  kernel.addPass(createCanonicalizerPass(withBlocksAsTheyAre()));
  kernel.addPass(createCSEPass());
  kernel.addPass(createLoopInvariantCodeMotionPass());
}

static void buildLLVM(OpPassManager &pm, const PipelineOptions &options) {
  ConvertToLLVMOptions convert;
  convert.nativeHalf = options.nativeHalf;
  convert.nativeFma = options.nativeFma;
  // Before entries: the dispatcher is what gets one.
  pm.addPass(createDispatchVariants());
  pm.addPass(createMakeEntries());
  pm.addNestedPass<func::FuncOp>(createSCFToControlFlowPass());
  pm.addPass(createConvertToLLVM(convert));
  OpPassManager &function = pm.nest<LLVM::LLVMFuncOp>();
  function.addPass(createReconcileUnrealizedCastsPass());
  function.addPass(createCanonicalizerPass(withBlocksAsTheyAre()));
}

ArrayRef<Phase> phaseTable() {
  static const Phase phases[] = {
      {"imported",
       "only tenon, func, scf, arith and tensor ops on tensors; weights are "
       "symbols",
       nullptr, allowedOnTensors},
      {"shaped",
       "every extent is a number or an index value computed from the inputs",
       buildShaped, allowedOnTensors},
      {"fused", "all computation on tensors stands inside tenon.fusion regions",
       buildFused, allowedFused},
      {"placed",
       "no tensors outside fusions: memrefs in one arena, and nothing "
       "allocates",
       buildPlaced, allowedPlaced},
      {"planned", "each fusion has the plan of its kernel, tiles and tasks",
       buildPlanned, allowedPlanned},
      {"tiled", "each fusion is a function of loops, called by tenon.launch",
       buildTiled, allowedTiled},
      {"llvm", "llvm only; entries have the ABI's signature", buildLLVM,
       allowedLLVM},
  };
  return phases;
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

LogicalResult checkSizes(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addNestedPass<func::FuncOp>(createCheckSizes());
  return passes.run(module);
}

void registerPipelineDialects(DialectRegistry &registry) {
  registry.insert<TenonDialect, amx::AMXDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  ub::UBDialect, vector::VectorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  // A choice of two buffers keeps both alive.
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  func::registerInlinerExtension(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  registerBufferizableOps(registry);
}

void registerPipelines() {
  registerTenonGraphPasses();
  registerTenonShapePasses();
  registerTenonFusePasses();
  registerTenonBufferPasses();
  registerTenonCpuPasses();
  registerTenonHostPasses();
  for (const Phase &phase : phaseTable()) {
    if (!phase.build)
      continue;
    std::string name = ("tenon-to-" + phase.name).str();
    PassPipelineRegistration<>(name, phase.rule, [&phase](OpPassManager &pm) {
      for (const Phase &step : phaseTable()) {
        if (step.build)
          step.build(pm, PipelineOptions());
        if (&step == &phase)
          return;
      }
    });
  }
}

} // namespace tenon
