// A vector's lanes are combined once for each row. For the position of the
// greatest of a few elements that costs more than comparing them one by one.
#include "passes/fuse/RowReduction.h"

#include "dialects/tenon/TenonDialect.h"

using namespace mlir;

namespace tenon {

/// Positions in shorter rows are found element by element.
constexpr int64_t fewestColumns = 16;

bool reducesRows(Operation *op) {
  if (auto arg = dyn_cast<ArgReduceOp>(op)) {
    RankedTensorType type = arg.getOperand().getType();
    int64_t dim = arg.getDim();
    return dim + 1 == type.getRank() &&
           (type.isDynamicDim(dim) || type.getDimSize(dim) >= fewestColumns);
  }
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && reduce.getDims().size() == 1 &&
         reduce.getDims()[0] ==
             cast<RankedTensorType>(reduce.getOperand().getType()).getRank() -
                 1;
}

} // namespace tenon
