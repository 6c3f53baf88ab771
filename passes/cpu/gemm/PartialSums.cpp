// Rows are contiguous; each is as wide as a full panel.
#include "passes/cpu/gemm/PartialSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

void PartialSums::reserve(int64_t rows) {
  memory = scratchOf(type.getElementType(), rows * width);
}

Value PartialSums::placeOf(Value row, int64_t vector) {
  return at().add(at().mul(row, at().constant(width)),
                  at().constant(vector * type.getNumElements()));
}

Value PartialSums::load(Value row, int64_t vector) {
  return vector::LoadOp::create(b, loc, type, memory, placeOf(row, vector));
}

void PartialSums::store(Value sum, Value row, int64_t vector) {
  vector::StoreOp::create(b, loc, sum, memory, placeOf(row, vector));
}

PartialSums::Values PartialSums::loadRows(int64_t vectors, Value row,
                                          int64_t count) {
  Values sums;
  for (int64_t r = 0; r < count; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      sums.push_back(load(at().add(row, at().constant(r)), v));
  return sums;
}

void PartialSums::storeRows(int64_t vectors, Value row, ArrayRef<Value> sums) {
  for (auto [i, sum] : llvm::enumerate(sums))
    store(sum, at().add(row, at().constant(int64_t(i) / vectors)),
          int64_t(i) % vectors);
}

void PartialSums::clear(int64_t vectors, Value count, int64_t tileRows) {
  Value whole =
      at().mul(at().ceilDiv(count, tileRows), at().constant(tileRows));
  forRange(at().constant(0), whole, 1,
           [&](Value row) { storeRows(vectors, row, zeros(vectors)); });
}

PartialSums::Values PartialSums::zeros(int64_t count) {
  return Values(count, arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
}

} // namespace tenon
