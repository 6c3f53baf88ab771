// Ops that read elements at computed positions: slices, gathers, and
// reorderings.
#include "compiler/import/graph/Box.h"
#include "compiler/import/tensorflow/graph/TfNodeContext.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// Converts integers to i64 indices into `extent`; an index outside is a
/// run-time error.
Value within(NodeContext &c, Value integers, Size extent) {
  GraphBuilder &g = c.g;
  Value at = g.convert(integers, g.i64());
  Value high = g.broadcastTo(g.fromSize(extent, g.i64()), g.sizes(at));
  // TensorFlow allows no negative indices.
  return g.make<CheckRangeOp>(at, g.splatLike(at, 0), high,
                              g.ops.getStringAttr(c.site()));
}

/// Slices of `operand` along `axis` at the indices `at`. The first `batch`
/// dimensions are common to `operand` and `at`.
Value takeBatched(GraphBuilder &g, Value operand, Value at, int64_t axis,
                  int64_t batch) {
  Sizes from = g.sizes(operand), chosen = g.sizes(at), sizes;
  int64_t places = g.rankOf(at) - batch;
  SmallVector<int64_t> offsets, batching, slices, shape, one = {axis};
  for (int64_t i = 0; i < g.rankOf(operand); ++i) {
    slices.push_back(i < batch || i == axis ? 1 : -1);
    if (i < batch) {
      batching.push_back(i);
      sizes.push_back(g.staticSize(from[i]) ? from[i] : chosen[i]);
    } else if (i == axis) {
      sizes.append(chosen.begin() + batch, chosen.end());
    } else {
      offsets.push_back(i < axis ? i : i + places - 1);
      sizes.push_back(from[i]);
    }
  }
  for (Size size : sizes)
    shape.push_back(g.staticSize(size).value_or(ShapedType::kDynamic));
  Value result = g.make<GatherOp>(
      RankedTensorType::get(shape, g.elementOf(operand)), operand, at, offsets,
      one, batching, batching, one, uint64_t(g.rankOf(at)), slices);
  g.recordSizes(result, sizes);
  return result;
}

LogicalResult gatherBatched(NodeContext &c, int64_t axis, int64_t batch) {
  GraphBuilder &g = c.g;
  Value x = c.input(0), places = c.input(1);
  int64_t rank = g.rankOf(places);
  if (batch < 0)
    batch += rank;
  if (batch < 0 || batch > rank || batch > axis)
    return c.error("expected batch_dims within the indices' rank and not above "
                   "the axis, got " +
                   Twine(batch));
  Sizes sizes = g.sizes(places);
  for (int64_t i = 0; i < batch; ++i)
    sizes[i] = g.size(x, i);
  FailureOr<Value> given = c.withSizes(1, sizes, "indices");
  if (failed(c.expectInteger(1)) || failed(given))
    return failure();
  Value at = within(c, *given, g.size(x, axis));
  c.set(0, takeBatched(g, x, at, axis, batch));
  return success();
}

LogicalResult gather(NodeContext &c) {
  GraphBuilder &g = c.g;
  int64_t axis = 0, batch = c.intAttr("batch_dims", 0);
  if (failed(c.expectMinRank(0, 1)))
    return failure();
  if (c.numInputs() == 3) {
    FailureOr<int64_t> named = c.constantScalar(2, "an axis");
    if (failed(named))
      return failure();
    FailureOr<int64_t> dim = c.axis(*named, g.rankOf(c.input(0)));
    if (failed(dim))
      return failure();
    axis = *dim;
  }
  if (batch != 0)
    return gatherBatched(c, axis, batch);
  if (failed(c.expectInteger(1)))
    return failure();
  Value at = within(c, c.input(1), g.size(c.input(0), axis));
  c.set(0, g.take(c.input(0), at, axis));
  return success();
}

LogicalResult gatherNd(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0), at = c.input(1);
  if (failed(c.expectMinRank(1, 1)) || failed(c.expectInteger(1)))
    return failure();
  int64_t last = g.rankOf(at) - 1, depth = g.shapeOf(at)[last];
  if (ShapedType::isDynamic(depth))
    return c.unsupported("index vectors whose length is not known");
  if (depth > g.rankOf(x))
    return c.error("expected index vectors of at most " + Twine(g.rankOf(x)) +
                   " entries, got " + Twine(depth));
  // The index vectors as row-major numbers of the leading dimensions.
  Value flat = g.splat(g.i64(), ArrayRef(g.sizes(at)).drop_back(), 0);
  Size extent = g.index(1);
  Value wide = g.convert(at, g.i64());
  for (int64_t i = 0; i < depth; ++i) {
    Size own = g.size(x, i);
    Value one =
        g.squeeze(g.sliceDim(wide, last, g.index(i), g.index(1)), {last});
    one = g.make<CheckRangeOp>(
        one, g.splatLike(one, 0),
        g.broadcastTo(g.fromSize(own, g.i64()), g.sizes(one)),
        g.ops.getStringAttr(c.site()));
    flat = g.add(g.mul(flat, g.fromSize(own, g.i64())), one);
    extent = g.mul(extent, own);
  }
  Sizes rest = {extent};
  for (int64_t i = depth; i < g.rankOf(x); ++i)
    rest.push_back(g.size(x, i));
  c.set(0, g.take(g.reshape(x, rest), flat, 0));
  return success();
}

