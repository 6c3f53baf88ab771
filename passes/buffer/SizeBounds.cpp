// Interval analysis with one rule per op; a rule computes one end of the
// interval. It asks for the ends of its operands; missing ends are computed
// first, with a work list and not by recursion, because the arithmetic may be
// as long as the model.
#include "passes/buffer/SizeBounds.h"

#include "dialects/tenon/SizeSigns.h"
#include "dialects/tenon/TenonDialect.h"
#include "passes/buffer/BufferExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon {

Value SizeBounds::upperBound(Value size) {
  SmallVector<Question> pending = {{size, Upper}};
  while (!pending.empty()) {
    Question next = pending.back();
    if (answers.contains(next)) {
      pending.pop_back();
      continue;
    }
    missing.clear();
    answer(next);
    pending.append(missing);
  }
  return answers.at({size, Upper}).value;
}

Location SizeBounds::obstacleTo(Value size) const {
  return *answers.at({size, Upper}).obstacle;
}

void SizeBounds::answer(Question question) {
  auto [size, end] = question;
  Answer found = exact.canClone(size) ? Answer{exact.clone(size), {}}
                                      : infer(size, End(end));
  if (missing.empty())
    answers.try_emplace(question, found);
}

SizeBounds::Answer SizeBounds::ask(Value size, unsigned end) {
  auto found = answers.find({size, end});
  if (found != answers.end())
    return found->second;
  missing.push_back({size, end});
  return {};
}

SizeBounds::Answer SizeBounds::both(const Answer &a, const Answer &b,
                                    Combine combine) const {
  if (!missing.empty())
    return {};
  if (!a.value || !b.value)
    return a.value ? b : a;
  return {combine(a.value, b.value), {}};
}

Value SizeBounds::pick(End end, Value a, Value b) {
  return end == Upper ? make<arith::MaxSIOp>(a, b) : make<arith::MinSIOp>(a, b);
}

Value SizeBounds::number(int64_t value) {
  return arith::ConstantIndexOp::create(builder, builder.getUnknownLoc(),
                                        value);
}

