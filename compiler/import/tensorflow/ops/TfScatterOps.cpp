// Ops that set elements at computed positions, or combine them with updates.
#include "compiler/import/tensorflow/graph/TfNodeContext.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// Converts `vectors` to i64. Each holds an index into each of the leading
/// `extents`; an index outside its extent is a run-time error.
Value checkedVectors(NodeContext &c, Value vectors, ArrayRef<Size> extents) {
  GraphBuilder &g = c.g;
  Value at = g.convert(vectors, g.i64());
  Value high = g.broadcastTo(g.fromSizes(extents), g.sizes(at));
  return g.make<CheckRangeOp>(at, g.splatLike(at, 0), high,
                              g.ops.getStringAttr(c.site()));
}

/// Scatters operand `u` into `operand` at the index vectors in operand `i`.
/// `negated` changes the sign of the updates.
LogicalResult scatterInto(NodeContext &c, ScatterKind kind, Value operand,
                          size_t i, size_t u, bool negated = false) {
  GraphBuilder &g = c.g;
  if (failed(c.expectInteger(i)) || failed(c.expectMinRank(i, 1)))
    return failure();
  Sizes sizes = g.sizes(operand), wanted = g.sizes(c.input(i));
  int64_t rank = sizes.size(), batch = int64_t(wanted.size()) - 1;
  // The updates have one slice for each index vector.
  if (!g.staticSize(wanted.back()))
    wanted.back() = g.index(batch + rank - g.rankOf(c.input(u)));
  int64_t length = *g.staticSize(wanted.back());
  if (length < 0 || length > rank)
    return c.error("expected index vectors of at most " + Twine(rank) +
                   " entries, got " + Twine(length));
  FailureOr<Value> vectors = c.withSizes(i, wanted, "index vectors");
  if (failed(vectors))
    return failure();
  wanted.pop_back();
  SmallVector<int64_t> window, inserted, none;
  for (int64_t d = 0; d < rank; ++d) {
    if (d < length) {
      inserted.push_back(d);
      continue;
    }
    window.push_back(batch + d - length);
    wanted.push_back(sizes[d]);
  }
  if (g.elementOf(operand) != g.elementOf(c.input(u)))
    return c.error("expected updates of " + textOf(g.elementOf(operand)) +
                   ", got " + textOf(c.input(u)));
  FailureOr<Value> given = c.withSizes(u, wanted, "updates");
  if (failed(given))
    return failure();
  Value updates = negated ? g.make<NegateOp>(*given) : *given;
  Value at = checkedVectors(c, *vectors, ArrayRef(sizes).take_front(length));
  Value result =
      g.make<ScatterOp>(operand.getType(), kind, operand, at, updates, window,
                        inserted, none, none, inserted, uint64_t(batch));
  g.recordSizes(result, sizes);
  c.set(0, result);
  return success();
}

/// Operands: indices, updates, shape. Sums the updates into zeros.
LogicalResult scatterNd(NodeContext &c) {
  if (failed(c.expectNumber(1)))
    return failure();
  FailureOr<Sizes> sizes = c.extentsInput(2);
  if (failed(sizes))
    return failure();
  Value zeros = c.g.splat(c.g.elementOf(c.input(1)), *sizes, 0);
  return scatterInto(c, ScatterKind::Add, zeros, 0, 1);
}

/// Operands: tensor, indices, updates.
template <ScatterKind kind> LogicalResult tensorScatter(NodeContext &c) {
  return scatterInto(c, kind, c.input(0), 1, 2);
}

LogicalResult tensorScatterSub(NodeContext &c) {
  if (failed(c.expectNumber(2)))
    return failure();
  return scatterInto(c, ScatterKind::Add, c.input(0), 1, 2, true);
}

