// A comparison and a selection, so that every machine treats NaN alike.
#include "passes/kernel/attention/RowMaximum.h"

#include "passes/kernel/numerics/Lanes.h"

using namespace mlir;

namespace tenon {

Value greater(OpBuilder &b, Location loc, Value a, Value other) {
  Lanes left(b, loc, a), right(b, loc, other);
  return (right > left).select(right, left).get();
}

} // namespace tenon
