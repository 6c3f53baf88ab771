// Emits elementwise ops of tenon on registers. f16 and bf16 are computed in f32
// and rounded once per op. Integers follow tenon's rules where machines differ
// or trap. Bools use logic operations.
#include "passes/kernel/numerics/ElementwiseEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/kernel/numerics/FloatMath.h"
#include "passes/kernel/numerics/IntegerMath.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace tenon {
namespace {

struct ElementKind {
  explicit ElementKind(Type element)
      : isFloat(isa<FloatType>(element)), isBool(element.isInteger(1)),
        isUnsigned(element.isUnsignedInteger() || isBool),
        isNarrow(element.isF16() || element.isBF16()) {}
  bool isFloat, isBool, isUnsigned, isNarrow;
};

/// The value of all lanes if it is a known float constant.
std::optional<double> knownNumber(const Lanes &x) {
  Value value = x.get();
  if (auto repeated = value.getDefiningOp<vector::BroadcastOp>())
    value = repeated.getSource();
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
    return splat.getSplatValue<APFloat>().convertToDouble();
  if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
    return number.getValueAsDouble();
  return std::nullopt;
}

/// max(x, bound) with a known bound, which needs no test for NaN: a comparison
/// with NaN is false, so NaN stays. Null if the bound is unknown or NaN.
std::optional<Lanes> maximumWith(const Lanes &x, std::optional<double> bound) {
  if (!bound || std::isnan(*bound))
    return std::nullopt;
  Lanes larger = limitBelow(x, *bound);
  bool isZero = *bound == 0 && !std::signbit(*bound);
  // Turns -0 into +0, because max(-0, +0) is +0.
  return isZero ? larger + x.number(0) : larger;
}

/// min(x, bound) with a known bound; null if the bound is unknown, NaN or -0
/// (min(+0, -0) is -0, which a comparison does not give).
std::optional<Lanes> minimumWith(const Lanes &x, std::optional<double> bound) {
  if (!bound || std::isnan(*bound) || (*bound == 0 && std::signbit(*bound)))
    return std::nullopt;
  return limitAbove(x, *bound);
}

Lanes maximum(const Lanes &a, const Lanes &b, ElementKind kind) {
  if (kind.isBool)
    return a | b;
  if (!kind.isFloat)
    return kind.isUnsigned ? a.make<arith::MaxUIOp>(a.get(), b.get())
                           : a.make<arith::MaxSIOp>(a.get(), b.get());
  if (std::optional<Lanes> found = maximumWith(a, knownNumber(b)))
    return *found;
  if (std::optional<Lanes> found = maximumWith(b, knownNumber(a)))
    return *found;
  return a.make<arith::MaximumFOp>(a.get(), b.get());
}

Lanes minimum(const Lanes &a, const Lanes &b, ElementKind kind) {
  if (kind.isBool)
    return a & b;
  if (!kind.isFloat)
    return kind.isUnsigned ? a.make<arith::MinUIOp>(a.get(), b.get())
                           : a.make<arith::MinSIOp>(a.get(), b.get());
  if (std::optional<Lanes> found = minimumWith(a, knownNumber(b)))
    return *found;
  if (std::optional<Lanes> found = minimumWith(b, knownNumber(a)))
    return *found;
  return a.make<arith::MinimumFOp>(a.get(), b.get());
}

Lanes clamp(const Lanes &x, const Lanes &low, const Lanes &high,
            ElementKind kind) {
  // Known bounds can be applied in either order. The lower one comes last: LLVM
  // turns min(x, 1) times a factor into a choice between two products.
  std::optional<double> bound;
  if (kind.isFloat && (bound = knownNumber(low)) && bound < knownNumber(high))
    return maximum(minimum(x, high, kind), low, kind);
  return minimum(maximum(x, low, kind), high, kind);
}

Lanes sign(const Lanes &x, ElementKind kind) {
  if (kind.isFloat) {
    Lanes zero = x.number(0);
    Lanes rest = (x < zero).select(x.number(-1), x);
    return (x > zero).select(x.number(1), rest);
  }
  Lanes zero = x.bits(0), one = x.bits(1);
  Lanes rest =
      kind.isUnsigned ? x : (x < zero).select(x.bits(~uint64_t(0)), zero);
  return (kind.isUnsigned ? x != zero : x > zero).select(one, rest);
}

// Adding 0.5 would round up the number just below 0.5. The distance from the
// truncated value is exact, so it decides.
Lanes roundAwayFromZero(const Lanes &x) {
  Lanes whole = x.trunc();
  Lanes isFar = (x - whole).abs() >= x.number(0.5);
  Lanes step = isFar.select(x.number(1).copySign(x), x.number(0));
  return (whole + step).copySign(x);
}

Lanes compare(const Lanes &a, const Lanes &b, CompareDirection direction,
              ElementKind kind) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  F floats = F::OEQ;
  I ints = I::eq;
  bool isUnsigned = kind.isUnsigned;
  switch (direction) {
  case CompareDirection::EQ:
    break;
  case CompareDirection::NE:
    floats = F::UNE, ints = I::ne;
    break;
  case CompareDirection::LT:
    floats = F::OLT, ints = isUnsigned ? I::ult : I::slt;
    break;
  case CompareDirection::LE:
    floats = F::OLE, ints = isUnsigned ? I::ule : I::sle;
    break;
  case CompareDirection::GT:
    floats = F::OGT, ints = isUnsigned ? I::ugt : I::sgt;
    break;
  case CompareDirection::GE:
    floats = F::OGE, ints = isUnsigned ? I::uge : I::sge;
    break;
  }
  if (kind.isFloat)
    return a.make<arith::CmpFOp>(floats, a.get(), b.get());
  return a.make<arith::CmpIOp>(ints, a.get(), b.get());
}

