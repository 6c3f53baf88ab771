// An operand of a contraction in memory. It hides the form in which the operand
// is stored, so that ContractionNest needs only strides.
#ifndef TENON_PASSES_KERNEL_NEST_CONTRACTIONOPERAND_H
#define TENON_PASSES_KERNEL_NEST_CONTRACTIONOPERAND_H

#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// The extents and strides of an operand. If it is in panels, the stride of
/// `panelDim` holds within a panel. If it is in words, its depth counts the
/// words.
struct ContractionOperand {
  mlir::Value memory;
  mlir::Type element;
  llvm::SmallVector<mlir::Value> extents, strides;
  std::optional<int64_t> panelDim;
  std::optional<ColumnPanels> panels;
  int64_t sumsPerElement = 1, group = 0;
  std::optional<GroupScales> scales;
  bool isTransposed = false; ///< dimensions are not in the order of memory

  ContractionOperand(Kernel &kernel, mlir::Value tensor);

private:
  void seeThrough(Kernel &kernel, DequantizeOp dequantize, IndexBuilder at);
  void seeThrough(UnpackOp unpack, IndexBuilder at);
};

/// True if both operands are in memory. Pairs also need bf16 rows, packed words
/// and an instruction for pairs; quads need packed words.
bool inMemory(Kernel &kernel, mlir::Value lhs, mlir::Value rhs,
              Products products);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NEST_CONTRACTIONOPERAND_H
