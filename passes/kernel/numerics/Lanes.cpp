// Arithmetic on kernel values as C++ expressions. Input: lanes of one shape.
// Output: one op of arith or math for each operator, without flags that let a
// later pass regroup it.
#include "passes/kernel/numerics/Lanes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tenon {

Type likeShape(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return vector.clone(element);
  return element;
}

static Value emitSplat(OpBuilder &b, Location loc, Type type, TypedAttr attr) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(vector, attr));
  return arith::ConstantOp::create(b, loc, attr);
}

Value firstLanes(OpBuilder &b, Location loc, int64_t lanes, Value count) {
  return vector::CreateMaskOp::create(
      b, loc, VectorType::get({lanes}, b.getI1Type()), count);
}

Value emitInt(OpBuilder &b, Location loc, Type type, uint64_t bits) {
  Type element = getElementTypeOrSelf(type);
  APInt value = APInt(64, bits).zextOrTrunc(element.getIntOrFloatBitWidth());
  return emitSplat(b, loc, type, b.getIntegerAttr(element, value));
}

Value emitFloat(OpBuilder &b, Location loc, Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  return emitSplat(b, loc, type, b.getFloatAttr(element, value));
}

Type Lanes::element() const { return getElementTypeOrSelf(value.getType()); }

Lanes Lanes::number(double constant) const {
  return {*builder, loc, emitFloat(*builder, loc, type(), constant)};
}

Lanes Lanes::bits(uint64_t constant) const {
  return {*builder, loc, emitInt(*builder, loc, type(), constant)};
}

Lanes Lanes::number(Type element, double constant) const {
  return {*builder, loc,
          emitFloat(*builder, loc, likeShape(type(), element), constant)};
}

Lanes Lanes::bits(Type element, uint64_t constant) const {
  return {*builder, loc,
          emitInt(*builder, loc, likeShape(type(), element), constant)};
}

Lanes Lanes::operator+(const Lanes &other) const {
  return isFloat() ? make<arith::AddFOp>(value, other.value)
                   : make<arith::AddIOp>(value, other.value);
}

Lanes Lanes::operator-(const Lanes &other) const {
  return isFloat() ? make<arith::SubFOp>(value, other.value)
                   : make<arith::SubIOp>(value, other.value);
}

Lanes Lanes::operator*(const Lanes &other) const {
  return isFloat() ? make<arith::MulFOp>(value, other.value)
                   : make<arith::MulIOp>(value, other.value);
}

Lanes Lanes::operator/(const Lanes &other) const {
  return make<arith::DivFOp>(value, other.value);
}

Lanes Lanes::operator&(const Lanes &other) const {
  return make<arith::AndIOp>(value, other.value);
}

Lanes Lanes::operator|(const Lanes &other) const {
  return make<arith::OrIOp>(value, other.value);
}

Lanes Lanes::operator^(const Lanes &other) const {
  return make<arith::XOrIOp>(value, other.value);
}

Lanes Lanes::operator-() const {
  return isFloat() ? make<arith::NegFOp>(value) : bits(0) - *this;
}

Lanes Lanes::operator!() const { return *this ^ bits(~uint64_t(0)); }

Lanes Lanes::operator<<(unsigned amount) const {
  return shiftLeft(bits(amount));
}

Lanes Lanes::operator>>(unsigned amount) const {
  return shiftRight(bits(amount));
}

Lanes Lanes::shiftLeft(const Lanes &amount) const {
  return make<arith::ShLIOp>(value, amount.value);
}

Lanes Lanes::shiftRight(const Lanes &amount) const {
  return make<arith::ShRUIOp>(value, amount.value);
}

Lanes Lanes::shiftRightSigned(const Lanes &amount) const {
  return make<arith::ShRSIOp>(value, amount.value);
}

Lanes Lanes::compare(arith::CmpFPredicate floats, arith::CmpIPredicate ints,
                     const Lanes &other) const {
  return isFloat() ? make<arith::CmpFOp>(floats, value, other.value)
                   : make<arith::CmpIOp>(ints, value, other.value);
}

Lanes Lanes::operator<(const Lanes &other) const {
  return compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, other);
}

