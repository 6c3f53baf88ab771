// Each part holds eight bits of the mantissa. A part is rounded to nearest,
// with ties away from zero, because that takes only one addition. The remainder
// is exact for either direction of a tie. With three parts, the second and the
// third are truncated instead, which takes no addition: after a rounded first
// part the second one is small enough for that.
#include "passes/cpu/tile/BfloatParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tenon {

static Value words(OpBuilder &b, Location loc, VectorType type, int32_t word) {
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, b.getI32IntegerAttr(word)));
}

static VectorType wordsLike(OpBuilder &b, Value floats) {
  return cast<VectorType>(floats.getType()).clone(b.getI32Type());
}

SmallVector<Value> emitParts(OpBuilder &b, Location loc, Value floats,
                             int64_t count) {
  VectorType type = wordsLike(b, floats);
  SmallVector<Value> parts;
  Value rest = floats;
  for (int64_t part = 0; part < count; ++part) {
    Value bits = arith::BitcastOp::create(b, loc, type, rest);
    if (part == 0 || count == 2)
      bits = arith::AddIOp::create(b, loc, bits, words(b, loc, type, 0x8000));
    bits = arith::AndIOp::create(b, loc, bits, words(b, loc, type, -65536));
    // Rounding can turn a NaN into zero. The third of three parts is still a
    // NaN.
    if (part + 1 == count && count < 3) {
      Value isNan =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, rest, rest);
      bits = arith::SelectOp::create(b, loc, isNan,
                                     words(b, loc, type, 0x7fc00000), bits);
    }
    parts.push_back(bits);
    if (part + 1 < count)
      rest = arith::SubFOp::create(
          b, loc, rest,
          arith::BitcastOp::create(b, loc, floats.getType(), bits));
  }
  return parts;
}

Value joinHalves(OpBuilder &b, Location loc, Value low, Value high) {
  auto type = cast<VectorType>(low.getType());
  Value half = arith::ShRUIOp::create(b, loc, low, words(b, loc, type, 16));
  return arith::OrIOp::create(b, loc, high, half);
}

Magnitudes emitNoMagnitudes(OpBuilder &b, Location loc, int64_t lanes) {
  auto type = VectorType::get({lanes}, b.getI32Type());
  return {words(b, loc, type, -1), words(b, loc, type, 0)};
}

Magnitudes emitUpdate(OpBuilder &b, Location loc, Magnitudes magnitudes,
                      Value floats) {
  VectorType type = wordsLike(b, floats);
  Value bits = arith::BitcastOp::create(b, loc, type, floats);
  Value twice = arith::AddIOp::create(b, loc, bits, bits);
  Value less = arith::AddIOp::create(b, loc, twice, words(b, loc, type, -1));
  return {arith::MinUIOp::create(b, loc, magnitudes.least, less),
          arith::MaxUIOp::create(b, loc, magnitudes.greatest, twice)};
}

} // namespace tenon
