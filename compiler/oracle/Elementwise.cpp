// Elementwise ops in double precision and exact integers. Each result element
// is computed from the operands' elements at its index.
#include "compiler/oracle/ErrorBounds.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace tenon {

using FloatUnary = double (*)(double);
using FloatBinary = double (*)(double, double);
using IntBinary = int64_t (*)(Type, int64_t, int64_t);

static FloatUnary floatUnary(Operation *op) {
  return llvm::TypeSwitch<Operation *, FloatUnary>(op)
      .Case([](AbsOp) { return [](double x) { return std::fabs(x); }; })
      .Case([](NegateOp) { return [](double x) { return -x; }; })
      .Case([](SignOp) {
        return [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; };
      })
      .Case([](CeilOp) { return [](double x) { return std::ceil(x); }; })
      .Case([](FloorOp) { return [](double x) { return std::floor(x); }; })
      .Case([](RoundNearestEvenOp) {
        return [](double x) { return std::nearbyint(x); };
      })
      .Case([](RoundNearestAfzOp) {
        return [](double x) { return std::round(x); };
      })
      .Case([](SqrtOp) { return [](double x) { return std::sqrt(x); }; })
      .Case([](RsqrtOp) { return [](double x) { return 1 / std::sqrt(x); }; })
      .Case([](CbrtOp) { return [](double x) { return std::cbrt(x); }; })
      .Case<ExpOp, ExpFlushedOp>(
          [](auto) { return [](double x) { return std::exp(x); }; })
      .Case([](Expm1Op) { return [](double x) { return std::expm1(x); }; })
      .Case([](LogOp) { return [](double x) { return std::log(x); }; })
      .Case([](Log1pOp) { return [](double x) { return std::log1p(x); }; })
      .Case([](SineOp) { return [](double x) { return std::sin(x); }; })
      .Case([](CosineOp) { return [](double x) { return std::cos(x); }; })
      .Case([](TanOp) { return [](double x) { return std::tan(x); }; })
      .Case([](AsinOp) { return [](double x) { return std::asin(x); }; })
      .Case([](AcosOp) { return [](double x) { return std::acos(x); }; })
      .Case([](AtanOp) { return [](double x) { return std::atan(x); }; })
      .Case([](SinhOp) { return [](double x) { return std::sinh(x); }; })
      .Case([](CoshOp) { return [](double x) { return std::cosh(x); }; })
      .Case([](TanhOp) { return [](double x) { return std::tanh(x); }; })
      .Case([](AsinhOp) { return [](double x) { return std::asinh(x); }; })
      .Case([](AcoshOp) { return [](double x) { return std::acosh(x); }; })
      .Case([](AtanhOp) { return [](double x) { return std::atanh(x); }; })
      .Case([](LogisticOp) {
        return [](double x) { return 1 / (1 + std::exp(-x)); };
      })
      .Case([](ErfOp) { return [](double x) { return std::erf(x); }; })
      .Default(FloatUnary(nullptr));
}

static FloatBinary floatBinary(Operation *op) {
  return llvm::TypeSwitch<Operation *, FloatBinary>(op)
      .Case([](AddOp) { return [](double a, double b) { return a + b; }; })
      .Case([](SubtractOp) { return [](double a, double b) { return a - b; }; })
      .Case([](MultiplyOp) { return [](double a, double b) { return a * b; }; })
      .Case([](DivideOp) { return [](double a, double b) { return a / b; }; })
      .Case([](RemainderOp) {
        return [](double a, double b) { return std::fmod(a, b); };
      })
      .Case([](PowerOp) {
        return [](double a, double b) { return std::pow(a, b); };
      })
      .Case([](Atan2Op) {
        return [](double a, double b) { return std::atan2(a, b); };
      })
      .Case([](MaximumOp) { return &maximumOf; })
      .Case([](MinimumOp) { return &minimumOf; })
      .Default(FloatBinary(nullptr));
}

static int64_t divideInt(Type type, int64_t a, int64_t b) {
  if (b == 0)
    return wrapToElement(type, -1);
  if (isUnsignedElement(type))
    return int64_t(uint64_t(a) / uint64_t(b));
  // The least integer over -1 wraps to itself.
  return b == -1 ? wrapToElement(type, -uint64_t(a)) : a / b;
}

static int64_t remainderInt(Type type, int64_t a, int64_t b) {
  if (b == 0)
    return a;
  if (isUnsignedElement(type))
    return int64_t(uint64_t(a) % uint64_t(b));
  return b == -1 ? 0 : a % b;
}