Lanes emitPower(const Lanes &x, const Lanes &y, ElementKind kind) {
  if (!kind.isFloat)
    return powerInteger(x, y, kind.isUnsigned);
  // Models write squares and cubes as powers: emit products. A cube is computed
  // in f64, so that it is rounded once.
  if (x.element().isF32()) {
    std::optional<double> exponent = knownNumber(y);
    if (exponent == 2)
      return x * x;
    if (exponent == 3) {
      Lanes wide = x.widenFloat(Float64Type::get(x.type().getContext()));
      return (wide * wide * wide).narrowFloat(x.element());
    }
  }
  return emitFloatMath(FloatFunction::Pow, {x, y});
}

Lanes emitDivide(const Lanes &x, const Lanes &y, ElementKind kind) {
  return kind.isFloat ? x / y : divideInteger(x, y, kind.isUnsigned);
}

Lanes emitRemainder(const Lanes &x, const Lanes &y, ElementKind kind) {
  return kind.isFloat ? remainderFloat(x, y)
                      : remainderInteger(x, y, kind.isUnsigned);
}

Lanes emitAdd(const Lanes &x, const Lanes &y, ElementKind kind) {
  return kind.isBool ? x | y : x + y;
}

Lanes emitMultiply(const Lanes &x, const Lanes &y, ElementKind kind) {
  return kind.isBool ? x & y : x * y;
}

std::optional<FloatFunction> functionOf(Operation *op) {
  using R = std::optional<FloatFunction>;
  return TypeSwitch<Operation *, R>(op)
      .Case<AcosOp>([](auto) { return FloatFunction::Acos; })
      .Case<AcoshOp>([](auto) { return FloatFunction::Acosh; })
      .Case<AsinOp>([](auto) { return FloatFunction::Asin; })
      .Case<AsinhOp>([](auto) { return FloatFunction::Asinh; })
      .Case<AtanOp>([](auto) { return FloatFunction::Atan; })
      .Case<Atan2Op>([](auto) { return FloatFunction::Atan2; })
      .Case<AtanhOp>([](auto) { return FloatFunction::Atanh; })
      .Case<CbrtOp>([](auto) { return FloatFunction::Cbrt; })
      .Case<CosineOp>([](auto) { return FloatFunction::Cos; })
      .Case<CoshOp>([](auto) { return FloatFunction::Cosh; })
      .Case<ErfOp>([](auto) { return FloatFunction::Erf; })
      .Case<ExpOp>([](auto) { return FloatFunction::Exp; })
      .Case<ExpFlushedOp>([](auto) { return FloatFunction::ExpFlushed; })
      .Case<Expm1Op>([](auto) { return FloatFunction::Expm1; })
      .Case<LogOp>([](auto) { return FloatFunction::Log; })
      .Case<Log1pOp>([](auto) { return FloatFunction::Log1p; })
      .Case<LogisticOp>([](auto) { return FloatFunction::Logistic; })
      .Case<SineOp>([](auto) { return FloatFunction::Sin; })
      .Case<SinhOp>([](auto) { return FloatFunction::Sinh; })
      .Case<TanOp>([](auto) { return FloatFunction::Tan; })
      .Case<TanhOp>([](auto) { return FloatFunction::Tanh; })
      .Default([](auto) { return std::nullopt; });
}

