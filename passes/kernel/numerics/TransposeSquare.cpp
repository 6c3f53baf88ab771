// Swaps halves of pairs of lines at each distance.
#include "passes/kernel/numerics/TransposeSquare.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

void transposeSquare(OpBuilder &b, Location loc, MutableArrayRef<Value> lines) {
  int64_t count = lines.size();
  for (int64_t distance = count / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < count; ++lane) {
      bool upper = lane & distance;
      low.push_back(upper ? count + lane - distance : lane);
      high.push_back(upper ? count + lane : lane + distance);
    }
    for (int64_t i = 0; i < count; ++i) {
      if (i & distance)
        continue;
      Value first = lines[i], second = lines[i + distance];
      lines[i] = vector::ShuffleOp::create(b, loc, first, second, low);
      lines[i + distance] =
          vector::ShuffleOp::create(b, loc, first, second, high);
    }
  }
}

} // namespace tenon