/// Operands: indices (a position, positions or index vectors), shape, values
/// (one for each or one for all), and the value of all other elements.
LogicalResult sparseToDense(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectInteger(0)) || failed(c.expectRank(3, 0)) ||
      failed(c.expectSameElements({2, 3})))
    return failure();
  FailureOr<Sizes> sizes = c.extentsInput(1);
  if (failed(sizes))
    return failure();
  Value at = c.input(0);
  int64_t length = int64_t(sizes->size());
  if (g.rankOf(at) == 0)
    at = g.unsqueeze(at, {0, 1});
  else if (g.rankOf(at) == 1)
    at = g.unsqueeze(at, {1});
  if (g.rankOf(at) != 2)
    return c.error("expected a matrix of indices at most, got " +
                   textOf(c.input(0)));
  Results operands = {Result::tensor(at)};
  NodeContext inner(c.importer, c.node, operands);
  Size count = g.size(at, 0);
  FailureOr<Value> vectors =
      inner.withSizes(0, {count, g.index(length)}, "indices");
  FailureOr<Value> values = c.input(2);
  if (g.rankOf(*values) != 0)
    values = c.withSizes(2, count, "a value per index");
  if (failed(vectors) || failed(values))
    return failure();
  operands[0] = Result::tensor(*vectors);
  operands.push_back(Result::tensor(g.broadcastTo(*values, count)));
  NodeContext vectorwise(c.importer, c.node, operands);
  Value fill = g.broadcastTo(c.input(3), *sizes);
  if (failed(scatterInto(vectorwise, ScatterKind::Set, fill, 0, 1)))
    return failure();
  c.results = vectorwise.results;
  return success();
}

/// Combines the rows of operand 0 that have one segment number. A segment
/// without rows has the identity of `kind`; rows with a negative number are
/// ignored.
LogicalResult combineSegments(NodeContext &c, ScatterKind kind,
                              FailureOr<Sizes> count) {
  GraphBuilder &g = c.g;
  Value data = c.input(0);
  mlir::Type element = g.elementOf(data);
  if (failed(count) || failed(c.expectNumber(0)) || failed(c.expectInteger(1)))
    return failure();
  int64_t prefix = g.rankOf(c.input(1));
  if (count->size() != 1 || prefix > g.rankOf(data))
    return c.error("expected a number of segments and a segment per row, got " +
                   textOf(data) + " and " + textOf(c.input(1)));
  FailureOr<Value> given = c.withSizes(
      1, ArrayRef(g.sizes(data)).take_front(prefix), "a segment per row");
  if (failed(given))
    return failure();
  double identity = 0;
  if (kind == ScatterKind::Multiply)
    identity = 1;
  bool isMax = kind == ScatterKind::Maximum;
  if (isMax || kind == ScatterKind::Minimum) {
    // The fill value of TensorFlow is the greatest finite number, not infinity.
    if (auto type = dyn_cast<FloatType>(element))
      identity = llvm::APFloat::getLargest(type.getFloatSemantics(), isMax)
                     .convertToDouble();
    else
      return c.unsupported("the extremes of segments of integers");
  }
  Sizes rows = g.sizes(data), sizes = {count->front()};
  sizes.append(rows.begin() + prefix, rows.end());
  Value at = g.convert(*given, g.i64());
  Value high = g.broadcastTo(g.fromSize(count->front(), g.i64()), g.sizes(at));
  at = g.make<CheckRangeOp>(at, g.splatLike(at, double(INT64_MIN)), high,
                            g.ops.getStringAttr(c.site()));
  SmallVector<int64_t> window, zero = {0}, none;
  for (int64_t d = prefix; d < g.rankOf(data); ++d)
    window.push_back(d);
  Value fill = g.splat(element, sizes, identity);
  Value result = g.make<ScatterOp>(fill.getType(), kind, fill, at, data, window,
                                   zero, none, none, zero, uint64_t(prefix));
  g.recordSizes(result, sizes);
  c.set(0, result);
  return success();
}

template <ScatterKind kind> LogicalResult segments(NodeContext &c) {
  return combineSegments(c, kind, c.extentsInput(2));
}

