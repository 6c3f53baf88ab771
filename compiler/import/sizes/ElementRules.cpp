// One rule for each op that exporters use in shape arithmetic.
#include "compiler/import/sizes/ElementRules.h"

#include "compiler/import/sizes/FloatSizes.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using Predicate = arith::CmpIPredicate;

namespace tenon {

using Result = std::optional<Size>;

static Predicate predicateOf(CompareDirection direction, bool isUnsigned) {
  switch (direction) {
  case CompareDirection::EQ:
    return Predicate::eq;
  case CompareDirection::NE:
    return Predicate::ne;
  case CompareDirection::LT:
    return isUnsigned ? Predicate::ult : Predicate::slt;
  case CompareDirection::LE:
    return isUnsigned ? Predicate::ule : Predicate::sle;
  case CompareDirection::GT:
    return isUnsigned ? Predicate::ugt : Predicate::sgt;
  case CompareDirection::GE:
    return isUnsigned ? Predicate::uge : Predicate::sge;
  }
  llvm_unreachable("all directions are covered");
}

static Size asNumber(GraphBuilder &g, Size condition) {
  return g.select(condition, g.index(1), g.index(0));
}

static Size isTrue(GraphBuilder &g, Size flag) {
  return g.cmp(Predicate::ne, flag, g.index(0));
}

/// x / y as the dialect defines it: x / 0 has all bits set.
static Size divide(GraphBuilder &g, Size a, Size b) {
  if (std::optional<int64_t> divisor = GraphBuilder::staticSize(b))
    return *divisor == 0 ? g.index(-1) : g.truncDiv(a, b);
  Size isZero = g.cmp(Predicate::eq, b, g.index(0));
  return g.select(isZero, g.index(-1),
                  g.truncDiv(a, g.select(isZero, g.index(1), b)));
}

/// x % y as the dialect defines it: x % 0 is x.
static Size remainder(GraphBuilder &g, Size a, Size b) {
  Size isZero = g.cmp(Predicate::eq, b, g.index(0));
  return g.select(isZero, a, g.rem(a, g.select(isZero, g.index(1), b)));
}

static Result boolElement(GraphBuilder &g, Operation *op, ArrayRef<Size> x) {
  if (isa<AndOp, MultiplyOp, MinimumOp>(op))
    return g.mul(x[0], x[1]);
  if (isa<OrOp, AddOp, MaximumOp>(op))
    return g.max(x[0], x[1]);
  if (isa<XorOp>(op))
    return asNumber(g, g.cmp(Predicate::ne, x[0], x[1]));
  if (isa<NotOp>(op))
    return g.sub(g.index(1), x[0]);
  return std::nullopt;
}

/// Folds static numbers modulo 2^64 by `fold`, because a model's integers wrap.
/// Index arithmetic (`apply`) saturates.
static Size modular(GraphBuilder &g, ArrayRef<Size> x,
                    uint64_t (*fold)(uint64_t, uint64_t),
                    llvm::function_ref<Size(Size, Size)> apply) {
  std::optional<int64_t> a = g.staticSize(x[0]), b = g.staticSize(x[1]);
  return a && b ? g.index(int64_t(fold(uint64_t(*a), uint64_t(*b))))
                : apply(x[0], x[1]);
}

static Result wideElement(GraphBuilder &g, Operation *op, ArrayRef<Size> x) {
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](AddOp) {
        return modular(
            g, x, [](uint64_t a, uint64_t b) { return a + b; },
            [&](Size a, Size b) { return g.add(a, b); });
      })
      .Case([&](SubtractOp) {
        return modular(
            g, x, [](uint64_t a, uint64_t b) { return a - b; },
            [&](Size a, Size b) { return g.sub(a, b); });
      })
      .Case([&](MultiplyOp) {
        return modular(
            g, x, [](uint64_t a, uint64_t b) { return a * b; },
            [&](Size a, Size b) { return g.mul(a, b); });
      })
      .Case([&](MaximumOp) { return g.max(x[0], x[1]); })
      .Case([&](MinimumOp) { return g.min(x[0], x[1]); })
      .Case([&](DivideOp) { return divide(g, x[0], x[1]); })
      .Case([&](RemainderOp) { return remainder(g, x[0], x[1]); })
      .Case([&](NegateOp) { return g.sub(g.index(0), x[0]); })
      .Case([&](AbsOp) { return g.max(x[0], g.sub(g.index(0), x[0])); })
      .Case([&](SignOp) { return g.clamp(x[0], g.index(-1), g.index(1)); })
      .Case([&](ClampOp) { return g.clamp(x[1], x[0], x[2]); })
      .Default([](Operation *) { return std::nullopt; });
}

static Result integerElement(GraphBuilder &g, Operation *op, IntegerType type,
                             ArrayRef<Size> x) {
  if (type.isSignlessInteger(64) || type.isSignlessInteger(32)) {
    Result result = wideElement(g, op, x);
    if (std::optional<int64_t> number =
            result ? g.staticSize(*result) : std::nullopt)
      return g.index(llvm::SignExtend64(uint64_t(*number), type.getWidth()));
    return result;
  }
  // Narrow and unsigned arithmetic may wrap where index arithmetic does not. So
  // only static numbers are computed, and wrapped here.
  if (type.isUnsignedInteger(64) || !GraphBuilder::staticSizes(x))
    return std::nullopt;
  Result result = wideElement(g, op, x);
  if (!result)
    return result;
  uint64_t bits = uint64_t(*g.staticSize(*result)) &
                  llvm::maskTrailingOnes<uint64_t>(type.getWidth());
  return g.index(type.isUnsigned() ? int64_t(bits)
                                   : llvm::SignExtend64(bits, type.getWidth()));
}

