// Shuffles by halves, which cost little or, where they meet a load, nothing.
#include "passes/cpu/HalfVectors.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

static int64_t lanesOf(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

/// Lanes [low, low + half) of a, then [high, high + half) of a and b side by
/// side.
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

SmallVector<Value> shareHalves(OpBuilder &b, Location loc, ValueRange sums,
                               int64_t rows) {
  int64_t vectors = int64_t(sums.size()) / rows;
  SmallVector<Value> shared;
  for (int64_t i = 0; i < rows * vectors; ++i)
    if (i % vectors != vectors - 1)
      shared.push_back(sums[i]);
  for (int64_t row = 0; row < rows; row += 2) {
    Value low = sums[(row + 1) * vectors - 1];
    if (row + 1 < rows) {
      Value high = sums[(row + 2) * vectors - 1];
      int64_t lanes = lanesOf(low);
      low = halves(b, loc, low, high, 0, lanes, lanes / 2);
    }
    shared.push_back(low);
  }
  return shared;
}

SmallVector<Value> partHalves(OpBuilder &b, Location loc, ValueRange shared,
                              int64_t rows) {
  int64_t lasts = (rows + 1) / 2,
          whole = (int64_t(shared.size()) - lasts) / rows;
  SmallVector<Value> sums;
  for (int64_t row = 0; row < rows; ++row) {
    llvm::append_range(sums, shared.slice(row * whole, whole));
    Value last = shared[rows * whole + row / 2];
    int64_t half = lanesOf(last) / 2;
    sums.push_back(row % 2 ? halves(b, loc, last, last, half, half, half)
                           : last);
  }
  return sums;
}

} // namespace tenon