Lanes Lanes::operator>(const Lanes &other) const {
  return compare(arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt, other);
}

Lanes Lanes::operator<=(const Lanes &other) const {
  return compare(arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle, other);
}

Lanes Lanes::operator>=(const Lanes &other) const {
  return compare(arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge, other);
}

Lanes Lanes::operator==(const Lanes &other) const {
  return compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, other);
}

Lanes Lanes::operator!=(const Lanes &other) const {
  return compare(arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne, other);
}

Lanes Lanes::isNan() const {
  return make<arith::CmpFOp>(arith::CmpFPredicate::UNO, value, value);
}

Lanes Lanes::below(const Lanes &other) const {
  return make<arith::CmpIOp>(arith::CmpIPredicate::ult, value, other.value);
}

Lanes Lanes::select(const Lanes &onTrue, const Lanes &onFalse) const {
  return make<arith::SelectOp>(value, onTrue.value, onFalse.value);
}

Lanes Lanes::abs() const { return make<math::AbsFOp>(value); }

Lanes Lanes::sqrt() const { return make<math::SqrtOp>(value); }

Lanes Lanes::trunc() const { return make<math::TruncOp>(value); }

Lanes Lanes::copySign(const Lanes &sign) const {
  // LLVM moves a narrowing to f16 into the operands of a copysign. It would
  // then call a library function to narrow an f64 of which only the sign is
  // used.
  if (element().isF64()) {
    Type i64 = IntegerType::get(type().getContext(), 64);
    Lanes raw = sign.bitcast(i64), magnitude = abs();
    return (raw < raw.bits(0)).select(-magnitude, magnitude);
  }
  return make<math::CopySignOp>(value, sign.value);
}

Lanes Lanes::bitcast(Type element) const {
  return make<arith::BitcastOp>(likeShape(type(), element), value);
}

Lanes Lanes::signExtend(Type element) const {
  return make<arith::ExtSIOp>(likeShape(type(), element), value);
}

Lanes Lanes::zeroExtend(Type element) const {
  return make<arith::ExtUIOp>(likeShape(type(), element), value);
}

Lanes Lanes::truncate(Type element) const {
  return make<arith::TruncIOp>(likeShape(type(), element), value);
}

Lanes Lanes::widenFloat(Type element) const {
  return make<arith::ExtFOp>(likeShape(type(), element), value);
}

Lanes Lanes::narrowFloat(Type element) const {
  return make<arith::TruncFOp>(likeShape(type(), element), value);
}

Lanes Lanes::signedToFloat(Type element) const {
  return make<arith::SIToFPOp>(likeShape(type(), element), value);
}

Lanes Lanes::unsignedToFloat(Type element) const {
  return make<arith::UIToFPOp>(likeShape(type(), element), value);
}

Lanes Lanes::floatToSigned(Type element) const {
  return make<arith::FPToSIOp>(likeShape(type(), element), value);
}

Lanes Lanes::floatToUnsigned(Type element) const {
  return make<arith::FPToUIOp>(likeShape(type(), element), value);
}

Lanes fma(const Lanes &a, const Lanes &b, const Lanes &c) {
  return a.make<math::FmaOp>(a.get(), b.get(), c.get());
}

Lanes fma(const Lanes &a, double b, const Lanes &c) {
  return fma(a, a.number(b), c);
}

Lanes horner(const Lanes &x, llvm::ArrayRef<double> coefficients) {
  assert(!coefficients.empty() && "a polynomial has a coefficient");
  Lanes sum = x.number(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, x.number(c));
  return sum;
}

// The comparison selects the bound. It is false for NaN, so NaN stays. x86's
// minps and maxps behave exactly so.
Lanes limitAbove(const Lanes &x, double high) {
  Lanes bound = x.number(high);
  return (bound < x).select(bound, x);
}

Lanes limitBelow(const Lanes &x, double low) {
  Lanes bound = x.number(low);
  return (bound > x).select(bound, x);
}

Lanes limit(const Lanes &x, double low, double high) {
  return limitAbove(limitBelow(x, low), high);
}

} // namespace tenon
