// Shapes and ops that change them: reshapes, concatenations, splits, fills.
#include "compiler/import/tensorflow/graph/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {
namespace {

LogicalResult constant(NodeContext &c) {
  const Attr *attr = c.node.find("value");
  const auto *tensor = attr ? std::get_if<Tensor>(attr) : nullptr;
  if (!tensor)
    return c.error("expected attribute 'value' to be a tensor");
  Result value = c.importer.constant(c.node, *tensor);
  if (value.kind == Result::Kind::Nothing)
    return failure();
  c.set(0, value);
  return success();
}

/// A placeholder that no input of the entry feeds. The graph may be valid, but
/// this entry cannot be computed; all such placeholders are reported in one
/// message. Fed placeholders have no handler call.
LogicalResult placeholder(NodeContext &c) {
  return c.unsupported("no input of the entry feeds it; --feeds= makes it one");
}

FailureOr<Value> shapeAs(NodeContext &c, Value x) {
  mlir::Type element = c.elementAttr("out_type", DataType::I32);
  if (!element)
    return failure();
  return c.g.convert(c.g.fromSizes(c.g.sizes(x)), element);
}

LogicalResult shape(NodeContext &c) {
  for (size_t i = 0; i < c.numInputs(); ++i) {
    FailureOr<Value> sizes = shapeAs(c, c.input(i));
    if (failed(sizes))
      return failure();
    c.set(i, *sizes);
  }
  return success();
}

LogicalResult size(NodeContext &c) {
  mlir::Type element = c.elementAttr("out_type", DataType::I32);
  if (!element)
    return failure();
  c.set(0, c.g.fromSize(c.g.product(c.g.sizes(c.input(0))), element));
  return success();
}

LogicalResult rank(NodeContext &c) {
  c.set(0, c.g.scalarInt(c.g.ops.getI32Type(), c.g.rankOf(c.input(0))));
  return success();
}

LogicalResult reshape(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Sizes> wanted = c.sizesInput(1);
  if (failed(wanted))
    return failure();
  Sizes from = g.sizes(c.input(0)), known;
  int64_t open = -1;
  for (auto [i, entry] : llvm::enumerate(*wanted)) {
    std::optional<int64_t> extent = g.staticSize(entry);
    if (extent && *extent < -1)
      return c.error("expected extents of at least -1, got " + Twine(*extent));
    if (extent && *extent == -1) {
      if (open >= 0)
        return c.error("expected at most one -1 in the shape");
      open = int64_t(i);
      continue;
    }
    known.push_back(entry);
  }
  auto all = g.staticSizes(from), rest = g.staticSizes(known);
  if (all && rest) {
    int64_t have = 1, need = 1;
    for (int64_t extent : *all)
      have *= extent;
    for (int64_t extent : *rest)
      need *= extent;
    bool fits = open < 0 ? have == need : need != 0 && have % need == 0;
    if (!fits)
      return c.error("expected a shape of " + Twine(have) +
                     " elements, got one of " + Twine(need));
  }
  if (open >= 0)
    (*wanted)[open] = g.quotient(from, known);
  c.set(0, g.reshape(c.input(0), *wanted));
  return success();
}

LogicalResult squeeze(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  SmallVector<int64_t> named =
      c.intsAttr(c.hasAttr("squeeze_dims") ? "squeeze_dims" : "axis");
  FailureOr<SmallVector<int64_t>> dims = c.axes(named, g.rankOf(x));
  if (failed(dims))
    return failure();
  ArrayRef<int64_t> shape = g.shapeOf(x);
  if (named.empty()) {
    for (int64_t i = 0; i < g.rankOf(x); ++i) {
      if (ShapedType::isDynamic(shape[i]))
        return c.unsupported("no axes, if the operand has dynamic extents");
      if (shape[i] == 1)
        dims->push_back(i);
    }
  }
  for (int64_t dim : *dims)
    if (!ShapedType::isDynamic(shape[dim]) && shape[dim] != 1)
      return c.error("expected extents of one to squeeze, got " +
                     Twine(shape[dim]) + " along dimension " + Twine(dim));
  c.set(0, g.squeeze(x, *dims));
  return success();
}

LogicalResult expandDims(NodeContext &c) {
  FailureOr<int64_t> named = c.constantScalar(1, "an axis");
  if (failed(named))
    return failure();
  FailureOr<int64_t> dim = c.axis(*named, c.g.rankOf(c.input(0)) + 1);
  if (failed(dim))
    return failure();
  c.set(0, c.g.unsqueeze(c.input(0), {*dim}));
  return success();
}

LogicalResult transpose(NodeContext &c) {
  FailureOr<SmallVector<int64_t>> permutation =
      c.constantInput(1, "a permutation");
  if (failed(permutation))
    return failure();
  int64_t rank = c.g.rankOf(c.input(0));
  SmallVector<int64_t> sorted(*permutation);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
    return c.error("expected a permutation of " + Twine(rank) + " dimensions");
  c.set(0, c.g.transpose(c.input(0), *permutation));
  return success();
}

/// Concatenates the operands [first, last) along dimension `named`; their other
/// extents must be equal.
LogicalResult join(NodeContext &c, size_t first, size_t last, int64_t named) {
  GraphBuilder &g = c.g;
  if (first == last)
    return c.error("expected a tensor at least");
  if (failed(c.expectSameElements(
          llvm::to_vector(llvm::seq<size_t>(first, last)))))
    return failure();
  FailureOr<int64_t> dim = c.axis(named, g.rankOf(c.input(first)));
  if (failed(dim))
    return failure();
  SmallVector<Value> values;
  for (size_t i = first; i < last; ++i) {
    Value x = c.input(i);
    bool fits = g.rankOf(x) == g.rankOf(c.input(first));
    for (int64_t d = 0; fits && d < g.rankOf(x); ++d) {
      int64_t a = g.shapeOf(x)[d], b = g.shapeOf(c.input(first))[d];
      fits = d == *dim || a == b || ShapedType::isDynamic(a) ||
             ShapedType::isDynamic(b);
    }
    if (!fits)
      return c.error("expected tensors that differ along dimension " +
                     Twine(*dim) + " alone, got " + textOf(c.input(first)) +
                     " and " + textOf(x));
    values.push_back(x);
  }
  c.set(0, g.concat(values, *dim));
  return success();
}

LogicalResult concatV2(NodeContext &c) {
  FailureOr<int64_t> dim = c.constantScalar(c.numInputs() - 1, "an axis");
  return failed(dim) ? failure() : join(c, 0, c.numInputs() - 1, *dim);
}

LogicalResult concat(NodeContext &c) {
  FailureOr<int64_t> dim = c.constantScalar(0, "an axis");
  return failed(dim) ? failure() : join(c, 1, c.numInputs(), *dim);
}

/// Operands: an axis and shapes. The results are the positions where the
/// tensors begin in their concatenation.
LogicalResult concatOffset(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<int64_t> named = c.constantScalar(0, "an axis");
  if (failed(named))
    return failure();
  Size start = g.index(0);
  for (size_t i = 1; i < c.numInputs(); ++i) {
    FailureOr<Sizes> shape = c.sizesInput(i);
    if (failed(shape))
      return failure();
    FailureOr<int64_t> axis = c.axis(*named, int64_t(shape->size()));
    if (failed(axis))
      return failure();
    Sizes offset(shape->size(), g.index(0));
    offset[*axis] = start;
    c.set(i - 1, g.convert(g.fromSizes(offset), g.elementOf(c.input(i))));
    start = g.add(start, (*shape)[*axis]);
  }
  return success();
}

LogicalResult pack(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectSameElements()))
    return failure();
  FailureOr<int64_t> dim =
      c.axis(c.intAttr("axis", 0), g.rankOf(c.input(0)) + 1);
  if (failed(dim))
    return failure();
  SmallVector<Value> values;
  for (size_t i = 0; i < c.numInputs(); ++i) {
    if (g.rankOf(c.input(i)) != g.rankOf(c.input(0)))
      return c.error("expected tensors of one shape, got " +
                     textOf(c.input(0)) + " and " + textOf(c.input(i)));
    for (auto [a, b] : llvm::zip(g.shapeOf(c.input(i)), g.shapeOf(c.input(0))))
      if (a != b && !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b))
        return c.error("expected tensors of one shape, got " +
                       textOf(c.input(0)) + " and " + textOf(c.input(i)));
    values.push_back(g.unsqueeze(c.input(i), {*dim}));
  }
  c.set(0, g.concat(values, *dim));
  return success();
}

