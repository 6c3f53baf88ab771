// Walks over the index arithmetic of a loop's body. A step is a bound for any
// value at the beginning of the iteration, so induction gives a bound for all
// iterations.
#include "compiler/import/sizes/LoopExtents.h"

#include "compiler/import/graph/Branches.h"
#include "dialects/tenon/SizeLimit.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using Predicate = arith::CmpIPredicate;

namespace tenon {

/// The greatest depth of arithmetic that is analysed; sums in models have few
/// terms.
static constexpr int maxDepth = 64;

/// Limits counters: no memory holds as many rows, and differences of two such
/// numbers do not overflow.
static constexpr int64_t maxCount = int64_t(1) << 48;

namespace {
class Stepper {
public:
  Stepper(GraphBuilder &g, Value current, Region &body)
      : g(g), current(current), body(body) {}

  std::optional<ExtentStep> of(Size size, int depth = 0) {
    if (isOutside(size, body))
      return number(size);
    auto value = cast<Value>(size);
    if (value == current)
      return ExtentStep{{}, g.index(0), true};
    if (depth > maxDepth)
      return std::nullopt;
    auto found = memo.find(value);
    if (found != memo.end())
      return found->second;
    std::optional<ExtentStep> step = compute(value, depth + 1);
    memo[value] = step;
    return step;
  }

private:
  using Step = std::optional<ExtentStep>;

  Step compute(Value value, int depth) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      return either(of(branch.thenYield().getOperand(number), depth),
                    of(branch.elseYield().getOperand(number), depth));
    }
    auto operand = [&](unsigned i) { return of(op->getOperand(i), depth); };
    if (isa<BoundOp>(op)) {
      Step counted = operand(0);
      return counted ? counted : inexact(operand(1));
    }
    if (isa<arith::AddIOp>(op))
      return sum(operand(0), operand(1));
    if (isa<arith::SubIOp>(op))
      return difference(op->getOperand(0), op->getOperand(1), depth);
    if (isa<arith::MaxSIOp>(op))
      return either(operand(0), operand(1));
    if (isa<arith::SelectOp>(op))
      return either(operand(1), operand(2));
    if (isa<arith::MinSIOp>(op))
      return lesser(operand(0), operand(1));
    // A quotient by a positive number is at most the greater of the dividend
    // and zero.
    if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivSIOp>(op)) {
      std::optional<int64_t> divisor =
          GraphBuilder::staticSize(getAsOpFoldResult(op->getOperand(1)));
      if (divisor.value_or(0) > 0)
        return either(operand(0), number(g.index(0)));
    }
    return std::nullopt;
  }

  /// The step of a number that is known before the loop.
  static Step number(Size size) {
    return ExtentStep{{size}, std::nullopt, true};
  }

  /// The step of a - b. In slices, b is a start clamped to the extent and a an
  /// end clamped to it: `n - max(n - 4, 0)` is at most 4.
  Step difference(Value a, Value b, int depth) {
    if (isOutside(b, body))
      return sum(of(a, depth), number(g.sub(g.index(0), b)));
    if (a == b)
      return number(g.index(0));
    if (depth > maxDepth)
      return std::nullopt;
    Step result;
    if (GraphBuilder::isNonNegative(b))
      result = of(a, depth);
    auto part = [&](Value x, Value y) { return difference(x, y, depth + 8); };
    Operation *from = a.getDefiningOp(), *by = b.getDefiningOp();
    if (isa_and_nonnull<arith::AddIOp>(by) &&
        isOutside(by->getOperand(1), body))
      result =
          lesser(result, sum(part(a, by->getOperand(0)),
                             number(g.sub(g.index(0), by->getOperand(1)))));
    if (isa_and_nonnull<arith::MaxSIOp>(by))
      result = lesser(result, lesser(part(a, by->getOperand(0)),
                                     part(a, by->getOperand(1))));
    if (isa_and_nonnull<arith::MinSIOp>(by))
      result = lesser(result, either(part(a, by->getOperand(0)),
                                     part(a, by->getOperand(1))));
    if (isa_and_nonnull<arith::MinSIOp>(from))
      result = lesser(result, lesser(part(from->getOperand(0), b),
                                     part(from->getOperand(1), b)));
    return inexact(result);
  }

  static Step inexact(Step step) {
    if (step)
      step->isExact = false;
    return step;
  }

  /// The step of min(a, b), which both a and b bound. Prefers the bound that
  /// does not grow, except a huge number that means "to the end".
  static Step lesser(Step a, Step b) {
    auto isLoose = [](const Step &step) {
      return !step || step->rows || llvm::any_of(step->limits, [](Size limit) {
        return GraphBuilder::staticSize(limit).value_or(0) >= INT32_MAX;
      });
    };
    if (!a || (b && isLoose(a) && !isLoose(b)) || (b && !a->rows && isLoose(a)))
      std::swap(a, b);
    return inexact(a);
  }

  Step either(Step a, Step b) {
    if (!a || !b)
      return std::nullopt;
    a->limits.append(b->limits);
    if (a->rows && b->rows)
      a->rows = g.max(*a->rows, *b->rows);
    else if (b->rows)
      a->rows = b->rows;
    return inexact(a);
  }

  Step sum(Step a, Step b) {
    if (!a || !b || (a->rows && b->rows))
      return std::nullopt;
    if (b->rows)
      std::swap(a, b);
    Size most = b->limits.front();
    for (Size limit : ArrayRef(b->limits).drop_front())
      most = g.max(most, limit);
    for (Size &limit : a->limits)
      limit = g.add(limit, most);
    if (a->rows)
      a->rows = g.add(*a->rows, most);
    a->isExact &= b->isExact;
    return a;
  }

  GraphBuilder &g;
  Value current;
  Region &body;
  llvm::DenseMap<Value, Step> memo;
};
} // namespace