/// Operands 1 and 2 are begins and sizes; a size of -1 means up to the end.
LogicalResult slice(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Sizes> begin = c.sizesInput(1), size = c.sizesInput(2);
  if (failed(begin) || failed(size))
    return failure();
  Value x = c.input(0);
  int64_t rank = g.rankOf(x);
  if (int64_t(begin->size()) != rank || int64_t(size->size()) != rank)
    return c.error("expected a begin and a size per dimension of " + textOf(x));
  Sizes offsets, sizes, strides(rank, g.index(1));
  for (int64_t i = 0; i < rank; ++i) {
    Size extent = g.size(x, i), first = (*begin)[i], count = (*size)[i];
    Size all = g.sub(extent, first);
    count = g.select(g.cmp(arith::CmpIPredicate::eq, count, g.index(-1)), all,
                     count);
    auto a = g.staticSize(first), b = g.staticSize(count),
         e = g.staticSize(extent);
    if ((a && *a < 0) || (b && *b < 0) || (a && b && e && *a + *b > *e))
      return c.error("expected a slice within " + textOf(x) + ", got begin " +
                     Twine(a.value_or(-1)) + " and size " +
                     Twine(b.value_or(-1)) + " along dimension " + Twine(i));
    first = g.clamp(first, g.index(0), extent);
    offsets.push_back(first);
    sizes.push_back(g.clamp(count, g.index(0), g.sub(extent, first)));
  }
  c.set(0, g.slice(x, offsets, sizes, strides));
  return success();
}

/// Offsets, sizes and strides along all dimensions. `result` has the extents
/// after dropping the dimensions of single elements and inserting new ones.
struct StridedBox {
  Sizes offsets, sizes, strides, result;
};

/// The box that operands 1 to 3 and the masks select in a tensor of `extents`.
FailureOr<StridedBox> readStridedBox(NodeContext &c, ArrayRef<Size> extents) {
  GraphBuilder &g = c.g;
  int64_t rank = extents.size();
  FailureOr<Sizes> begin = c.sizesInput(1), end = c.sizesInput(2),
                   step = c.sizesInput(3);
  if (failed(begin) || failed(end) || failed(step))
    return failure();
  size_t entries = begin->size();
  if (end->size() != entries || step->size() != entries)
    return c.error("expected as many begins, ends and strides");
  int64_t beginMask = c.intAttr("begin_mask", 0),
          endMask = c.intAttr("end_mask", 0),
          ellipsis = c.intAttr("ellipsis_mask", 0),
          newAxis = c.intAttr("new_axis_mask", 0),
          shrink = c.intAttr("shrink_axis_mask", 0);
  if (entries > 32)
    return c.error("expected at most 32 entries, got " + Twine(entries));
  auto has = [](int64_t mask, size_t i) { return (mask >> i & 1) != 0; };
  int64_t consumed = 0;
  for (size_t i = 0; i < entries; ++i)
    consumed += !has(ellipsis, i) && !has(newAxis, i);
  if (consumed > rank)
    return c.error("expected at most " + Twine(rank) +
                   " dimensions to be sliced, got " + Twine(consumed));
  StridedBox box;
  auto &[offsets, sizes, strides, result] = box;
  auto keep = [&](int64_t dim) {
    offsets.push_back(g.index(0));
    sizes.push_back(extents[dim]);
    strides.push_back(g.index(1));
    result.push_back(extents[dim]);
  };
  int64_t dim = 0;
  bool expanded = false;
  for (size_t i = 0; i < entries; ++i) {
    if (has(ellipsis, i)) {
      if (std::exchange(expanded, true))
        return c.error("expected one ellipsis");
      for (int64_t k = 0; k < rank - consumed; ++k)
        keep(dim++);
      continue;
    }
    if (has(newAxis, i)) {
      result.push_back(g.index(1));
      continue;
    }
    Size extent = extents[dim];
    if (g.staticSize((*step)[i]) == 0)
      return c.error("expected strides other than 0, got 0");
    if (has(shrink, i)) {
      Size at = (*begin)[i];
      at = g.select(g.cmp(arith::CmpIPredicate::slt, at, g.index(0)),
                    g.add(at, extent), at);
      auto a = g.staticSize(at), e = g.staticSize(extent);
      if (a && (*a < 0 || (e && *a >= *e)))
        return c.error("expected an index below " + Twine(*e) +
                       " along dimension " + Twine(dim) + ", got " + Twine(*a));
      offsets.push_back(a ? at
                          : g.clamp(at, g.index(0), g.sub(extent, g.index(1))));
      sizes.push_back(g.index(1));
      strides.push_back(g.index(1));
      ++dim;
      continue;
    }
    std::optional<int64_t> by = g.staticSize((*step)[i]);
    if (!by && (has(beginMask, i) || has(endMask, i)))
      return c.unsupported("open bounds with a stride that is not constant");
    bool forward = !by || *by > 0;
    Size first = has(beginMask, i)
                     ? (forward ? g.index(0) : g.sub(extent, g.index(1)))
                     : (*begin)[i];
    // The end is so far before the first element that it does not count from
    // the end of the extent.
    Size last = has(endMask, i) ? (forward ? extent : g.index(INT64_MIN / 2))
                                : (*end)[i];
    Box part = clampBox(g, first, last, (*step)[i], extent);
    if (GraphBuilder::same(part.size, g.index(0)))
      part = {g.index(0), g.index(0), g.index(1)};
    offsets.push_back(part.offset);
    sizes.push_back(part.size);
    strides.push_back(part.step);
    result.push_back(part.size);
    ++dim;
  }
  while (dim < rank)
    keep(dim++);
  return box;
}

