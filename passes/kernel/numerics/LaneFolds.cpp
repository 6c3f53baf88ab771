// Each step combines the low halves of vectors with their high halves, by
// shuffles.
#include "passes/kernel/numerics/LaneFolds.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

Value foldLanes(OpBuilder &b, Location loc, SmallVector<Value> vectors,
                Combine combine) {
  for (; vectors.size() > 1; vectors.resize(vectors.size() / 2))
    for (size_t v = 0; v < vectors.size() / 2; ++v)
      vectors[v] = combine(vectors[v], vectors[v + vectors.size() / 2]);
  Value last = vectors.front();
  int64_t lanes = cast<VectorType>(last.getType()).getDimSize(0);
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(half + lane);
    }
    last = combine(vector::ShuffleOp::create(b, loc, last, last, low),
                   vector::ShuffleOp::create(b, loc, last, last, high));
  }
  return vector::ExtractOp::create(b, loc, last, ArrayRef<int64_t>{0});
}

/// Each step combines neighbouring vectors. The result holds twice as many
/// rows, each in a segment of half the lanes, in the order of the rows.
Value foldRows(OpBuilder &b, Location loc, ArrayRef<Value> rows, Value neutral,
               Combine combine) {
  int64_t lanes = cast<VectorType>(neutral.getType()).getDimSize(0);
  SmallVector<Value> folded(rows);
  folded.resize(lanes, neutral);
  for (int64_t segment = lanes; segment > 1; segment /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < 2 * lanes; ++lane)
      (lane % segment < segment / 2 ? low : high).push_back(lane);
    for (size_t i = 0; i < folded.size() / 2; ++i) {
      Value first = folded[2 * i], second = folded[2 * i + 1];
      folded[i] =
          first == neutral && second == neutral
              ? neutral
              : combine(vector::ShuffleOp::create(b, loc, first, second, low),
                        vector::ShuffleOp::create(b, loc, first, second, high));
    }
    folded.resize(folded.size() / 2);
  }
  return folded.front();
}

} // namespace tenon
