// Conversions between element types of kernels. f16 and bf16 are converted
// through f32. If two roundings on that way could differ from one, the first
// rounds to odd, so that only the last one decides the result.
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/Lanes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;

namespace tenon {

Type kernelElementType(Type tenonElement) {
  if (auto type = dyn_cast<IntegerType>(tenonElement))
    return IntegerType::get(type.getContext(), type.getWidth());
  return tenonElement;
}

namespace {

bool isNarrow(Type type) { return type.isF16() || type.isBF16(); }

struct Converter {
  OpBuilder &b;
  Type i16 = b.getI16Type();
  Type i32 = b.getI32Type();
  Type i64 = b.getI64Type();
  Type f32 = b.getF32Type();
  Type f64 = b.getF64Type();

  Lanes toBool(const Lanes &x) {
    if (isNarrow(x.element()))
      return toBool(floatToFloat(x, f32));
    return x.isFloat() ? x != x.number(0) : x != x.bits(0);
  }

  Lanes bf16ToF32(const Lanes &x) {
    return (x.bitcast(i16).zeroExtend(i32) << 16).bitcast(f32);
  }

  // Uses integer operations: LLVM calls a library function on targets without a
  // conversion instruction.
  Lanes f32ToBF16(const Lanes &x) {
    Lanes bits = x.bitcast(i32);
    Lanes high = bits >> 16;
    Lanes rounded = (bits + bits.bits(0x7fff) + (high & high.bits(1))) >> 16;
    // Rounding could carry a NaN into infinity, so a NaN keeps its high bits
    // and gets the quiet bit.
    Lanes quiet = high | high.bits(0x40);
    Lanes result = x.isNan().select(quiet, rounded);
    return result.truncate(i16).bitcast(b.getBF16Type());
  }

  // Converts f64 to f32, rounding to odd: an inexact result takes the neighbour
  // whose last bit is one. A later rounding to fewer bits then gives the result
  // of rounding the f64 directly.
  Lanes f64ToOddF32(const Lanes &x) {
    Lanes nearest = x.narrowFloat(f32);
    Lanes back = nearest.widenFloat(f64);
    Lanes bits = nearest.bitcast(i32);
    Lanes down = (back.abs() > x.abs()).select(bits - bits.bits(1), bits);
    Lanes odd = down | bits.bits(1);
    Lanes keep = (back == x) | x.isNan();
    return keep.select(bits, odd).bitcast(f32);
  }

  Lanes floatToFloat(const Lanes &x, Type to) {
    Type from = x.element();
    if (from == to)
      return x;
    if (isNarrow(from)) {
      Lanes wide = from.isF16() ? x.widenFloat(f32) : bf16ToF32(x);
      return floatToFloat(wide, to);
    }
    if (from.isF64() && isNarrow(to))
      return floatToFloat(f64ToOddF32(x), to);
    if (to.isBF16())
      return f32ToBF16(x);
    return to.isF64() ? x.widenFloat(to) : x.narrowFloat(to);
  }

  Lanes intToFloat(const Lanes &x, bool isUnsigned, Type to) {
    unsigned width = x.element().getIntOrFloatBitWidth();
    if (width == 1) {
      Type type = isNarrow(to) ? f32 : to;
      return floatToFloat(x.select(x.number(type, 1), x.number(type, 0)), to);
    }
    if (width < 32) {
      Lanes wide = isUnsigned ? x.zeroExtend(i32) : x.signExtend(i32);
      return intToFloat(wide, false, to);
    }
    // Every integer that f32 cannot represent exactly is above the greatest
    // f16.
    if (to.isF16())
      return floatToFloat(intToFloat(x, isUnsigned, f32), to);
    if (to.isBF16()) {
      Lanes exact = width == 64 ? stickyTo53Bits(x, isUnsigned) : x;
      return floatToFloat(intToFloat(exact, isUnsigned, f64), to);
    }
    return isUnsigned ? x.unsignedToFloat(to) : x.signedToFloat(to);
  }

  // Returns an i64 that f64 represents exactly and that rounds like x to any
  // precision of at most 51 bits. The low twelve bits become one sticky bit.
  Lanes stickyTo53Bits(const Lanes &x, bool isUnsigned) {
    Lanes low = x & x.bits(0xfff);
    Lanes sticky = (low != low.bits(0)).select(low.bits(0x800), low.bits(0));
    Lanes packed = (x & x.bits(~uint64_t(0xfff))) | sticky;
    Lanes high = x >> 53;
    Lanes small = high == high.bits(0);
    if (!isUnsigned)
      small = small | (high == high.bits(0x7ff));
    return small.select(x, packed);
  }

  Lanes floatToInt(const Lanes &x, bool isUnsigned, Type to) {
    if (isNarrow(x.element()))
      return floatToInt(floatToFloat(x, f32), isUnsigned, to);
    unsigned width = to.getIntOrFloatBitWidth();
    const llvm::fltSemantics &semantics =
        cast<FloatType>(x.element()).getFloatSemantics();
    auto asFloat = [&](const llvm::APSInt &bound) {
      llvm::APFloat value(semantics);
      value.convertFromAPInt(bound, bound.isSigned(),
                             llvm::APFloat::rmTowardZero);
      return value.convertToDouble();
    };
    auto least = llvm::APSInt::getMinValue(width, isUnsigned);
    auto greatest = llvm::APSInt::getMaxValue(width, isUnsigned);
    double low = asFloat(least), high = asFloat(greatest);

    Lanes nanIsZero = x.isNan().select(x.number(0), x);
    Lanes inRange = limit(nanIsZero, low, high);
    if (width < 32)
      return inRange.floatToSigned(i32).truncate(to);
    Lanes whole =
        isUnsigned ? inRange.floatToUnsigned(to) : inRange.floatToSigned(to);
    // The greatest float not above the greatest integer can be less than that
    // integer; every larger x takes the greatest integer.
    return (x > x.number(high))
        .select(whole.bits(greatest.getZExtValue()), whole);
  }

  Lanes intToInt(const Lanes &x, bool isUnsigned, Type to) {
    unsigned from = x.element().getIntOrFloatBitWidth();
    unsigned width = to.getIntOrFloatBitWidth();
    if (from == width)
      return x;
    if (from > width)
      return x.truncate(to);
    return isUnsigned ? x.zeroExtend(to) : x.signExtend(to);
  }
};

} // namespace

Value emitConvert(OpBuilder &b, Location loc, Value value, Type from, Type to) {
  if (from == to)
    return value;
  Converter converter{b};
  Lanes x(b, loc, value);
  Type target = kernelElementType(to);
  if (to.isInteger(1))
    return converter.toBool(x).get();
  if (isa<FloatType>(from))
    return isa<FloatType>(to)
               ? converter.floatToFloat(x, target).get()
               : converter.floatToInt(x, to.isUnsignedInteger(), target).get();
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  return isa<FloatType>(to) ? converter.intToFloat(x, isUnsigned, target).get()
                            : converter.intToInt(x, isUnsigned, target).get();
}

} // namespace tenon
