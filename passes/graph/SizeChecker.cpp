// A check is emitted before the op, where all of its sizes are known.
#include "passes/graph/SizeChecker.h"

#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenon {

/// The name of the op's place: `node "x" (Add)`, or the op's own name.
static std::string placeOf(Operation *op) {
  auto name = op->getLoc()->findInstanceOf<NameLoc>();
  if (!name || name.getName().empty())
    return op->getName().getStringRef().str();
  std::string text = "node \"" + name.getName().str() + "\"";
  auto fused = op->getLoc()->findInstanceOf<FusedLoc>();
  if (auto kind = fused ? dyn_cast_if_present<StringAttr>(fused.getMetadata())
                        : StringAttr())
    text += " (" + kind.str() + ")";
  return text;
}

SizeChecker::Size SizeChecker::result(int64_t dim) {
  return extent(op->getResult(0), dim, "the result");
}

SizeChecker::Size SizeChecker::extent(Value tensor, int64_t dim,
                                      const std::string &whose) {
  SizeForm form = forms.of(tensor, dim);
  std::string words = forms.describe(form);
  if (words.empty())
    words = "extent " + std::to_string(dim) + " of " + whose;
  return {{}, tensor, dim, form, words};
}

SizeChecker::Size SizeChecker::given(OpFoldResult value, std::string words) {
  SizeForm form = forms.of(value);
  std::string origin = forms.describe(form);
  return {value, {}, 0, form, origin.empty() ? words : origin};
}

SizeChecker::Size SizeChecker::number(int64_t value) {
  return {builder.getIndexAttr(value),
          {},
          0,
          SizeForms::number(value),
          std::to_string(value)};
}

void SizeChecker::equal(const Size &found, const Size &expected) {
  if (found.form == expected.form)
    return;
  Value size = valueOf(expected);
  check(valueOf(found), size, size,
        found.words + " must be " + wordsFor(expected));
}

void SizeChecker::oneOrEqual(const Size &found, const Size &expected) {
  if (SizeForms::constant(found.form) == 1 || found.form == expected.form ||
      isUnlessOne(expected, found))
    return;
  Value given = valueOf(found);
  Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      given, index(1));
  Value wanted =
      arith::SelectOp::create(builder, loc, isOne, given, valueOf(expected));
  check(given, wanted, wanted,
        found.words + " must be one or " + wordsFor(expected));
}

void SizeChecker::notNegative(const Size &found) {
  if (!forms.isNonNegative(found.form))
    check(valueOf(found), index(0), index(INT64_MAX),
          found.words + " must not be negative");
}

void SizeChecker::atMost(const Size &found, const Size &limit) {
  if (!forms.isNonNegative(limit.form - found.form))
    check(valueOf(found), index(INT64_MIN), valueOf(limit),
          found.words + " must not be above " + wordsFor(limit));
}

void SizeChecker::sameCount(ArrayRef<Size> from, ArrayRef<Size> to) {
  auto formOf = [](ArrayRef<Size> sizes) {
    SizeForm product = SizeForms::number(1);
    for (const Size &size : sizes)
      product = product * size.form;
    return product;
  };
  if (formOf(from) == formOf(to))
    return;
  Value wanted = product(from);
  check(product(to), wanted, wanted, "the number of elements must stay");
}

void SizeChecker::box(int64_t dim, const Size &offset, const Size &size,
                      const Size &stride, const Size &limit) {
  notNegative(size);
  SizeForm last =
      offset.form + (size.form - SizeForms::number(1)) * stride.form;
  bool forward = forms.isNonNegative(stride.form);
  if (forward && forms.isNonNegative(offset.form) &&
      forms.isNonNegative(limit.form - SizeForms::number(1) - last))
    return;
  Value none = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     valueOf(size), index(0));
  Value high = choose(none, index(0), plus(valueOf(limit), index(-1)));
  Value steps = arith::MulIOp::create(
      builder, loc, plus(valueOf(size), index(-1)), valueOf(stride));
  Value first = choose(none, index(0), valueOf(offset));
  std::string along =
      " element along extent " + std::to_string(dim) + " must be within it";
  check(first, index(0), high, "the first" + along);
  check(choose(none, index(0), plus(valueOf(offset), steps)), index(0), high,
        "the last" + along);
}

void SizeChecker::fits(const Size &size, const Size &limit, Value slices) {
  if (forms.isNonNegative(limit.form - size.form))
    return;
  Value none = nullptr;
  for (int64_t d = 0, rank = cast<ShapedType>(slices.getType()).getRank();
       d < rank; ++d) {
    Value empty =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                              valueOf(extent(slices, d, "")), index(0));
    none = none ? arith::OrIOp::create(builder, loc, none, empty).getResult()
                : empty;
  }
  Value least = valueOf(size);
  check(valueOf(limit), none ? choose(none, index(0), least) : least,
        index(INT64_MAX), limit.words + " must hold what is read of it");
}

Value SizeChecker::valueOf(const Size &size) {
  OpFoldResult value =
      size.value ? size.value : mixedSize(builder, loc, size.tensor, size.dim);
  return getValueOrCreateConstantIndexOp(builder, loc, value);
}

Value SizeChecker::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

std::string SizeChecker::wordsFor(const Size &size) {
  return size.words.empty() ? "as expected" : size.words;
}

Value SizeChecker::plus(Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}

Value SizeChecker::choose(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(builder, loc, condition, yes, no);
}

Value SizeChecker::product(ArrayRef<Size> sizes) {
  Value all = index(1);
  for (const Size &size : sizes)
    all = arith::MulIOp::create(builder, loc, all, valueOf(size));
  return all;
}

bool SizeChecker::isUnlessOne(const Size &size, const Size &found) {
  auto value = dyn_cast_if_present<Value>(size.value);
  auto select = value ? value.getDefiningOp<arith::SelectOp>() : nullptr;
  auto isOne =
      select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
  return isOne && isOne.getPredicate() == arith::CmpIPredicate::eq &&
         getConstantIntValue(isOne.getRhs()) == 1 &&
         forms.of(OpFoldResult(isOne.getLhs())) == found.form &&
         forms.of(OpFoldResult(select.getFalseValue())) == found.form;
}

void SizeChecker::check(Value found, Value low, Value high,
                        const std::string &rule) {
  CheckSizeOp::create(builder, loc, found, low, high,
                      builder.getStringAttr(placeOf(op) + ": " + rule));
}

} // namespace tenon