/// Combines rows by ascending segment numbers. The last number gives the number
/// of segments, so it must be known at import.
template <ScatterKind kind, bool mean>
LogicalResult sortedSegments(NodeContext &c) {
  GraphBuilder &g = c.g;
  std::optional<SmallVector<int64_t>> numbers = c.shapes.constants(c.input(1));
  if (failed(c.expectRank(1, 1)) || failed(c.expectMinRank(0, 1)))
    return failure();
  if (!numbers)
    return c.unsupported("segments that are known only at run time");
  constexpr int64_t maxSegments = int64_t(1) << 31;
  SmallVector<double> counts;
  for (int64_t number : *numbers) {
    if (number + 1 < int64_t(counts.size()) || number < 0 ||
        number >= maxSegments)
      return c.error("expected ascending segments of at least 0 and below "
                     "2^31, got " +
                     Twine(number));
    if (kind != ScatterKind::Add && number > int64_t(counts.size()))
      return c.unsupported("segments without rows");
    if (number - int64_t(counts.size()) > ShapeValues::maxElements)
      return c.unsupported("more than " + Twine(ShapeValues::maxElements) +
                           " segments without rows");
    counts.resize(number + 1, 0);
    counts.back() += 1;
  }
  if (failed(combineSegments(c, kind, Sizes{g.index(int64_t(counts.size()))})))
    return failure();
  if (!mean)
    return success();
  if (failed(c.expectFloat(0)))
    return failure();
  Value sums = c.results[0].value;
  SmallVector<int64_t> shape(g.rankOf(sums), 1);
  shape[0] = counts.size();
  for (double &count : counts)
    count = std::max(count, 1.0);
  c.set(0, g.div(sums, g.floats(g.elementOf(sums), counts, shape)));
  return success();
}

/// Operands: lists of positions, then as many lists of rows. The result has
/// each row at its position; if positions repeat, the last row wins.
LogicalResult dynamicStitch(NodeContext &c) {
  GraphBuilder &g = c.g;
  size_t lists = c.numInputs() / 2;
  if (c.numInputs() % 2 != 0)
    return c.error("expected as many lists of rows as of places, got " +
                   Twine(c.numInputs()) + " operands");
  SmallVector<Value> rows;
  SmallVector<int64_t> sources;
  int64_t before = 0;
  for (size_t i = 0; i < lists; ++i) {
    if (failed(c.expectInteger(i)) ||
        failed(c.expectSameElements({lists, lists + i})))
      return failure();
    std::optional<SmallVector<int64_t>> places = c.shapes.constants(c.input(i));
    if (!places)
      return c.unsupported("places that are known only at run time");
    Value data = c.input(lists + i);
    ArrayRef<int64_t> prefix = g.shapeOf(c.input(i));
    if (prefix.size() > g.shapeOf(data).size() ||
        !compatible(prefix, g.shapeOf(data).take_front(prefix.size())))
      return c.error("expected a row per place, got " + textOf(data) + " for " +
                     textOf(c.input(i)));
    Sizes sizes = g.sizes(data), row = {g.index(int64_t(places->size()))};
    row.append(sizes.begin() + prefix.size(), sizes.end());
    rows.push_back(g.reshape(data, row));
    SmallVector<int64_t> first(g.shapeOf(rows[0])), own(g.shapeOf(rows[i]));
    if (first.size() != own.size() ||
        !compatible(ArrayRef(first).drop_front(), ArrayRef(own).drop_front()))
      return c.error("expected rows of one shape, got " + textOf(rows[0]) +
                     " and " + textOf(rows[i]));
    for (auto [k, place] : llvm::enumerate(*places)) {
      if (place < 0 || place >= ShapeValues::maxElements)
        return c.error("expected places of at least 0 and below " +
                       Twine(ShapeValues::maxElements) + ", got " +
                       Twine(place));
      if (place >= int64_t(sources.size()))
        sources.resize(place + 1, -1);
      sources[place] = before + int64_t(k);
    }
    before += int64_t(places->size());
  }
  if (llvm::is_contained(sources, -1))
    return c.unsupported("places without a row");
  c.set(0, g.take(g.concat(rows, 0), g.ints(sources), 0));
  return success();
}

/// The number of occurrences of each number below `size`, or the sum of their
/// weights. Greater numbers are ignored.
LogicalResult bincount(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectInteger(0)))
    return failure();
  FailureOr<Sizes> size = c.extentsInput(1);
  if (failed(size))
    return failure();
  if (size->size() != 1)
    return c.error("expected one size");
  Size elements = g.product(g.sizes(c.input(0)));
  Value at = g.reshape(g.convert(c.input(0), g.i64()), Sizes{elements});
  Value most = g.splatLike(at, double(INT64_MAX));
  at = g.make<CheckRangeOp>(at, g.splatLike(at, 0), most,
                            g.ops.getStringAttr(c.site()));
  mlir::Type element = g.elementOf(c.input(2));
  Value weights = g.splat(element, {elements}, 1);
  if (!llvm::is_contained(g.shapeOf(c.input(2)), 0)) {
    FailureOr<Value> given =
        c.withSizes(2, g.sizes(c.input(0)), "a weight per number");
    if (failed(given))
      return failure();
    weights = g.reshape(*given, Sizes{elements});
  }
  SmallVector<int64_t> zero = {0}, none;
  Value zeros = g.splat(element, *size, 0);
  Value result =
      g.make<ScatterOp>(zeros.getType(), ScatterKind::Add, zeros, at, weights,
                        none, zero, none, none, zero, uint64_t(1));
  g.recordSizes(result, *size);
  c.set(0, result);
  return success();
}