SizeBounds::Answer SizeBounds::infer(Value size, End end) {
  Answer none{Value(), exact.obstacleTo(size)};
  if (auto argument = dyn_cast<BlockArgument>(size))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      if (argument == loop.getInductionVar())
        return end == Upper ? ask(loop.getUpperBound(), Upper)
                            : ask(loop.getLowerBound(), Lower);
  Operation *op = size.getDefiningOp();
  if (!op || !size.getType().isIndex())
    return none;
  End other = end == Upper ? Lower : Upper;
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case([&](BoundOp bound) {
        return end == Upper ? ask(bound.getBound(), Upper)
                            : Answer{number(0), {}};
      })
      .Case([&](arith::AddIOp add) {
        Answer a = ask(add.getLhs(), end), b = ask(add.getRhs(), end);
        return both(
            a, b, [&](Value x, Value y) { return make<arith::AddIOp>(x, y); });
      })
      .Case([&](arith::SubIOp sub) {
        Answer a = ask(sub.getLhs(), end), b = ask(sub.getRhs(), other);
        return both(
            a, b, [&](Value x, Value y) { return make<arith::SubIOp>(x, y); });
      })
      .Case([&](arith::MulIOp mul) {
        return inferProduct(mul.getLhs(), mul.getRhs(), end);
      })
      .Case<arith::MinSIOp, arith::MaxSIOp>([&](auto) -> Answer {
        bool isMin = isa<arith::MinSIOp>(op);
        Answer a = ask(op->getOperand(0), end), b = ask(op->getOperand(1), end);
        if (!missing.empty())
          return {};
        // One operand's bound suffices for the upper end of a minimum and the
        // lower end of a maximum.
        if (isMin == (end == Upper) && (!a.value || !b.value))
          return a.value ? a : b;
        return both(a, b, [&](Value x, Value y) {
          return isMin ? make<arith::MinSIOp>(x, y)
                       : make<arith::MaxSIOp>(x, y);
        });
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(
          [&](auto) { return inferQuotient(op, end); })
      .Case([&](arith::RemSIOp) { return inferRemainder(op, end); })
      .Case([&](arith::SelectOp select) {
        return inferChoice(select.getCondition(), select.getTrueValue(),
                           select.getFalseValue(), end);
      })
      .Case([&](scf::IfOp branch) {
        unsigned i = cast<OpResult>(size).getResultNumber();
        return inferChoice(branch.getCondition(),
                           branch.thenYield().getOperand(i),
                           branch.elseYield().getOperand(i), end);
      })
      .Case([&](memref::DimOp dim) { return inferExtent(dim, end); })
      .Case([&](arith::IndexCastUIOp cast) {
        // A bool as a number: 0 or 1.
        return cast.getIn().getType().isInteger(1)
                   ? Answer{number(end == Upper), {}}
                   : none;
      })
      .Default([&](Operation *) { return none; });
}

SizeBounds::Answer SizeBounds::inferProduct(Value a, Value b, End end) {
  if (isAtLeast(a, 0) && isAtLeast(b, 0))
    return both(ask(a, end), ask(b, end),
                [&](Value x, Value y) { return make<arith::MulIOp>(x, y); });
  // The signs may be unknown, so the bound is one of the four corner products.
  Answer ends[] = {ask(a, Lower), ask(a, Upper), ask(b, Lower), ask(b, Upper)};
  if (!missing.empty())
    return {};
  for (const Answer &known : ends)
    if (!known.value)
      return known;
  Value result;
  for (int i : {0, 1})
    for (int k : {2, 3}) {
      Value corner = make<arith::MulIOp>(ends[i].value, ends[k].value);
      result = result ? pick(end, result, corner) : corner;
    }
  return {result, {}};
}

/// Handles all rounding modes. A divisor that may be negative gives no bound. A
/// zero divisor cannot reach the division.
SizeBounds::Answer SizeBounds::inferQuotient(Operation *op, End end) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (!isAtLeast(b, 0))
    return {Value(), exact.obstacleTo(op->getResult(0))};
  if (end == Lower && isAtLeast(a, 0))
    return {number(0), {}};
  // The dividend farthest from zero, over the smallest divisor.
  Answer from = ask(a, end), by = ask(b, Lower);
  if (!missing.empty())
    return {};
  if (!from.value)
    return from;
  Value numerator = isAtLeast(a, 0) ? from.value
                    : end == Upper
                        ? make<arith::MaxSIOp>(from.value, number(0))
                        : make<arith::MinSIOp>(from.value, number(0));
  Value divisor =
      by.value ? make<arith::MaxSIOp>(by.value, number(1)) : number(1);
  if (isa<arith::CeilDivSIOp>(op))
    return {make<arith::CeilDivSIOp>(numerator, divisor), {}};
  if (isa<arith::FloorDivSIOp>(op))
    return {make<arith::FloorDivSIOp>(numerator, divisor), {}};
  return {make<arith::DivSIOp>(numerator, divisor), {}};
}

SizeBounds::Answer SizeBounds::inferRemainder(Operation *op, End end) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (!isAtLeast(b, 0))
    return {Value(), exact.obstacleTo(op->getResult(0))};
  if (end == Lower && isAtLeast(a, 0))
    return {number(0), {}};
  Answer by = ask(b, Upper);
  if (!missing.empty() || !by.value)
    return by;
  Value last = make<arith::SubIOp>(by.value, number(1));
  if (end == Lower)
    return {make<arith::SubIOp>(number(0), last), {}};
  return {last, {}};
}

SizeBounds::Answer SizeBounds::inferChoice(Value condition, Value yes, Value no,
                                           End end) {
  Answer a = ask(yes, end), b = ask(no, end);
  return both(a, b, [&](Value x, Value y) -> Value {
    if (exact.canClone(condition))
      return builder.createOrFold<arith::SelectOp>(
          condition.getLoc(), exact.clone(condition), x, y);
    return pick(end, x, y);
  });
}

/// The values that a branch or select chooses from.
static SmallVector<Value, 2> sourcesOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  unsigned i = result.getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
    return {branch.thenYield().getOperand(i), branch.elseYield().getOperand(i)};
  if (auto select = dyn_cast<arith::SelectOp>(result.getOwner()))
    return {select.getTrueValue(), select.getFalseValue()};
  return {};
}

SizeBounds::Answer SizeBounds::inferExtent(memref::DimOp op, End end) {
  if (end == Lower)
    return {number(0), {}};
  auto [place, isNew] = extents.try_emplace(op);
  if (isNew)
    if (std::optional<int64_t> dim = op.getConstantIndex())
      for (Value source : sourcesOf(op.getSource()))
        place->second.push_back(extentOf(source, *dim));
  Answer greatest{Value(), exact.obstacleTo(op)};
  for (auto [i, extent] : llvm::enumerate(place->second)) {
    auto value = dyn_cast<Value>(extent);
    Answer next = value ? ask(value, Upper)
                        : Answer{number(*getConstantIntValue(extent)), {}};
    greatest = i == 0 ? next : both(greatest, next, [&](Value x, Value y) {
      return pick(Upper, x, y);
    });
  }
  return greatest;
}

} // namespace tenon