static int64_t powerInt(Type type, int64_t base, int64_t exponent) {
  if (!isUnsignedElement(type) && exponent < 0) {
    // 1 / base^n truncates to zero for all bases but 0, 1 and -1.
    if (base == 0)
      return divideInt(type, 1, 0);
    if (base == -1)
      return exponent % 2 == 0 ? 1 : -1;
    return base == 1 ? 1 : 0;
  }
  uint64_t result = 1, square = base;
  for (uint64_t left = exponent; left; left >>= 1) {
    if (left & 1)
      result *= square;
    square *= square;
  }
  return wrapToElement(type, result);
}

/// The bits of `value`, truncated to the type's width.
static uint64_t bitsOf(Type type, int64_t value) {
  return uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(elementWidth(type));
}

static int64_t shiftLeft(Type type, int64_t a, int64_t b) {
  uint64_t amount = bitsOf(type, b);
  return amount >= elementWidth(type)
             ? 0
             : wrapToElement(type, uint64_t(a) << amount);
}

static int64_t shiftRightLogical(Type type, int64_t a, int64_t b) {
  uint64_t amount = bitsOf(type, b);
  return amount >= elementWidth(type)
             ? 0
             : wrapToElement(type, bitsOf(type, a) >> amount);
}

static int64_t shiftRightArithmetic(Type type, int64_t a, int64_t b) {
  uint64_t amount = std::min<uint64_t>(bitsOf(type, b), 63);
  unsigned width = elementWidth(type);
  int64_t sign = llvm::SignExtend64(bitsOf(type, a), width);
  return wrapToElement(type, sign >> amount);
}

static IntBinary intBinary(Operation *op) {
  return llvm::TypeSwitch<Operation *, IntBinary>(op)
      .Case([](AddOp) {
        return [](Type t, int64_t a, int64_t b) {
          return combine(ReduceKind::Add, t, a, b);
        };
      })
      .Case([](SubtractOp) {
        return [](Type t, int64_t a, int64_t b) {
          return wrapToElement(t, uint64_t(a) - uint64_t(b));
        };
      })
      .Case([](MultiplyOp) {
        return [](Type t, int64_t a, int64_t b) {
          return combine(ReduceKind::Multiply, t, a, b);
        };
      })
      .Case([](DivideOp) { return &divideInt; })
      .Case([](RemainderOp) { return &remainderInt; })
      .Case([](PowerOp) { return &powerInt; })
      .Case([](MaximumOp) {
        return [](Type t, int64_t a, int64_t b) {
          return combine(ReduceKind::Maximum, t, a, b);
        };
      })
      .Case([](MinimumOp) {
        return [](Type t, int64_t a, int64_t b) {
          return combine(ReduceKind::Minimum, t, a, b);
        };
      })
      .Case([](AndOp) {
        return [](Type, int64_t a, int64_t b) { return a & b; };
      })
      .Case(
          [](OrOp) { return [](Type, int64_t a, int64_t b) { return a | b; }; })
      .Case([](XorOp) {
        return [](Type, int64_t a, int64_t b) { return a ^ b; };
      })
      .Case([](ShiftLeftOp) { return &shiftLeft; })
      .Case([](ShiftRightLogicalOp) { return &shiftRightLogical; })
      .Case([](ShiftRightArithmeticOp) { return &shiftRightArithmetic; })
      .Default(IntBinary(nullptr));
}

static int64_t intUnary(Operation *op, Type type, int64_t a) {
  if (isa<AbsOp>(op))
    return !isUnsignedElement(type) && a < 0 ? wrapToElement(type, -uint64_t(a))
                                             : a;
  if (isa<NegateOp>(op))
    return wrapToElement(type, -uint64_t(a));
  if (isa<SignOp>(op))
    return isUnsignedElement(type) ? a != 0 : (a > 0) - (a < 0);
  return wrapToElement(type, ~a); // not
}

template <typename T> static bool holds(CompareDirection direction, T a, T b) {
  switch (direction) {
  case CompareDirection::EQ:
    return a == b;
  case CompareDirection::NE:
    return a != b;
  case CompareDirection::LT:
    return a < b;
  case CompareDirection::LE:
    return a <= b;
  case CompareDirection::GT:
    return a > b;
  case CompareDirection::GE:
    return a >= b;
  }
  return false;
}

static void compareAll(CompareOp op, Operands in, HostTensor &result) {
  const HostTensor &a = *in[0], &b = *in[1];
  for (int64_t i = 0, n = result.count(); i < n; ++i) {
    if (a.isFloat())
      result.ints[i] = holds(op.getDirection(), a.floats[i], b.floats[i]);
    else if (isUnsignedElement(a.element))
      result.ints[i] =
          holds(op.getDirection(), uint64_t(a.ints[i]), uint64_t(b.ints[i]));
    else
      result.ints[i] = holds(op.getDirection(), a.ints[i], b.ints[i]);
  }
}

