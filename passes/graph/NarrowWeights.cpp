// Follows the values of a recipe: a value holds numbers of 16 bits if it is of
// such a type, or if it moves or widens values that hold numbers of one such
// type.
#include "passes/graph/NarrowWeights.h"

#include "dialects/tenon/Packing.h"

using namespace mlir;

namespace tenon {

FloatType narrowElementOf(WeightOp weight) {
  if (weight.getRecipe().empty() ||
      !getElementTypeOrSelf(weight.getType()).isF32())
    return {};
  DenseMap<Value, FloatType> found;
  for (Operation &op : weight.getRecipe().front()) {
    if (auto yield = dyn_cast<YieldOp>(op))
      return found.lookup(yield.getValues().front());
    Value result = op.getResult(0);
    Type element = getElementTypeOrSelf(result);
    bool moves = isa<BroadcastInDimOp, ConcatenateOp, PackOp, ReshapeOp,
                     ReverseOp, SliceOp, TransposeOp>(op) ||
                 (isa<ConvertOp>(op) && element.isF32());
    if (element.isF16() || element.isBF16()) {
      found[result] = cast<FloatType>(element);
    } else if (moves && op.getNumOperands() > 0) {
      FloatType first = found.lookup(op.getOperand(0));
      bool areAlike = llvm::all_of(op.getOperands(), [&](Value operand) {
        return found.lookup(operand) == first;
      });
      if (first && areAlike)
        found[result] = first;
    }
  }
  return {};
}

} // namespace tenon
