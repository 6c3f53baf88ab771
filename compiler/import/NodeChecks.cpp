// The checks of operands that handlers of every format share.
#include "compiler/import/NodeChecks.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tenon {

std::string textOf(ArrayRef<Size> sizes) {
  std::string text;
  for (Size size : sizes) {
    std::optional<int64_t> number = GraphBuilder::staticSize(size);
    text += (text.empty() ? "" : ",") +
            (number ? std::to_string(*number) : std::string("?"));
  }
  return "[" + text + "]";
}

NodeChecks::~NodeChecks() = default;

FailureOr<int64_t> NodeChecks::axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return error("expected an axis within [" + Twine(-rank) + ", " +
                 Twine(rank - 1) + "], got " + Twine(axis));
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<int64_t>> NodeChecks::axes(ArrayRef<int64_t> axes,
                                                 int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t given : axes) {
    FailureOr<int64_t> dim = axis(given, rank);
    if (failed(dim))
      return failure();
    if (llvm::is_contained(result, *dim))
      return error("axis " + Twine(given) + " is given twice");
    result.push_back(*dim);
  }
  llvm::sort(result);
  return result;
}

FailureOr<Sizes> NodeChecks::sizesInput(size_t i, int64_t maxRank) {
  if (failed(expectInteger(i)))
    return failure();
  if (g.rankOf(input(i)) > maxRank)
    return error("expected a list of integers as operand " + Twine(i) +
                 ", got " + textOf(input(i)));
  std::optional<Sizes> sizes = shapes.elements(input(i));
  if (!sizes)
    return unsupported("a list of sizes of unknown or great length");
  return *sizes;
}

FailureOr<Size> NodeChecks::sizeInput(size_t i) {
  if (failed(expectInteger(i)))
    return failure();
  FailureOr<Value> one = oneElement(i);
  if (failed(one))
    return failure();
  return shapes.elements(*one)->front();
}

FailureOr<SmallVector<int64_t>> NodeChecks::constantInput(size_t i,
                                                          StringRef what) {
  FailureOr<Sizes> sizes = sizesInput(i);
  if (failed(sizes))
    return failure();
  std::optional<SmallVector<int64_t>> constants =
      GraphBuilder::staticSizes(*sizes);
  if (!constants)
    return unsupported(what + " known only at run time");
  return *constants;
}

FailureOr<int64_t> NodeChecks::constantScalar(size_t i, StringRef what) {
  FailureOr<SmallVector<int64_t>> known = constantInput(i, what);
  if (failed(known))
    return failure();
  if (known->size() != 1)
    return error("expected one number for " + what + ", got " +
                 Twine(known->size()));
  return known->front();
}

FailureOr<Sizes> NodeChecks::extents(Sizes sizes) {
  for (Size &size : sizes) {
    std::optional<int64_t> extent = GraphBuilder::staticSize(size);
    if (extent && *extent < 0)
      return error("expected extents that are not negative, got " +
                   Twine(*extent));
    check(size, g.index(0), g.index(INT64_MAX), "extents must not be negative");
    size = g.max(size, g.index(0));
  }
  return sizes;
}

FailureOr<Sizes> NodeChecks::extentsInput(size_t i) {
  FailureOr<Sizes> sizes = sizesInput(i);
  if (failed(sizes))
    return failure();
  return extents(*sizes);
}

FailureOr<Value> NodeChecks::withSizes(size_t i, ArrayRef<Size> wanted,
                                       const Twine &what) {
  Value value = input(i);
  bool fits = g.rankOf(value) == int64_t(wanted.size());
  Sizes own = fits ? g.sizes(value) : Sizes();
  for (size_t d = 0; fits && d < own.size(); ++d) {
    auto a = g.staticSize(own[d]), b = g.staticSize(wanted[d]);
    fits = !a || !b || *a == *b;
  }
  std::string shaped = what.str() + " of shape " + textOf(wanted);
  if (!fits)
    return error("expected " + shaped + ", got " + textOf(value));
  for (size_t d = 0; d < own.size(); ++d)
    check(own[d], wanted[d], wanted[d],
          "extent " + Twine(d) + " of operand " + Twine(i) + inputLabel(i) +
              " must be that of " + shaped);
  return g.withSizes(value, wanted);
}