static void convertAll(const HostTensor &from, HostTensor &to) {
  for (int64_t i = 0, n = to.count(); i < n; ++i) {
    if (from.isFloat() && to.isFloat())
      to.floats[i] = roundToElement(to.element, from.floats[i]);
    else if (from.isFloat())
      to.ints[i] = floatToInt(from.floats[i], to.element);
    else if (to.isFloat())
      to.floats[i] = intToFloat(from.element, from.ints[i], to.element);
    else if (isBoolElement(to.element))
      to.ints[i] = from.ints[i] != 0;
    else
      to.ints[i] = wrapToElement(to.element, from.ints[i]);
  }
}

static llvm::Error checkRange(CheckRangeOp op, Operands in) {
  const HostTensor &x = *in[0], &low = *in[1], &high = *in[2];
  for (int64_t i = 0, n = x.count(); i < n; ++i)
    if (lessInt(x.element, x.ints[i], low.ints[i]) ||
        !lessInt(x.element, x.ints[i], high.ints[i]))
      return llvm::make_error<RangeFault>(op.getSite().str(), x.ints[i],
                                          low.ints[i], high.ints[i] - 1);
  return llvm::Error::success();
}

static void clampAll(Operands in, HostTensor &result) {
  const HostTensor &low = *in[0], &x = *in[1], &high = *in[2];
  Type type = result.element;
  for (int64_t i = 0, n = result.count(); i < n; ++i) {
    if (result.isFloat())
      result.floats[i] =
          minimumOf(maximumOf(x.floats[i], low.floats[i]), high.floats[i]);
    else
      result.ints[i] =
          combine(ReduceKind::Minimum, type,
                  combine(ReduceKind::Maximum, type, x.ints[i], low.ints[i]),
                  high.ints[i]);
  }
}

/// Evaluates the ops that compute a function of one or two elements of one
/// type.
static llvm::Error plainAll(const OpInstance &at, HostTensor &result) {
  Operation *op = at.op;
  const HostTensor &a = *at.in[0];
  int64_t n = result.count();
  if (at.in.size() == 1) {
    FloatUnary function = floatUnary(op);
    if (result.isFloat() ? !function : !isa<AbsOp, NegateOp, SignOp, NotOp>(op))
      return at.error("the oracle does not know this op");
    for (int64_t i = 0; i < n; ++i)
      if (result.isFloat())
        result.floats[i] = function(a.floats[i]);
      else
        result.ints[i] = intUnary(op, a.element, a.ints[i]);
    return llvm::Error::success();
  }
  const HostTensor &b = *at.in[1];
  FloatBinary onFloats = floatBinary(op);
  IntBinary onInts = intBinary(op);
  if (result.isFloat() ? !onFloats : !onInts)
    return at.error("the oracle does not know this op");
  for (int64_t i = 0; i < n; ++i)
    if (result.isFloat())
      result.floats[i] = onFloats(a.floats[i], b.floats[i]);
    else
      result.ints[i] = onInts(a.element, a.ints[i], b.ints[i]);
  return llvm::Error::success();
}

llvm::Expected<HostTensors> evaluateElementwise(const OpInstance &at) {
  const HostTensor &first = *at.in[0];
  for (const HostTensor *operand : at.in)
    if (operand->shape != first.shape)
      return at.error("expected operands of one shape, got " +
                      shapeText(first.shape) + " and " +
                      shapeText(operand->shape));
  auto result = at.allocate(at.resultElement(), first.shape);
  if (!result)
    return result.takeError();
  int64_t n = first.count();
  llvm::Error failed =
      llvm::TypeSwitch<Operation *, llvm::Error>(at.op)
          .Case([&](CompareOp op) {
            compareAll(op, at.in, *result);
            return llvm::Error::success();
          })
          .Case([&](SelectOp) {
            for (int64_t i = 0; i < n; ++i)
              copyElement(*result, i, *at.in[first.ints[i] ? 1 : 2], i);
            return llvm::Error::success();
          })
          .Case([&](ClampOp) {
            clampAll(at.in, *result);
            return llvm::Error::success();
          })
          .Case([&](IsNanOp) {
            for (int64_t i = 0; i < n; ++i)
              result->ints[i] = std::isnan(first.floats[i]);
            return llvm::Error::success();
          })
          .Case([&](ConvertOp) {
            convertAll(first, *result);
            return llvm::Error::success();
          })
          .Case([&](BitcastConvertOp) {
            for (int64_t i = 0; i < n; ++i)
              setElementBits(*result, i, elementBits(first, i));
            return llvm::Error::success();
          })
          .Case([&](CheckRangeOp op) {
            *result = first;
            return checkRange(op, at.in);
          })
          .Default([&](Operation *) { return plainAll(at, *result); });
  if (!failed && at.options.bounds && result->isFloat())
    failed = boundElementwise(at, *result);
  if (failed)
    return std::move(failed);
  return HostTensors{std::move(*result)};
}

} // namespace tenon