LogicalResult unpack(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  FailureOr<int64_t> dim = c.axis(c.intAttr("axis", 0), g.rankOf(x));
  if (failed(dim))
    return failure();
  int64_t count = g.shapeOf(x)[*dim], declared = c.intAttr("num", count);
  if (ShapedType::isDynamic(count))
    count = declared;
  if (count != declared || count < 0)
    return c.error("expected " + Twine(declared) + " parts of " + textOf(x));
  for (int64_t i = 0; i < count; ++i)
    c.set(i, g.squeeze(g.sliceDim(x, *dim, g.index(i), g.index(1)), {*dim}));
  return success();
}

LogicalResult split(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<int64_t> named = c.constantScalar(0, "an axis");
  int64_t count = c.intAttr("num_split", 1);
  if (failed(named))
    return failure();
  Value x = c.input(1);
  FailureOr<int64_t> dim = c.axis(*named, g.rankOf(x));
  if (failed(dim))
    return failure();
  int64_t extent = g.shapeOf(x)[*dim];
  if (count < 1 || (!ShapedType::isDynamic(extent) && extent % count != 0))
    return c.error("expected parts that divide " + Twine(extent) + ", got " +
                   Twine(count));
  Size part = g.floorDiv(g.size(x, *dim), g.index(count));
  for (int64_t i = 0; i < count; ++i)
    c.set(i, g.sliceDim(x, *dim, g.mul(part, g.index(i)), part));
  return success();
}