/// Ops that move, select or compare bits. They do no arithmetic on the
/// operands, so narrow floats stay narrow.
std::optional<Lanes> emitOnBits(OpBuilder &b, Location loc, Operation *op,
                                ArrayRef<Lanes> in, ElementKind kind) {
  using R = std::optional<Lanes>;
  return TypeSwitch<Operation *, R>(op)
      .Case<ConvertOp>([&](ConvertOp convert) {
        Type from = getElementTypeOrSelf(convert.getOperand().getType());
        return Lanes(
            b, loc,
            emitConvert(b, loc, in[0].get(), from, convert.getTarget()));
      })
      .Case<BitcastConvertOp>([&](BitcastConvertOp cast) {
        Type to = kernelElementType(cast.getTarget());
        return to == in[0].element() ? in[0] : in[0].bitcast(to);
      })
      .Case<SelectOp>([&](auto) { return in[0].select(in[1], in[2]); })
      .Case<AbsOp, NegateOp>([&](auto op) -> R {
        if (!kind.isNarrow)
          return std::nullopt;
        Lanes raw = in[0].bitcast(b.getI16Type());
        Lanes done =
            isa<AbsOp>(op) ? raw & raw.bits(0x7fff) : raw ^ raw.bits(0x8000);
        return done.bitcast(in[0].element());
      })
      .Case<AndOp>([&](auto) { return in[0] & in[1]; })
      .Case<OrOp>([&](auto) { return in[0] | in[1]; })
      .Case<XorOp>([&](auto) { return in[0] ^ in[1]; })
      .Case<NotOp>([&](auto) { return !in[0]; })
      .Case<ShiftLeftOp>(
          [&](auto) { return shiftInteger(in[0], in[1], Shift::Left); })
      .Case<ShiftRightLogicalOp>(
          [&](auto) { return shiftInteger(in[0], in[1], Shift::RightLogical); })
      .Case<ShiftRightArithmeticOp>([&](auto) {
        return shiftInteger(in[0], in[1], Shift::RightArithmetic);
      })
      .Default([](auto) { return std::nullopt; });
}

/// All other elementwise ops, on f32, f64, integers and bools.
Lanes emitArithmetic(Operation *op, ArrayRef<Lanes> in, ElementKind kind) {
  if (std::optional<FloatFunction> function = functionOf(op))
    return emitFloatMath(*function, in);
  const Lanes &x = in[0];
  return TypeSwitch<Operation *, Lanes>(op)
      .Case<AbsOp>([&](auto) {
        if (kind.isFloat)
          return x.abs();
        return kind.isUnsigned ? x : (x < x.bits(0)).select(-x, x);
      })
      .Case<NegateOp>([&](auto) { return -x; })
      .Case<SignOp>([&](auto) { return sign(x, kind); })
      .Case<CeilOp>([&](auto) { return x.make<math::CeilOp>(x.get()); })
      .Case<FloorOp>([&](auto) { return x.make<math::FloorOp>(x.get()); })
      .Case<RoundNearestEvenOp>(
          [&](auto) { return x.make<math::RoundEvenOp>(x.get()); })
      .Case<RoundNearestAfzOp>([&](auto) { return roundAwayFromZero(x); })
      .Case<SqrtOp>([&](auto) { return x.sqrt(); })
      .Case<RsqrtOp>([&](auto) { return x.number(1) / x.sqrt(); })
      .Case<AddOp>([&](auto) { return emitAdd(x, in[1], kind); })
      .Case<SubtractOp>([&](auto) { return x - in[1]; })
      .Case<MultiplyOp>([&](auto) { return emitMultiply(x, in[1], kind); })
      .Case<DivideOp>([&](auto) { return emitDivide(x, in[1], kind); })
      .Case<RemainderOp>([&](auto) { return emitRemainder(x, in[1], kind); })
      .Case<PowerOp>([&](auto) { return emitPower(x, in[1], kind); })
      .Case<MaximumOp>([&](auto) { return maximum(x, in[1], kind); })
      .Case<MinimumOp>([&](auto) { return minimum(x, in[1], kind); })
      .Case<ClampOp>([&](auto) { return clamp(in[1], x, in[2], kind); })
      .Case<CompareOp>([&](CompareOp op) {
        return compare(x, in[1], op.getDirection(), kind);
      })
      .Case<IsNanOp>([&](auto) { return x.isNan(); });
}

} // namespace

