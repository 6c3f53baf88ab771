// Writes the plan of each fusion's kernel into the IR. The emitters' own
// analysis finds the nest of a contraction and the operands of attention, in a
// function that is then erased. So a plan always fits the kernel that is
// emitted. The decisions are arithmetic on static facts.
#include "passes/cpu/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/Remarks.h"
#include "passes/cpu/ContractionEmitter.h"
#include "passes/cpu/attention/AttentionEmitter.h"
#include "passes/kernel/KernelFunction.h"
#include "passes/kernel/LaunchSizes.h"
#include "passes/kernel/index/IndexKernels.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tenon-plan-kernels"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PLANKERNELS
#include "passes/cpu/Passes.h.inc"

namespace {
struct PlanKernels : impl::PlanKernelsBase<PlanKernels> {
  void runOnOperation() override {
    getOperation().walk([](FusionOp fusion) {
      if (annotation::onDevice.isOn(fusion))
        return;
      const char *obstacle = nullptr;
      Attribute plan = planFor(fusion, obstacle);
      LDBG() << spellNode(fusion) << ": " << plan;
      annotation::plan.set(fusion, plan);
      report(fusion, plan, obstacle);
    });
  }

  /// Reports the plan of a fusion that may have tiles. Fusions of other kinds
  /// have no choice.
  static void report(FusionOp fusion, Attribute plan, const char *obstacle) {
    if (obstacle) {
      if (auto remark =
              remarkMissed(fusion, RemarkCategory::Kernels, "general"))
        remark << (stringifyFusionKind(fusion.getKind()) +
                   " kernel computes element by element")
                      .str()
               << because(obstacle);
    } else if (!isa<GeneralPlanAttr>(plan)) {
      if (auto remark = remarkDone(fusion, RemarkCategory::Kernels, "tiled"))
        remark << llvm::formatv("{0} kernel has the plan {1}",
                                stringifyFusionKind(fusion.getKind()), plan)
                      .str();
    }
  }

  /// Sets `obstacle` if a fusion that may have tiles has none.
  static Attribute planFor(FusionOp fusion, const char *&obstacle) {
    Attribute plan;
    // Strides of a shape without elements may overflow.
    bool isEmpty = hasNoElements(fusion);
    if (!isEmpty && fusion.getKind() == FusionKind::Contraction)
      plan = inScratch(fusion, [&](Kernel &kernel) {
        return planContraction(kernel, obstacle);
      });
    if (!isEmpty && fusion.getKind() == FusionKind::Attention)
      plan = inScratch(fusion, [&](Kernel &kernel) -> Attribute {
        return planAttention(kernel, obstacle);
      });
    if (!isEmpty && fusion.getKind() == FusionKind::Scatter)
      plan = planUpdate(fusion);
    return plan ? plan : GeneralPlanAttr::get(fusion.getContext());
  }

  static Attribute inScratch(FusionOp fusion,
                             llvm::function_ref<Attribute(Kernel &)> plan) {
    OwningOpRef<func::FuncOp> func =
        func::FuncOp::create(fusion.getLoc(), "scratch", kernelType(fusion));
    Kernel kernel = startKernel(fusion, *func);
    return plan(kernel);
  }
};
} // namespace
} // namespace tenon