LogicalResult splitV(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  FailureOr<SmallVector<int64_t>> sizes = c.constantInput(1, "sizes");
  FailureOr<int64_t> named = c.constantScalar(2, "an axis");
  if (failed(sizes) || failed(named))
    return failure();
  FailureOr<int64_t> dim = c.axis(*named, g.rankOf(x));
  if (failed(dim))
    return failure();
  Size open = g.size(x, *dim);
  for (int64_t size : *sizes)
    if (size >= 0)
      open = g.sub(open, g.index(size));
  if (std::optional<int64_t> rest = g.staticSize(open);
      rest && (llvm::is_contained(*sizes, -1) ? *rest < 0 : *rest != 0))
    return c.error("expected sizes that add up to the extent of " + textOf(x));
  Size at = g.index(0);
  for (auto [i, size] : llvm::enumerate(*sizes)) {
    Size part = size < 0 ? open : g.index(size);
    c.set(i, g.sliceDim(x, *dim, at, part));
    at = g.add(at, part);
  }
  return success();
}

LogicalResult tile(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  FailureOr<Sizes> times = c.sizesInput(1);
  if (failed(times))
    return failure();
  int64_t rank = g.rankOf(x);
  if (int64_t(times->size()) != rank)
    return c.error("expected a multiple per dimension of " + textOf(x));
  // Reshape each dimension to (count, extent) and broadcast the first of the
  // pair.
  Sizes pairs, result;
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i) {
    Size extent = g.size(x, i), count = g.max((*times)[i], g.index(0));
    pairs.append({count, extent});
    dims.push_back(2 * i + 1);
    result.push_back(g.mul(count, extent));
  }
  c.set(0, g.reshape(g.broadcastInDim(x, dims, pairs), result));
  return success();
}

LogicalResult fill(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Sizes> sizes = c.sizesInput(0);
  if (failed(sizes) || failed(c.expectRank(1, 0)))
    return failure();
  for (Size size : *sizes)
    if (g.staticSize(size).value_or(0) < 0)
      return c.error("expected extents of at least 0, got " +
                     Twine(*g.staticSize(size)));
  c.set(0, g.broadcastTo(c.input(1), *sizes));
  return success();
}

LogicalResult broadcastTo(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Sizes> sizes = c.sizesInput(1);
  if (failed(sizes))
    return failure();
  Sizes from = g.sizes(c.input(0));
  auto joined = g.broadcastSizes(ArrayRef<Sizes>{from, *sizes});
  if (!joined || joined->size() != sizes->size())
    return c.error("expected a shape that " + textOf(c.input(0)) +
                   " broadcasts to");
  c.set(0, g.broadcastTo(c.input(0), *sizes));
  return success();
}

LogicalResult broadcastArgs(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Sizes> a = c.sizesInput(0), b = c.sizesInput(1);
  if (failed(a) || failed(b))
    return failure();
  auto joined = g.broadcastSizes(ArrayRef<Sizes>{*a, *b});
  if (!joined)
    return c.error("expected shapes that can be broadcast");
  c.set(0, g.convert(g.fromSizes(*joined), g.elementOf(c.input(0))));
  return success();
}