Value emitElementwise(OpBuilder &b, Location loc, Operation *op,
                      ValueRange operands) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  Type result = getElementTypeOrSelf(op->getResult(0).getType());
  ElementKind kind(element);
  SmallVector<Lanes, 3> in;
  for (Value operand : operands)
    in.emplace_back(b, loc, operand);
  if (std::optional<Lanes> lanes = emitOnBits(b, loc, op, in, kind))
    return lanes->get();
  if (!kind.isNarrow)
    return emitArithmetic(op, in, kind).get();

  Type f32 = b.getF32Type();
  SmallVector<Lanes, 3> wide;
  for (Value operand : operands)
    wide.emplace_back(b, loc, emitConvert(b, loc, operand, element, f32));
  Value value = emitArithmetic(op, wide, ElementKind(f32)).get();
  return result.isInteger(1) ? value : emitConvert(b, loc, value, f32, result);
}

bool isOrdered(ReduceKind kind, Type element) {
  return isa<FloatType>(element) &&
         (kind == ReduceKind::Add || kind == ReduceKind::Multiply);
}

Value emitCombine(OpBuilder &b, Location loc, ReduceKind reduce, Type element,
                  Value a, Value c) {
  ElementKind kind(element);
  if (kind.isNarrow) {
    Type f32 = b.getF32Type();
    Value wide =
        emitCombine(b, loc, reduce, f32, emitConvert(b, loc, a, element, f32),
                    emitConvert(b, loc, c, element, f32));
    return emitConvert(b, loc, wide, f32, element);
  }
  Lanes x(b, loc, a), y(b, loc, c);
  switch (reduce) {
  case ReduceKind::Add:
    return emitAdd(x, y, kind).get();
  case ReduceKind::Multiply:
    return emitMultiply(x, y, kind).get();
  case ReduceKind::Maximum:
    return maximum(x, y, kind).get();
  case ReduceKind::Minimum:
    return minimum(x, y, kind).get();
  case ReduceKind::And:
    return (x & y).get();
  case ReduceKind::Or:
    return (x | y).get();
  }
  llvm_unreachable("every kind combines");
}

Value emitMultiplyAdd(OpBuilder &b, Location loc, Value x, Value y, Value sum) {
  if (isa<FloatType>(getElementTypeOrSelf(sum.getType())))
    return math::FmaOp::create(b, loc, x, y, sum);
  return arith::AddIOp::create(b, loc, sum,
                               arith::MulIOp::create(b, loc, x, y));
}

Value emitIdentity(OpBuilder &b, Location loc, ReduceKind reduce, Type element,
                   Type type) {
  ElementKind kind(element);
  if (kind.isFloat) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double value = reduce == ReduceKind::Multiply  ? 1
                   : reduce == ReduceKind::Maximum ? -infinity
                   : reduce == ReduceKind::Minimum ? infinity
                                                   : 0;
    return emitFloat(b, loc, type, value);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  uint64_t top = uint64_t(1) << (width - 1);
  switch (reduce) {
  case ReduceKind::Add:
  case ReduceKind::Or:
    return emitInt(b, loc, type, 0);
  case ReduceKind::Multiply:
    return emitInt(b, loc, type, 1);
  case ReduceKind::Maximum:
    return emitInt(b, loc, type, kind.isUnsigned ? 0 : top);
  case ReduceKind::Minimum:
    return emitInt(b, loc, type, kind.isUnsigned ? ~uint64_t(0) : top - 1);
  case ReduceKind::And:
    return emitInt(b, loc, type, ~uint64_t(0));
  }
  llvm_unreachable("every kind has an identity");
}

} // namespace tenon
