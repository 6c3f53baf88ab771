// Loads, stores and compares the vectors of a tile.
#include "passes/cpu/attention/AttentionTile.h"

#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/Lanes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

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
Value AttentionTile::loadLanes(const BlockRows &rows, Value place) {
  auto type = VectorType::get(
      {sizes.lanes}, cast<MemRefType>(rows.memory.getType()).getElementType());
  return emitConvert(b, loc,
                     vector::LoadOp::create(b, loc, type, rows.memory, place),
                     rows.element, b.getF32Type());
}
void AttentionTile::store(Value vector, Value memory, Value place) {
  vector::StoreOp::create(b, loc, vector, memory, place);
}
Value AttentionTile::loadOne(Value memory, Value place) {
  return memref::LoadOp::create(b, loc, memory, place);
}
SoonRows AttentionTile::keysOf(const KeyBlock &block) {
  return {block.keys, at().sub(block.count, at().constant(1)), sizes.depth};
}
SoonRows AttentionTile::valuesOf(const KeyBlock &block) {
  return {block.values, at().sub(block.count, at().constant(1)),
          sizes.valueDepth};
}
void AttentionTile::prefetchRow(const SoonRows &soon, Value row) {
  const auto &[memory, base, stride, element] = soon.rows;
  Value place = at().add(base, at().mul(at().min(row, soon.last), stride));
  int64_t line = kernel.machine.getLine() * 8 /
                 cast<MemRefType>(memory.getType()).getElementTypeBitWidth();
  unsigned locality = kernel.machine.getReadsAhead() ? 2 : 3;
  for (int64_t i = 0; i < soon.width; i += line)
    memref::PrefetchOp::create(b, loc, memory,
                               at().add(place, at().constant(i)),
                               /*isWrite=*/false, locality,
                               /*isDataCache=*/true);
}

} // namespace tenon
