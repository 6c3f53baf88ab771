// Maps a dimension of a result to the operand's dimension with the same extent.
#include "passes/kernel/ExtentSource.h"

#include "dialects/tenon/TenonDialect.h"

using namespace mlir;

namespace tenon {

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
