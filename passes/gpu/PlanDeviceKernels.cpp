// Writes the plans of the device's kernels. A contraction of a tile or more is
// computed in tiles. Kernels that order or count elements have a block of
// threads for a row.
#include "passes/gpu/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/KernelPlan.h"
#include "passes/gpu/BlockAttention.h"
#include "passes/gpu/BlockScan.h"
#include "passes/gpu/BlockSort.h"
#include "passes/gpu/BlockTile.h"
#include "passes/gpu/DeviceUpdate.h"
#include "passes/gpu/FewRows.h"
#include "passes/kernel/KernelFunction.h"
#include "passes/kernel/LaunchSizes.h"
#include "passes/kernel/nest/KernelNests.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PLANDEVICEKERNELS
#include "passes/gpu/Passes.h.inc"

namespace {
struct PlanDeviceKernels : impl::PlanDeviceKernelsBase<PlanDeviceKernels> {
  void runOnOperation() override {
    getOperation().walk([](FusionOp fusion) {
      if (annotation::onDevice.isOn(fusion))
        annotation::plan.set(fusion, planFor(fusion));
    });
  }

  /// A plan that depends on the operands' extents and strides: it finds them in
  /// a function that is then erased.
  static Attribute planOfOperands(FusionOp fusion) {
    OwningOpRef<func::FuncOp> func =
        func::FuncOp::create(fusion.getLoc(), "scratch", kernelType(fusion));
    Kernel kernel = startKernel(fusion, *func);
    if (fusion.getKind() == FusionKind::Attention)
      return planBlockAttention(kernel);
    return planContraction(kernel);
  }

  static Attribute planContraction(Kernel &kernel) {
    Operation *contraction = contractionOf(kernel);
    if (!contraction)
      return {};
    const char *obstacle = nullptr;
    std::vector<ContractionNest> nests = nestsOf(kernel, contraction, obstacle);
    if (nests.size() != 1)
      return {};
    const ContractionNest &nest = nests.front();
    if (BlockTilePlanAttr tile = planBlockTile(kernel, nest))
      return tile;
    return planFewRows(kernel, nest, knownProduct(nest.rows).value_or(8));
  }

  static Attribute planFor(FusionOp fusion) {
    Attribute plan;
    if (hasNoElements(fusion))
      return GeneralPlanAttr::get(fusion.getContext());
    if (fusion.getKind() == FusionKind::Scatter)
      plan = planDeviceUpdate(fusion);
    if (fusion.getKind() == FusionKind::Sort)
      plan = planBlockSort(fusion);
    if (fusion.getKind() == FusionKind::Scan)
      plan = planBlockScan(fusion);
    if (fusion.getKind() == FusionKind::Opaque)
      plan = BlockPlanAttr::get(fusion.getContext());
    if (fusion.getKind() == FusionKind::Contraction ||
        fusion.getKind() == FusionKind::Attention)
      plan = planOfOperands(fusion);
    return plan ? plan : GeneralPlanAttr::get(fusion.getContext());
  }
};
} // namespace
} // namespace tenon
