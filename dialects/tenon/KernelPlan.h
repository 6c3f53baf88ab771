// The plan of a fusion's kernel, as an attribute of the fusion.
#ifndef TENON_DIALECTS_TENON_KERNELPLAN_H
#define TENON_DIALECTS_TENON_KERNELPLAN_H

#include "dialects/tenon/TenonDialect.h"

#define GET_ATTRDEF_CLASSES
#include "dialects/tenon/KernelPlan.h.inc"

namespace tenon {

/// The plan of `fusion`; null before tenon-plan-kernels.
mlir::Attribute planOf(FusionOp fusion);

/// The plans of a contraction in register tiles, one for each nest.
llvm::SmallVector<TilePlanAttr> tilesOf(mlir::Attribute plan);

/// Checks that `plan`, if there is one, is a plan for the kind of `fusion`.
llvm::LogicalResult verifyPlan(FusionOp fusion, mlir::Attribute plan);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_KERNELPLAN_H
