// Follows the values of a recipe: a value holds bf16 numbers if it is of that
// type, or if it moves or widens values that do.
#include "passes/graph/Bf16Weights.h"

#include "dialects/tenon/Packing.h"

using namespace mlir;

namespace tenon {

bool holdsBf16(WeightOp weight) {
  if (weight.getRecipe().empty() ||
      !getElementTypeOrSelf(weight.getType()).isF32())
    return false;
  DenseSet<Value> found;
  for (Operation &op : weight.getRecipe().front()) {
    if (auto yield = dyn_cast<YieldOp>(op))
      return found.contains(yield.getValues().front());
    Value result = op.getResult(0);
    bool moves = isa<BroadcastInDimOp, ConcatenateOp, PackOp, ReshapeOp,
                     ReverseOp, SliceOp, TransposeOp>(op) ||
                 (isa<ConvertOp>(op) && getElementTypeOrSelf(result).isF32());
    auto holds = [&](Value operand) { return found.contains(operand); };
    if (getElementTypeOrSelf(result).isBF16() ||
        (moves && llvm::all_of(op.getOperands(), holds)))
      found.insert(result);
  }
  return false;
}

} // namespace tenon
