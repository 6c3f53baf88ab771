// Shuffles of half vectors. They cost little, or nothing if a load does them.
#include "passes/cpu/tile/HalfVectors.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

static int64_t lanesOf(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

/// Lanes [low, low + half) followed by lanes [high, high + half). The lanes of
/// `other` are numbered after the lanes of `a`.
static Value halves(OpBuilder &b, Location loc, Value a, Value other,
                    int64_t low, int64_t high, int64_t half) {
  SmallVector<int64_t> lanes;
  for (int64_t start : {low, high})
    for (int64_t lane = 0; lane < half; ++lane)
      lanes.push_back(start + lane);
  return vector::ShuffleOp::create(b, loc, a, other, lanes);
}

Value blendHalves(OpBuilder &b, Location loc, Value low, Value high) {
  int64_t lanes = lanesOf(low);
  return halves(b, loc, low, high, 0, lanes + lanes / 2, lanes / 2);
}

Value repeatHalf(OpBuilder &b, Location loc, Value half) {
  return halves(b, loc, half, half, 0, 0, lanesOf(half));
}

SmallVector<Value> SharedSums::share(OpBuilder &b, Location loc,
                                     ValueRange sums) const {
  auto rowOf = [&](int64_t row) {
    return sums.slice(row * (whole + 1), whole + 1);
  };
  SmallVector<Value> shared;
  for (int64_t row = 0; row < rows; ++row)
    llvm::append_range(shared, rowOf(row).drop_back());
  for (int64_t row = 0; row < rows; row += 2) {
    Value last = rowOf(row).back();
    if (row + 1 < rows) {
      int64_t lanes = lanesOf(last);
      last = halves(b, loc, last, rowOf(row + 1).back(), 0, lanes, lanes / 2);
    }
    shared.push_back(last);
  }
  return shared;
}

SmallVector<Value> SharedSums::part(OpBuilder &b, Location loc,
                                    ValueRange shared) const {
  SmallVector<Value> sums;
  for (int64_t row = 0; row < rows; ++row) {
    llvm::append_range(sums, shared.slice(row * whole, whole));
    Value last = shared[placeOfHalf(row)];
    int64_t half = lanesOf(last) / 2;
    sums.push_back(row % 2 ? halves(b, loc, last, last, half, half, half)
                           : last);
  }
  return sums;
}

} // namespace tenon
