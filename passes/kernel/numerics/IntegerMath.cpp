// Integer arithmetic of kernels. Operands that would trap or give an undefined
// result are replaced before the operation, and the result is corrected after
// it.
#include "passes/kernel/numerics/IntegerMath.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {
namespace {

/// `y`, or 1 where x / y would trap: y is 0, or x is the least integer and y is
/// -1.
Lanes safeDivisor(const Lanes &x, const Lanes &y, bool isUnsigned) {
  Lanes isUnsafe = y == y.bits(0);
  if (!isUnsigned) {
    unsigned width = x.element().getIntOrFloatBitWidth();
    Lanes least = x.bits(uint64_t(1) << (width - 1));
    Lanes minusOne = y.bits(~uint64_t(0));
    isUnsafe = isUnsafe | ((x == least) & (y == minusOne));
  }
  return isUnsafe.select(y.bits(1), y);
}

} // namespace

Lanes divideInteger(const Lanes &x, const Lanes &y, bool isUnsigned) {
  Lanes divisor = safeDivisor(x, y, isUnsigned);
  Lanes quotient = isUnsigned ? x.make<arith::DivUIOp>(x.get(), divisor.get())
                              : x.make<arith::DivSIOp>(x.get(), divisor.get());
  return (y == y.bits(0)).select(x.bits(~uint64_t(0)), quotient);
}

// A safe divisor of 1 leaves the remainder 0, which is right for the least
// integer % -1.
Lanes remainderInteger(const Lanes &x, const Lanes &y, bool isUnsigned) {
  Lanes divisor = safeDivisor(x, y, isUnsigned);
  Lanes rest = isUnsigned ? x.make<arith::RemUIOp>(x.get(), divisor.get())
                          : x.make<arith::RemSIOp>(x.get(), divisor.get());
  return (y == y.bits(0)).select(x, rest);
}

Lanes powerInteger(const Lanes &x, const Lanes &y, bool isUnsigned) {
  unsigned width = x.element().getIntOrFloatBitWidth();
  // A loop over the exponent's bits: unrolled, 64 steps would be most of a
  // kernel's code.
  Lanes result = x.build([&](OpBuilder &b, Location loc) -> Value {
    auto index = [&](int64_t value) {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    SmallVector<Value> start{x.bits(1).get(), x.get(), y.get()};
    auto loop = scf::ForOp::create(
        b, loc, index(0), index(width), index(1), start,
        [](OpBuilder &b, Location loc, Value, ValueRange state) {
          Lanes product(b, loc, state[0]), base(b, loc, state[1]),
              exponent(b, loc, state[2]);
          Lanes bit = exponent & exponent.bits(1);
          Lanes next = (bit != bit.bits(0)).select(product * base, product);
          SmallVector<Value> yielded{next.get(), (base * base).get(),
                                     (exponent >> 1).get()};
          scf::YieldOp::create(b, loc, yielded);
        });
    return loop.getResult(0);
  });
  if (isUnsigned)
    return result;
  // A negative exponent gives 1 / x^n truncated: zero except for x = 1, -1 and
  // 0.
  Lanes zero = x.bits(0), one = x.bits(1), minusOne = x.bits(~uint64_t(0));
  Lanes isUnit = (x == one) | (x == minusOne);
  Lanes inverse = isUnit.select(result, (x == zero).select(minusOne, zero));
  return (y < y.bits(0)).select(inverse, result);
}

Lanes shiftInteger(const Lanes &x, const Lanes &amount, Shift shift) {
  unsigned width = x.element().getIntOrFloatBitWidth();
  Lanes isInside = amount.below(amount.bits(width));
  if (shift == Shift::RightArithmetic)
    return x.shiftRightSigned(isInside.select(amount, amount.bits(width - 1)));
  Lanes inside = isInside.select(amount, amount.bits(0));
  Lanes shifted =
      shift == Shift::Left ? x.shiftLeft(inside) : x.shiftRight(inside);
  return isInside.select(shifted, x.bits(0));
}

} // namespace tenon