LogicalResult stridedSlice(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<StridedBox> box = readStridedBox(c, g.sizes(c.input(0)));
  if (failed(box))
    return failure();
  Value part = g.slice(c.input(0), box->offsets, box->sizes, box->strides);
  c.set(0, g.reshape(part, box->result));
  return success();
}

/// Inserts `step` - 1 zeros behind each element of `x` along a dimension.
Value spreadOut(GraphBuilder &g, Value x, int64_t dim, int64_t step) {
  if (step == 1)
    return x;
  Sizes sizes = g.sizes(x), low(sizes.size() + 1, g.index(0)), high = low;
  high[dim + 1] = g.index(step - 1);
  Value apart =
      g.pad(g.unsqueeze(x, {dim + 1}), g.scalar(g.elementOf(x), 0), low, high);
  sizes[dim] = g.mul(sizes[dim], g.index(step));
  return g.reshape(apart, sizes);
}

/// Operands: the shape of the sliced tensor, begins, ends, strides, incoming
/// gradient. The result has the gradient at the positions of the slice, and
/// zeros elsewhere.
LogicalResult stridedSliceGrad(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Sizes> extents = c.extentsInput(0);
  if (failed(extents))
    return failure();
  FailureOr<StridedBox> box = readStridedBox(c, *extents);
  if (failed(box))
    return failure();
  Value dy = c.input(4);
  SmallVector<int64_t> shape;
  for (Size size : box->result)
    shape.push_back(g.staticSize(size).value_or(ShapedType::kDynamic));
  if (!compatible(shape, g.shapeOf(dy)))
    return c.error("expected a gradient of shape " +
                   textOf(RankedTensorType::get(shape, g.elementOf(dy))) +
                   ", got " + textOf(dy));
  for (auto [i, want, got] : llvm::enumerate(box->result, g.sizes(dy)))
    c.check(got, want, want,
            "extent " + Twine(i) + " of the gradient must be the slice's");
  Value dx = g.reshape(dy, box->sizes);
  Sizes low, high;
  for (auto [dim, extent] : llvm::enumerate(*extents)) {
    std::optional<int64_t> step = g.staticSize(box->strides[dim]);
    constexpr int64_t maxStep = 1 << 16;
    if (!step || std::abs(*step) > maxStep)
      return c.unsupported("strides that are not constant, or above " +
                           Twine(maxStep));
    Size count = box->sizes[dim], first = box->offsets[dim];
    if (*step < 0) {
      dx = g.reverse(dx, {int64_t(dim)});
      first = g.add(first, g.mul(g.sub(count, g.index(1)), box->strides[dim]));
      first = g.max(first, g.index(0));
      *step = -*step;
    }
    dx = spreadOut(g, dx, int64_t(dim), *step);
    low.push_back(first);
    high.push_back(g.sub(extent, g.add(first, g.mul(count, g.index(*step)))));
  }
  dx = g.pad(dx, g.scalar(g.elementOf(dx), 0), low, high);
  g.recordSizes(dx, *extents);
  c.set(0, dx);
  return success();
}

//===-- Elements in another order ---------------------------------------===//