static Result floatElement(GraphBuilder &g, Operation *op, ArrayRef<Size> x) {
  FloatSizes floats(g);
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](AddOp) { return floats.add(x[0], x[1]); })
      .Case([&](SubtractOp) { return floats.sub(x[0], x[1]); })
      .Case([&](MultiplyOp) { return floats.mul(x[0], x[1]); })
      .Case([&](DivideOp) { return floats.div(x[0], x[1]); })
      .Case([&](MaximumOp) { return floats.max(x[0], x[1]); })
      .Case([&](MinimumOp) { return floats.min(x[0], x[1]); })
      .Case([&](NegateOp) { return floats.negate(x[0]); })
      .Case([&](AbsOp) { return floats.abs(x[0]); })
      .Case([&](FloorOp) { return floats.floor(x[0]); })
      .Case([&](CeilOp) { return floats.ceil(x[0]); })
      .Case([&](RoundNearestEvenOp) { return floats.roundToEven(x[0]); })
      .Case([&](ClampOp) { return floats.min(floats.max(x[1], x[0]), x[2]); })
      .Default([](Operation *) { return std::nullopt; });
}

static Result convertElement(GraphBuilder &g, Type from, Type to, Size x) {
  FloatSizes floats(g);
  auto whole = dyn_cast<IntegerType>(from), result = dyn_cast<IntegerType>(to);
  if ((!whole && !FloatSizes::isSupported(from)) ||
      (!result && !FloatSizes::isSupported(to)))
    return std::nullopt;
  if (!whole && !result)
    return floats.convert(x, to);
  // A size is an i64, so greater u64 numbers are not computed.
  if (!whole) {
    if (result.getWidth() == 1)
      return asNumber(g, floats.cmp(CompareDirection::NE, x,
                                    floats.fromSize(g.index(0), from)));
    if (result.isUnsignedInteger(64))
      return std::nullopt;
    return floats.toSize(x, result);
  }
  if (!result)
    return whole.isUnsignedInteger(64) ? Result() : floats.fromSize(x, to);
  if (result.getWidth() == 1)
    return asNumber(g, isTrue(g, x));
  if (result.getWidth() < 32 && whole.getWidth() != 1)
    return std::nullopt;
  return x;
}

Result elementOfResult(GraphBuilder &g, Operation *op, ArrayRef<Size> x) {
  Type type = GraphBuilder::elementOf(op->getResult(0));
  Type from = GraphBuilder::elementOf(op->getOperand(0));
  if (isa<ConvertOp>(op))
    return convertElement(g, from, type, x[0]);
  if (isa<CheckRangeOp>(op))
    return x[0];
  bool isFloat = FloatSizes::isSupported(from);
  if (isa<SelectOp>(op)) {
    Size condition = isTrue(g, x[0]);
    return isa<FloatType>(type) ? FloatSizes(g).select(condition, x[1], x[2])
                                : g.select(condition, x[1], x[2]);
  }
  if (auto compare = dyn_cast<CompareOp>(op)) {
    if (isFloat)
      return asNumber(g, FloatSizes(g).cmp(compare.getDirection(), x[0], x[1]));
    auto whole = cast<IntegerType>(from);
    return asNumber(
        g, g.cmp(predicateOf(compare.getDirection(),
                             whole.isUnsigned() || whole.getWidth() == 1),
                 x[0], x[1]));
  }
  if (type.isInteger(1))
    return boolElement(g, op, x);
  if (auto whole = dyn_cast<IntegerType>(type))
    return integerElement(g, op, whole, x);
  return floatElement(g, op, x);
}

Result combined(GraphBuilder &g, ReduceKind kind, Type element, Size a,
                Size b) {
  bool isFloat = isa<FloatType>(element);
  if (element.isUnsignedInteger(64))
    return std::nullopt;
  bool isWide = element.isSignlessInteger(64) || element.isSignlessInteger(32);
  switch (kind) {
  case ReduceKind::Maximum:
    return isFloat ? FloatSizes(g).max(a, b) : g.max(a, b);
  case ReduceKind::Minimum:
    return isFloat ? FloatSizes(g).min(a, b) : g.min(a, b);
  // A sum of floats is not computed here: its rounding depends on the order of
  // the kernel.
  case ReduceKind::Add:
    return isWide ? Result(g.add(a, b)) : std::nullopt;
  case ReduceKind::Multiply:
    return isWide ? Result(g.product({a, b})) : std::nullopt;
  case ReduceKind::And:
    return element.isInteger(1) ? Result(g.mul(a, b)) : std::nullopt;
  case ReduceKind::Or:
    return element.isInteger(1) ? Result(g.max(a, b)) : std::nullopt;
  }
  llvm_unreachable("all kinds are covered");
}

} // namespace tenon