LogicalResult range(NodeContext &c) {
  GraphBuilder &g = c.g;
  mlir::Type element = g.elementOf(c.input(0));
  if (failed(c.expectSameElements({0, 1, 2})))
    return failure();
  for (size_t i = 0; i < 3; ++i)
    if (failed(c.expectRank(i, 0)))
      return failure();
  if (isa<FloatType>(element)) {
    std::optional<SmallVector<double>> list[3];
    for (size_t i = 0; i < 3; ++i) {
      list[i] = c.shapes.constantFloats(c.input(i));
      if (!list[i])
        return c.unsupported("a range of floats that is not constant");
    }
    double start = (*list[0])[0], limit = (*list[1])[0], step = (*list[2])[0];
    if (step == 0 || !std::isfinite((limit - start) / step))
      return c.error("expected a step other than 0");
    int64_t count =
        std::max<int64_t>(0, int64_t(std::ceil((limit - start) / step)));
    Value steps = g.convert(g.iota(g.i64(), {g.index(count)}, 0), element);
    c.set(0, g.add(g.mul(steps, step), start));
    return success();
  }
  FailureOr<Sizes> start = c.sizesInput(0), limit = c.sizesInput(1),
                   step = c.sizesInput(2);
  if (failed(start) || failed(limit) || failed(step))
    return failure();
  if (g.staticSize(step->front()) == 0)
    return c.error("expected a step other than 0");
  if (!g.staticSize(step->front()))
    return c.unsupported("a step that is not constant");
  Size count =
      g.max(g.ceilDiv(g.sub(limit->front(), start->front()), step->front()),
            g.index(0));
  Value steps = g.iota(element, {count}, 0);
  if (g.staticSize(step->front()) != 1)
    steps = g.mul(steps, c.input(2));
  if (g.staticSize(start->front()) != 0)
    steps = g.add(steps, c.input(0));
  c.set(0, steps);
  return success();
}

/// Operand 2 gives the number of evenly spaced numbers from operand 0 to
/// operand 1.
LogicalResult linSpace(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectFloat(0)) || failed(c.expectSameElements({0, 1})) ||
      failed(c.expectRank(0, 0)) || failed(c.expectRank(1, 0)))
    return failure();
  FailureOr<Sizes> count = c.sizesInput(2);
  if (failed(count))
    return failure();
  if (count->size() != 1 || g.staticSize(count->front()).value_or(1) < 1)
    return c.error("expected a number of at least 1");
  mlir::Type element = g.elementOf(c.input(0));
  Size number = g.max(count->front(), g.index(1));
  Value steps = g.convert(
      g.fromSize(g.max(g.sub(number, g.index(1)), g.index(1)), g.i64()),
      element);
  Value at = g.convert(g.iota(g.i64(), {number}, 0), element);
  Value step = g.div(g.sub(c.input(1), c.input(0)), steps);
  Value line = g.add(g.mul(at, step), c.input(0));
  // The last number is exactly the end, unless it is also the first.
  Value isLast = g.binary<AndOp>(g.compare(CompareDirection::EQ, at, steps),
                                 g.compare(CompareDirection::GT, at, 0.0));
  c.set(0, g.select(isLast, c.input(1), line));
  return success();
}

LogicalResult oneHot(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value at = c.input(0);
  if (failed(c.expectInteger(0)) || failed(c.expectRank(2, 0)) ||
      failed(c.expectRank(3, 0)) || failed(c.expectSameElements({2, 3})))
    return failure();
  FailureOr<Sizes> depth = c.sizesInput(1);
  if (failed(depth))
    return failure();
  if (depth->size() != 1)
    return c.error("expected one depth");
  FailureOr<int64_t> dim = c.axis(c.intAttr("axis", -1), g.rankOf(at) + 1);
  if (failed(dim))
    return failure();
  Sizes sizes = g.sizes(at);
  sizes.insert(sizes.begin() + *dim, g.max(depth->front(), g.index(0)));
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i <= g.rankOf(at); ++i)
    if (i != *dim)
      dims.push_back(i);
  Value wide = g.broadcastInDim(g.convert(at, g.i64()), dims, sizes);
  Value hot =
      g.compare(CompareDirection::EQ, wide, g.iota(g.i64(), sizes, *dim));
  c.set(0, g.select(hot, c.input(2), c.input(3)));
  return success();
}

} // namespace

void registerArrayOps(OpRegistry &r) {
  r.add("Const", 0, constant);
  r.add("Placeholder", 0, placeholder);
  r.add("Shape", 1, shape);
  r.add("ShapeN", 1, kMany, shape);
  r.add("Size", 1, size);
  r.add("Rank", 1, rank);
  r.add("Reshape", 2, reshape);
  r.add("Squeeze", 1, squeeze);
  r.add("ExpandDims", 2, expandDims);
  r.add("Transpose", 2, transpose);
  r.add("ConcatV2", 2, kMany, concatV2);
  r.add("Concat", 2, kMany, concat);
  r.add("ConcatOffset", 2, kMany, concatOffset);
  r.add("Pack", 1, kMany, pack);
  r.add("Unpack", 1, unpack);
  r.add("Split", 2, split);
  r.add("SplitV", 3, splitV);
  r.add("Tile", 2, tile);
  r.add("Fill", 2, fill);
  r.add("BroadcastTo", 2, broadcastTo);
  r.add("BroadcastArgs", 2, broadcastArgs);
  r.add("Range", 3, range);
  r.add("LinSpace", 3, linSpace);
  r.add("OneHot", 4, oneHot);
}

} // namespace tenon::tf
