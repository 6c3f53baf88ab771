// An operand of a contraction in memory, seen through the form in which it is
// stored. Goes to ContractionNest, which needs to know strides alone.
#ifndef TENON_PASSES_KERNEL_NEST_CONTRACTIONOPERAND_H
#define TENON_PASSES_KERNEL_NEST_CONTRACTIONOPERAND_H

#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// Extents and how far one step along each moves; along `panelDim`, if it lies
/// in panels, within a panel. One in pairs has half the depth.
struct ContractionOperand {
  mlir::Value memory;
  mlir::Type element;
  llvm::SmallVector<mlir::Value> extents, strides;
  std::optional<int64_t> panelDim;
  std::optional<ColumnPanels> panels;
  int64_t sumsPerElement = 1, group = 0;
  std::optional<GroupScales> scales;

  ContractionOperand(Kernel &kernel, mlir::Value tensor);

private:
  void seeThrough(Kernel &kernel, DequantizeOp dequantize, IndexBuilder at);
  void seeThrough(UnpackOp unpack, IndexBuilder at);
};

/// True if both operands are in memory; paired products also need bf16 rows,
/// packed words and an instruction for pairs.
bool inMemory(Kernel &kernel, mlir::Value lhs, mlir::Value rhs,
              Products products);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NEST_CONTRACTIONOPERAND_H