/// Bincount of each row; with binary_output 1 for each number that occurs.
LogicalResult denseBincount(NodeContext &c) {
  GraphBuilder &g = c.g;
  bool binary = c.boolAttr("binary_output", false);
  int64_t rank = g.rankOf(c.input(0));
  if (rank == 1 && !binary)
    return bincount(c);
  if (failed(c.expectInteger(0)) || rank < 1 || rank > 2)
    return c.error("expected a vector or rows of integers, got " +
                   textOf(c.input(0)));
  FailureOr<Sizes> size = c.extentsInput(1);
  if (failed(size))
    return failure();
  if (size->size() != 1)
    return c.error("expected one size");
  Value numbers = g.convert(c.input(0), g.i64());
  numbers = g.make<CheckRangeOp>(numbers, g.splatLike(numbers, 0),
                                 g.splatLike(numbers, double(INT64_MAX)),
                                 g.ops.getStringAttr(c.site()));
  // The comparison [rows, numbers, size] of each number with each counted
  // value.
  Value hit = g.compare(CompareDirection::EQ, g.unsqueeze(numbers, {rank}),
                        g.iota(g.i64(), *size, 0));
  mlir::Type element = g.elementOf(c.input(2));
  if (binary) {
    Value found = g.reduce(ReduceKind::Or, hit, {rank - 1}, false);
    c.set(0, g.convert(found, element));
    return success();
  }
  Value each = g.convert(hit, element);
  if (!llvm::is_contained(g.shapeOf(c.input(2)), 0)) {
    FailureOr<Value> weights =
        c.withSizes(2, g.sizes(c.input(0)), "a weight per number");
    if (failed(weights))
      return failure();
    each = g.mul(each, g.unsqueeze(*weights, {rank}));
  }
  c.set(0, g.reduce(ReduceKind::Add, each, {rank - 1}, false));
  return success();
}

} // namespace

void registerScatterOps(OpRegistry &r) {
  r.add("ScatterNd", 3, scatterNd);
  r.add("TensorScatterUpdate", 3, tensorScatter<ScatterKind::Set>);
  r.add("TensorScatterAdd", 3, tensorScatter<ScatterKind::Add>);
  r.add("TensorScatterSub", 3, tensorScatterSub);
  r.add("TensorScatterMax", 3, tensorScatter<ScatterKind::Maximum>);
  r.add("TensorScatterMin", 3, tensorScatter<ScatterKind::Minimum>);
  r.add("SparseToDense", 4, sparseToDense);
  r.add("UnsortedSegmentSum", 3, segments<ScatterKind::Add>);
  r.add("UnsortedSegmentProd", 3, segments<ScatterKind::Multiply>);
  r.add("UnsortedSegmentMax", 3, segments<ScatterKind::Maximum>);
  r.add("UnsortedSegmentMin", 3, segments<ScatterKind::Minimum>);
  r.add("SegmentSum", 2, sortedSegments<ScatterKind::Add, false>);
  r.add("SegmentMean", 2, sortedSegments<ScatterKind::Add, true>);
  r.add("SegmentProd", 2, sortedSegments<ScatterKind::Multiply, false>);
  r.add("SegmentMax", 2, sortedSegments<ScatterKind::Maximum, false>);
  r.add("SegmentMin", 2, sortedSegments<ScatterKind::Minimum, false>);
  r.add("DynamicStitch", 2, kMany, dynamicStitch);
  r.add("ParallelDynamicStitch", 2, kMany, dynamicStitch);
  r.add("Bincount", 3, bincount);
  r.add("DenseBincount", 3, denseBincount);
}

} // namespace tenon::tf
