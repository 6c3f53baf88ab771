// Writes the plans of the device's kernels. A contraction of a tile or more is
// computed in tiles, and a row by threads of a warp. Kernels that order or
// count elements have a block of threads for a row.
#include "passes/gpu/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/KernelPlan.h"
#include "passes/gpu/BlockAttention.h"
#include "passes/gpu/BlockScan.h"
#include "passes/gpu/BlockSort.h"
#include "passes/gpu/BlockTile.h"
#include "passes/gpu/DeviceUpdate.h"
#include "passes/gpu/FewRows.h"
#include "passes/gpu/WarpRows.h"
#include "passes/gpu/WideMap.h"
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
    switch (fusion.getKind()) {
    case FusionKind::Attention:
      return planBlockAttention(kernel);
    case FusionKind::Contraction:
      return planContraction(kernel);
    case FusionKind::Map:
      return planWideMap(kernel);
    case FusionKind::Rows:
      return planWarpRows(kernel);
    default:
      return {};
    }
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
    switch (fusion.getKind()) {
    case FusionKind::Scatter:
      plan = planDeviceUpdate(fusion);
      break;
    case FusionKind::Sort:
      plan = planBlockSort(fusion);
      break;
    case FusionKind::Scan:
      plan = planBlockScan(fusion);
      break;
    case FusionKind::Opaque:
      plan = BlockPlanAttr::get(fusion.getContext());
      break;
    default:
      plan = planOfOperands(fusion);
    }
    return plan ? plan : GeneralPlanAttr::get(fusion.getContext());
  }
};
} // namespace
} // namespace tenon
