// One walk over a module checks every tensor, whatever format the model had.
#include "dialects/tenon/SizeLimit.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (!llvm::AddOverflow(a, b, sum))
    return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t product;
  if (!llvm::MulOverflow(a, b, product))
    return product;
  return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

bool isWithinSpan(ArrayRef<int64_t> extents) {
  int64_t span = 1;
  for (int64_t extent : extents)
    if (!ShapedType::isDynamic(extent) && extent != 0)
      span = saturatingMul(span, extent);
  return span <= maxSpan;
}

static bool isWithinSpan(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return !type || isWithinSpan(type.getShape());
}

LogicalResult checkSpans(ModuleOp module) {
  auto check = [](Value value, Location loc) -> WalkResult {
    if (isWithinSpan(value))
      return WalkResult::advance();
    emitError(loc) << "limit: expected the product of a tensor's extents other "
                      "than zero to be at most "
                   << maxSpan << ", got " << value.getType();
    return WalkResult::interrupt();
  };
  WalkResult result = module.walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (check(value, op->getLoc()).wasInterrupted())
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (check(argument, argument.getLoc()).wasInterrupted())
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace tenon
