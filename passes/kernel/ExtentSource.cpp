// Maps a dimension of a result to the operand's dimension with the same extent.
#include "passes/kernel/ExtentSource.h"

#include "dialects/tenon/TenonDialect.h"

using namespace mlir;

namespace tenon {

/// A dimension of slices is one of the operand that is read as a whole; the
/// others are those of the indices without the index vectors.
static std::pair<Value, int64_t> sourceInGather(GatherOp gather, int64_t dim) {
  auto before = [&](ArrayRef<int64_t> dims) {
    return llvm::count_if(dims, [&](int64_t other) { return other < dim; });
  };
  int64_t windowDims = before(gather.getOffsetDims());
  if (!llvm::is_contained(gather.getOffsetDims(), dim)) {
    int64_t batchDim = dim - windowDims;
    return {gather.getIndices(),
            batchDim + (batchDim >= int64_t(gather.getIndexVectorDim()))};
  }
  int64_t operandDim = 0;
  auto isDropped = [&] {
    return llvm::is_contained(gather.getCollapsedDims(), operandDim) ||
           llvm::is_contained(gather.getOperandBatchingDims(), operandDim);
  };
  for (;; ++operandDim)
    if (!isDropped() && windowDims-- == 0)
      return {gather.getOperand(), operandDim};
}

std::optional<std::pair<Value, int64_t>> extentSource(Operation *op,
                                                      int64_t dim) {
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return std::pair(transpose.getOperand(), transpose.getPermutation()[dim]);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    for (int64_t reduced : reduce.getDims())
      dim += reduced <= dim;
    return std::pair(reduce.getOperand(), dim);
  }
  if (auto arg = dyn_cast<ArgReduceOp>(op))
    return std::pair(arg.getOperand(), dim + (int64_t(arg.getDim()) <= dim));
  if (auto gather = dyn_cast<GatherOp>(op))
    return sourceInGather(gather, dim);
  auto product = dyn_cast<DotGeneralOp>(op);
  if (!product)
    return std::nullopt;
  ArrayRef<int64_t> batch = product.getLhsBatch();
  SmallVector<int64_t> lhsFree = product.getLhsFree();
  if (dim < int64_t(batch.size()))
    return std::pair(product.getLhs(), batch[dim]);
  dim -= batch.size();
  if (dim < int64_t(lhsFree.size()))
    return std::pair(product.getLhs(), lhsFree[dim]);
  return std::pair(product.getRhs(),
                   product.getRhsFree()[dim - lhsFree.size()]);
}

} // namespace tenon
