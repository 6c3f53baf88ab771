// Error bounds of op results. A rounding adds its own error. The effect of an
// operand's error is found by evaluating the op at both ends of the operand's
// interval, because almost every op is monotone in each operand. An op that is
// not has a rule of its own here.
#include "compiler/oracle/ErrorBounds.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;

namespace tenon {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// The distance from 1 to the next larger value of the type.
static double unitOf(Type element) {
  if (element.isF64())
    return 0x1p-52;
  if (element.isF32())
    return 0x1p-23;
  return element.isF16() ? 0x1p-10 : 0x1p-7;
}

/// The smallest positive value of the type.
static double leastOf(Type element) {
  if (element.isF64())
    return 0x1p-1074;
  if (element.isF32())
    return 0x1p-149;
  return element.isF16() ? 0x1p-24 : 0x1p-133;
}

double roundingError(Type element, double magnitude) {
  return (unitOf(element) / 2 + 0x1p-53) * magnitude + leastOf(element);
}

double difference(double a, double b) {
  if (a == b)
    return 0;
  double apart = std::fabs(a - b);
  return std::isnan(apart) ? infinity : apart;
}

//===-- Folds -----------------------------------------------------------===//

FoldBound::FoldBound(ReduceKind kind)
    : kind(kind), low(floatIdentity(kind)), high(low), exact(low),
      magnitude(low) {}

void FoldBound::add(double value, double error) {
  ++terms;
  // NaN comes from an unbounded factor times zero.
  if (std::isnan(error))
    error = infinity;
  low = combine(kind, low, value - error);
  high = combine(kind, high, value + error);
  exact = combine(kind, exact, std::fabs(value));
  magnitude = combine(kind, magnitude, std::fabs(value) + error);
}

Type sumElement(Type element) {
  return element.isF16() || element.isBF16()
             ? Float32Type::get(element.getContext())
             : element;
}

double FoldBound::of(double result, Type element, Type sum) const {
  if (kind == ReduceKind::Maximum || kind == ReduceKind::Minimum)
    return std::max(difference(low, result), difference(high, result));
  double moved =
      kind == ReduceKind::Multiply
          ? difference(magnitude, exact)
          : std::max(difference(low, result), difference(high, result));
  if (terms == 0)
    return 0;
  // Each step rounds a partial result, which is at most `magnitude`. The 4
  // allows for the rounding when partial sums of blocks are added, or when a
  // factor is applied to the operands first.
  moved += (terms + 4) * roundingError(sum, magnitude);
  moved += roundingError(element, std::fabs(result) + moved);
  return std::isnan(moved) ? infinity : moved;
}

//===-- Elementwise -----------------------------------------------------===//

/// The number of roundings allowed for the op's own computation: twice the
/// bound in docs/numerics.md.
static double roundings(Operation *op) {
  if (isa<AbsOp, NegateOp, SignOp, CeilOp, FloorOp, RoundNearestEvenOp,
          RoundNearestAfzOp, RemainderOp, MaximumOp, MinimumOp, ClampOp,
          SelectOp, ConvertOp, BitcastConvertOp, CheckRangeOp>(op))
    return 0;
  if (isa<AddOp, SubtractOp, MultiplyOp, DivideOp, SqrtOp>(op))
    return 2;
  return 7;
}

/// True if the op is discontinuous or undefined within its operands' error.
static bool jumps(Operation *op, Operands in, int64_t i) {
  double x = in[0]->floats[i], e = in[0]->errorAt(i);
  if (isa<DivideOp>(op))
    return in[1]->errorAt(i) > 0 &&
           std::fabs(in[1]->floats[i]) <= in[1]->errorAt(i);
  // Power is continuous for positive bases only, atan2 on the right half plane.
  if (isa<PowerOp>(op))
    return e > 0 && x <= e;
  if (isa<Atan2Op>(op)) {
    double side = in[1]->errorAt(i);
    return (e > 0 || side > 0) && in[1]->floats[i] <= side;
  }
  if (isa<RemainderOp>(op))
    return e > 0 || in[1]->errorAt(i) > 0;
  if (!isa<TanOp>(op))
    return false;
  auto branch = [](double at) {
    return std::floor(at / std::numbers::pi + 0.5);
  };
  return branch(x - e) != branch(x + e);
}

/// The operands with all errors applied: the n-th float operand is moved up if
/// bit n of `corner` is set, and down otherwise.
static std::vector<HostTensor> operandsAt(Operands in, unsigned corner) {
  std::vector<HostTensor> moved;
  for (const HostTensor *operand : in) {
    moved.push_back(*operand);
    if (!operand->isFloat())
      continue;
    double sign = corner & 1 ? 1 : -1;
    corner >>= 1;
    for (auto [i, value] : llvm::enumerate(moved.back().floats))
      value += sign * operand->errorAt(i);
  }
  return moved;
}

llvm::Error boundElementwise(const OpInstance &at, HostTensor &result) {
  unsigned floats =
      llvm::count_if(at.in, [](const HostTensor *x) { return x->isFloat(); });
  bool errors = llvm::any_of(at.in, [](const HostTensor *x) {
    return llvm::any_of(x->errors, [](double error) { return error > 0; });
  });
  result.errors.assign(result.count(), 0);
  OracleOptions values = at.options;
  values.bounds = false;
  for (unsigned corner = 0; errors && corner < 1u << floats; ++corner) {
    std::vector<HostTensor> moved = operandsAt(at.in, corner);
    auto pointers =
        llvm::map_to_vector(moved, [](const HostTensor &x) { return &x; });
    auto there = evaluateElementwise({at.op, pointers, values});
    if (!there)
      return there.takeError();
    for (int64_t i = 0, n = result.count(); i < n; ++i)
      result.errors[i] =
          std::max(result.errors[i],
                   difference(result.floats[i], there->front().floats[i]));
  }
  double count = roundings(at.op);
  for (int64_t i = 0, n = result.count(); i < n; ++i) {
    double &error = result.errors[i];
    // Sine and cosine are not monotone, but their slope is at most 1 and their
    // range at most 2.
    if (isa<SineOp, CosineOp>(at.op))
      error = std::min(at.in[0]->errorAt(i), 2.0);
    if (at.in[0]->isFloat() && jumps(at.op, at.in, i))
      error = infinity;
    if (isa<ExpFlushedOp>(at.op) && !result.element.isF64())
      error += 0x1p-125; // above all results that may be zero
    if (count > 0 && std::isfinite(result.floats[i]))
      error += count * roundingError(result.element,
                                     std::fabs(result.floats[i]) + error);
  }
  return llvm::Error::success();
}

} // namespace tenon