FailureOr<Value> NodeChecks::oneElement(size_t i) {
  SmallVector<Size> ones(g.rankOf(input(i)), g.index(1));
  return withSizes(i, ones, "one element");
}

LogicalResult NodeChecks::expectOneBool(Value value, const Twine &what) {
  RankedTensorType type = g.typeOf(value);
  if (!type.getElementType().isInteger(1) ||
      (type.hasStaticShape() && type.getNumElements() != 1))
    return error("expected " + what + " to be one bool, got " + textOf(value));
  check(g.product(g.sizes(value)), g.index(1), g.index(1),
        what + " must be one bool");
  return success();
}

FailureOr<Value> NodeChecks::scalarInput(size_t i) {
  FailureOr<Value> one = oneElement(i);
  if (failed(one))
    return failure();
  return g.reshape(*one, ArrayRef<int64_t>());
}

FailureOr<Value> NodeChecks::fitted(size_t i, ArrayRef<Size> wanted,
                                    const Twine &what) {
  Value value = input(i);
  Sizes sizes = g.sizes(value);
  bool fits = sizes.size() <= wanted.size();
  for (size_t d = 0; fits && d < sizes.size(); ++d) {
    Size other = wanted[wanted.size() - sizes.size() + d];
    auto a = g.staticSize(sizes[d]), b = g.staticSize(other);
    fits = !a || !b || *a == 1 || *a == *b;
    // The run checks that the extent is one or equal to `other`.
    if (a != 1)
      sizes[d] = other;
  }
  if (!fits)
    return error("expected " + what + " that can be broadcast to " +
                 textOf(wanted) + ", got " + textOf(value));
  return g.broadcastTo(value, sizes);
}

LogicalResult NodeChecks::broadcast(MutableArrayRef<Value> values) {
  SmallVector<std::string> before;
  for (Value value : values)
    before.push_back(textOf(value));
  if (g.broadcast(values))
    return success();
  return error("expected operands whose shapes can be broadcast, got " +
               llvm::join(before, " and "));
}

LogicalResult NodeChecks::binaryOperands(SmallVector<Value, 2> &operands) {
  operands = {input(0), input(1)};
  return broadcast(operands);
}

LogicalResult NodeChecks::expect(size_t i, bool holds, StringRef wanted) {
  if (holds)
    return success();
  if (!hasInput(i))
    return error("expected operand " + Twine(i) + " to be given");
  return error("expected " + wanted + " as operand " + Twine(i) +
               inputLabel(i) + ", got " + textOf(input(i)));
}

LogicalResult NodeChecks::expectFloat(size_t i) {
  return expect(i, hasInput(i) && isa<FloatType>(g.elementOf(input(i))),
                "a float tensor");
}

LogicalResult NodeChecks::expectInteger(size_t i) {
  return expect(i,
                hasInput(i) && isa<IntegerType>(g.elementOf(input(i))) &&
                    !g.elementOf(input(i)).isInteger(1),
                "an integer tensor");
}

LogicalResult NodeChecks::expectNumber(size_t i) {
  return expect(i, hasInput(i) && !g.elementOf(input(i)).isInteger(1),
                "a tensor of numbers");
}

LogicalResult NodeChecks::expectBool(size_t i) {
  return expect(i, hasInput(i) && g.elementOf(input(i)).isInteger(1),
                "a bool tensor");
}

LogicalResult NodeChecks::expectRank(size_t i, int64_t rank) {
  return expect(i, hasInput(i) && g.rankOf(input(i)) == rank,
                "a tensor of rank " + std::to_string(rank));
}

LogicalResult NodeChecks::expectMinRank(size_t i, int64_t rank) {
  return expect(i, hasInput(i) && g.rankOf(input(i)) >= rank,
                "a tensor of rank " + std::to_string(rank) + " or more");
}

LogicalResult NodeChecks::expectSameElements(ArrayRef<size_t> which) {
  SmallVector<size_t> all(which);
  if (which.empty())
    all = llvm::to_vector(llvm::seq<size_t>(0, numInputs()));
  Value first;
  for (size_t i : all) {
    Value value = input(i);
    if (!value)
      continue;
    if (!first)
      first = value;
    if (g.elementOf(value) != g.elementOf(first))
      return error("expected operands of one element type, got " +
                   textOf(g.elementOf(first)) + " and " +
                   textOf(g.elementOf(value)) + inputLabel(i));
  }
  return success();
}

} // namespace tenon