LogicalResult reverseV2(NodeContext &c) {
  FailureOr<SmallVector<int64_t>> named = c.constantInput(1, "axes");
  if (failed(named))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = c.axes(*named, c.g.rankOf(c.input(0)));
  if (failed(dims))
    return failure();
  c.set(0, c.g.reverse(c.input(0), *dims));
  return success();
}

/// Reverses the dimensions whose entry in operand 1 is true.
LogicalResult reverse(NodeContext &c) {
  int64_t rank = c.g.rankOf(c.input(0));
  std::optional<SmallVector<int64_t>> flags = c.shapes.constants(c.input(1));
  if (failed(c.expectBool(1)) || failed(c.expectRank(1, 1)))
    return failure();
  if (!flags)
    return c.unsupported("dimensions known only at run time");
  if (int64_t(flags->size()) != rank)
    return c.error("expected a bool per dimension of " + textOf(c.input(0)));
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    if ((*flags)[i])
      dims.push_back(i);
  c.set(0, c.g.reverse(c.input(0), dims));
  return success();
}

/// Shifts elements along axes; elements leaving one end enter at the other.
LogicalResult roll(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  FailureOr<Sizes> shifts = c.sizesInput(1);
  FailureOr<SmallVector<int64_t>> named = c.constantInput(2, "axes");
  if (failed(shifts) || failed(named))
    return failure();
  if (shifts->size() != named->size())
    return c.error("expected a shift per axis, got " + Twine(shifts->size()) +
                   " and " + Twine(named->size()));
  for (auto [shift, name] : llvm::zip(*shifts, *named)) {
    FailureOr<int64_t> dim = c.axis(name, g.rankOf(x));
    if (failed(dim))
      return failure();
    Size extent = g.size(x, *dim), some = g.max(extent, g.index(1));
    // The shift within [0, extent), for either sign.
    Size by = g.rem(g.add(g.rem(shift, some), some), some);
    by = g.min(by, extent);
    if (g.staticSize(by) == 0)
      continue;
    Size rest = g.sub(extent, by);
    x = g.concat(
        {g.sliceDim(x, *dim, rest, by), g.sliceDim(x, *dim, g.index(0), rest)},
        *dim);
  }
  c.set(0, x);
  return success();
}

/// Reverses the first elements of each row along seq_dim; operand 1 has their
/// numbers.
LogicalResult reverseSequence(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  int64_t rank = g.rankOf(x);
  FailureOr<int64_t> time = c.axis(c.intAttr("seq_dim", 0), rank);
  FailureOr<int64_t> batch = c.axis(c.intAttr("batch_dim", 0), rank);
  if (failed(time) || failed(batch) || failed(c.expectInteger(1)) ||
      failed(c.expectRank(1, 1)))
    return failure();
  if (*time == *batch)
    return c.error("expected seq_dim and batch_dim to differ, got " +
                   Twine(*time));
  FailureOr<Value> given =
      c.withSizes(1, g.size(x, *batch), "a length per row");
  if (failed(given))
    return failure();
  // Transpose to [batch, time, other dimensions].
  SmallVector<int64_t> order = {*batch, *time}, back(rank);
  for (int64_t i = 0; i < rank; ++i)
    if (i != *batch && i != *time)
      order.push_back(i);
  for (auto [i, dim] : llvm::enumerate(order))
    back[dim] = int64_t(i);
  Value rows = g.transpose(x, order);
  Sizes plane = {g.size(rows, 0), g.size(rows, 1)};
  Value lengths = g.convert(*given, g.i64());
  Value most = g.broadcastTo(g.fromSize(plane[1], g.i64()), {plane[0]});
  lengths =
      g.make<CheckRangeOp>(lengths, g.splatLike(lengths, 0), g.add(most, 1.0),
                           g.ops.getStringAttr(c.site()));
  lengths = g.broadcastInDim(lengths, {0}, plane);
  Value at = g.iota(g.i64(), plane, 1);
  Value source = g.select(g.compare(CompareDirection::LT, at, lengths),
                          g.sub(g.sub(lengths, at), 1.0), at);
  c.set(0, g.transpose(takeBatched(g, rows, source, 1, 1), back));
  return success();
}

} // namespace

void registerIndexOps(OpRegistry &r) {
  r.add("Gather", 2, gather);
  r.add("GatherV2", 3, gather);
  r.add("GatherNd", 2, gatherNd);
  r.add("Reverse", 2, reverse);
  r.add("ReverseSequence", 2, reverseSequence);
  r.add("ReverseV2", 2, reverseV2);
  r.add("Roll", 3, roll);
  r.add("Slice", 3, slice);
  r.add("StridedSlice", 4, stridedSlice);
  r.add("StridedSliceGrad", 5, stridedSliceGrad);
}

} // namespace tenon::tf
