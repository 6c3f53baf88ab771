// Vectors of a tile: loaded, stored, folded.
#include "passes/cpu/AttentionTile.h"

#include "passes/cpu/Lanes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

using Combine = llvm::function_ref<Value(Value, Value)>;

Value greater(OpBuilder &b, Location loc, Value a, Value other) {
  Lanes left(b, loc, a), right(b, loc, other);
  return (right > left).select(right, left).get();
}

Value foldLanes(OpBuilder &b, Location loc, Value vector, Combine combine) {
  int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0);
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(half + lane);
    }
    vector = combine(vector::ShuffleOp::create(b, loc, vector, vector, low),
                     vector::ShuffleOp::create(b, loc, vector, vector, high));
  }
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{0});
}

/// Vectors are folded in pairs, so that one holds twice as many rows' folds in
/// segments half as long, in the rows' order.
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

Value AttentionTile::splat(Value scalar) {
  return vector::BroadcastOp::create(
      b, loc, VectorType::get({sizes.lanes}, scalar.getType()), scalar);
}
Value AttentionTile::number(double value) {
  return emitFloat(b, loc, vectorType(), value);
}
AttentionTile::Values AttentionTile::places(int64_t vectors) {
  Values result;
  for (int64_t v = 0; v < vectors; ++v)
    result.push_back(at().constant(v * sizes.lanes));
  return result;
}
Value AttentionTile::load(Value memory, Value place) {
  return vector::LoadOp::create(b, loc, vectorType(), memory, place);
}
void AttentionTile::store(Value vector, Value memory, Value place) {
  vector::StoreOp::create(b, loc, vector, memory, place);
}
Value AttentionTile::loadOne(Value memory, Value place) {
  return memref::LoadOp::create(b, loc, memory, place);
}

} // namespace tenon