std::optional<ExtentStep> stepOf(GraphBuilder &g, Size next, Value current,
                                 Region &body) {
  return Stepper(g, current, body).of(next);
}

//===-- Progressions ----------------------------------------------------===//

std::optional<Progression> Progressions::of(Size size) { return of(size, 0); }

std::optional<Progression> Progressions::of(Size size, int depth) {
  if (isOutside(size, body))
    return Progression{size, 0};
  auto value = cast<Value>(size);
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  if (!op || depth > maxDepth)
    return std::nullopt;
  if (isa<BoundOp>(op))
    return of(op->getOperand(0), depth + 1);
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<Progression> a = of(op->getOperand(0), depth + 1);
  std::optional<Progression> b =
      a ? of(op->getOperand(1), depth + 1) : std::nullopt;
  if (!b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return Progression{g.add(a->first, b->first),
                       saturatingAdd(a->slope, b->slope)};
  if (isa<arith::SubIOp>(op))
    return Progression{g.sub(a->first, b->first),
                       saturatingAdd(a->slope, saturatingMul(b->slope, -1))};
  if (a->slope == 0)
    std::swap(a, b);
  std::optional<int64_t> factor = GraphBuilder::staticSize(b->first);
  if (b->slope != 0 || (a->slope != 0 && !factor))
    return std::nullopt;
  return Progression{g.mul(a->first, b->first),
                     a->slope ? saturatingMul(a->slope, *factor) : 0};
}

namespace {
/// The bound of a loop that goes on while both conditions hold, or while one of
/// them holds.
std::optional<Size> whileBoth(GraphBuilder &g, std::optional<Size> a,
                              std::optional<Size> b) {
  return a && b ? g.min(*a, *b) : a ? a : b;
}
std::optional<Size> whileEither(GraphBuilder &g, std::optional<Size> a,
                                std::optional<Size> b) {
  return a && b ? std::optional<Size>(g.max(*a, *b)) : std::nullopt;
}
} // namespace

std::optional<Size> Progressions::maxTrips(Size goesOn) {
  return maxTripsWhile(goesOn, true, 0);
}

std::optional<Size> Progressions::maxTripsWhile(Size number, bool wanted,
                                                int depth) {
  // A false condition still allows one iteration: the condition is read after
  // it.
  if (std::optional<int64_t> known = GraphBuilder::staticSize(number))
    return (*known != 0) == wanted ? std::optional<Size>() : g.index(1);
  Operation *op = cast<Value>(number).getDefiningOp();
  if (!op || depth > maxDepth)
    return std::nullopt;
  auto operand = [&](unsigned i, bool holds) {
    return maxTripsWhile(getAsOpFoldResult(op->getOperand(i)), holds,
                         depth + 1);
  };
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return maxTripsWhile(compare, wanted, depth);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto yes = getConstantIntValue(select.getTrueValue()),
         no = getConstantIntValue(select.getFalseValue());
    if (!yes || !no || (*yes != 0) == (*no != 0))
      return std::nullopt;
    return operand(0, (*yes != 0) == wanted);
  }
  if (isa<arith::SubIOp>(op) && getConstantIntValue(op->getOperand(0)) == 1)
    return operand(1, !wanted);
  bool isAnd = isa<arith::MulIOp, arith::MinSIOp>(op);
  if (!isAnd && !isa<arith::MaxSIOp>(op))
    return std::nullopt;
  auto join = isAnd == wanted ? whileBoth : whileEither;
  return join(g, operand(0, wanted), operand(1, wanted));
}

std::optional<Size> Progressions::maxTripsWhile(arith::CmpIOp compare,
                                                bool wanted, int depth) {
  Size a = getAsOpFoldResult(compare.getLhs()),
       b = getAsOpFoldResult(compare.getRhs());
  Predicate predicate = compare.getPredicate();
  if (!wanted)
    predicate = arith::invertPredicate(predicate);
  switch (predicate) {
  case Predicate::sgt:
    return maxTripsWhileBelow(b, a, 0);
  case Predicate::sge:
    return maxTripsWhileBelow(b, a, 1);
  case Predicate::slt:
    return maxTripsWhileBelow(a, b, 0);
  case Predicate::sle:
    return maxTripsWhileBelow(a, b, 1);
  case Predicate::ne:
  case Predicate::eq:
    // The comparison of a bool, converted to a number, with zero.
    if (GraphBuilder::staticSize(b) == 0)
      return maxTripsWhile(a, predicate == Predicate::ne, depth + 1);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

/// The greatest number of iterations of a loop that goes on while a < b + more.
std::optional<Size> Progressions::maxTripsWhileBelow(Size a, Size b,
                                                     int64_t more) {
  std::optional<Progression> low = of(a), high = of(b);
  if (!low || !high || low->slope <= high->slope)
    return std::nullopt;
  int64_t nearer = saturatingAdd(low->slope, saturatingMul(high->slope, -1));
  Size first = g.max(low->first, g.index(-maxCount)),
       end = g.min(high->first, g.index(maxCount));
  Size distance = g.add(g.sub(end, first), g.index(more));
  return g.add(g.ceilDiv(g.max(distance, g.index(0)), g.index(nearer)),
               g.index(1));
}

} // namespace tenon
