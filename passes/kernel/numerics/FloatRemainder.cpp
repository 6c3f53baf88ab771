// The remainder of two floats, as C's fmod. Input: f32 or f64 lanes. Output: x
// minus the truncated quotient times y, which is always representable, with the
// sign of x.
//
// x = X 2^j and y = Y 2^k with X and Y in [1, 2). The result is X 2^(j - k)
// modulo Y, computed in steps of at most 50 powers of two. Every step is exact:
// the quotient is below 2^52, and what is left is a multiple of 2^-52 below 2.
// The first step is mostly enough, so it stands before the loop.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/kernel/numerics/DoubleMath.h"
#include <limits>

using namespace mlir;

namespace tenon {
namespace {

constexpr int bitsPerStep = 50;

/// rest 2^powers, to be taken modulo a divisor in [1, 2).
struct Remaining {
  Lanes rest, powers;

  Remaining step(const Lanes &divisor) const {
    Lanes count = limitAbove(powers, bitsPerStep);
    Lanes raw =
        (count + count.number(0x1p52 + 1023)).bitcast(doubleBits(count));
    Lanes scaled = rest * powerOfTwo(raw);
    // The division may round the quotient up to the next integer.
    Lanes next = fma(-(scaled / divisor).trunc(), divisor, scaled);
    next = (next < next.number(0)).select(next + divisor, next);
    return {next, powers - count};
  }
};

/// The greatest lane of whole numbers that are not negative, divided by
/// `bitsPerStep` and rounded up.
Lanes mostSteps(const Lanes &x) {
  Lanes largest = x.build([&](OpBuilder &b, Location loc) -> Value {
    auto type = dyn_cast<VectorType>(x.type());
    if (!type)
      return x.get();
    auto flat = VectorType::get(type.getNumElements(), type.getElementType());
    Value line = vector::ShapeCastOp::create(b, loc, flat, x.get());
    return vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXNUMF,
                                       line);
  });
  Lanes bits = largest.floatToSigned(doubleBits(x));
  return bits.build([&](OpBuilder &b, Location loc) -> Value {
    Value up = (bits + bits.bits(bitsPerStep - 1)).get();
    Value steps =
        arith::DivUIOp::create(b, loc, up, bits.bits(bitsPerStep).get());
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), steps);
  });
}

Lanes reduceAll(const Remaining &start, const Lanes &divisor) {
  Remaining first = start.step(divisor);
  Lanes steps = mostSteps(first.powers);
  return steps.build([&](OpBuilder &b, Location loc) -> Value {
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    auto loop = scf::ForOp::create(
        b, loc, index(0), steps.get(), index(1),
        ValueRange{first.rest.get(), first.powers.get()},
        [&](OpBuilder &b, Location loc, Value, ValueRange state) {
          Remaining now{{b, loc, state[0]}, {b, loc, state[1]}};
          Remaining next = now.step(divisor);
          scf::YieldOp::create(b, loc,
                               ValueRange{next.rest.get(), next.powers.get()});
        });
    return loop.getResult(0);
  });
}

} // namespace

Lanes remainderFloat(const Lanes &x, const Lanes &y) {
  if (x.element().isF32()) {
    Type f64 = doubleType(x);
    return remainderFloat(x.widenFloat(f64), y.widenFloat(f64))
        .narrowFloat(x.element());
  }
  Lanes infinity = x.number(std::numeric_limits<double>::infinity());
  Lanes zero = x.number(0);
  Lanes dividend = x.abs(), divisor = y.abs();
  Split top = splitDouble(dividend, bitsOfOne);
  Split bottom = splitDouble(divisor, bitsOfOne);
  Lanes rest = reduceAll({top.m, limitBelow(top.k - bottom.k, 0)}, bottom.m);
  Lanes value = scaleDouble(rest, bottom.k);
  value = (dividend < divisor).select(x, value.copySign(x));
  Lanes isDefined = (dividend < infinity) & (divisor > zero);
  return isDefined.select(value,
                          x.number(std::numeric_limits<double>::quiet_NaN()));
}

} // namespace tenon
