// Ops that read or write elements at computed positions. An index outside its
// extent is an import error if it is constant, else a run-time error.
#include "compiler/import/onnx/graph/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {

/// `indices` into `extent`, an integer tensor, as i64 and checked.
static FailureOr<Value> checked(NodeContext &ctx, Value indices, Size extent) {
  GraphBuilder &g = ctx.g;
  DenseElementsAttr constant = ctx.shapes.constantOf(indices);
  std::optional<int64_t> limit = GraphBuilder::staticSize(extent);
  auto type = GraphBuilder::typeOf(indices);
  if (limit == 0 && type.hasStaticShape() && type.getNumElements() != 0)
    return ctx.error("expected no indices into an axis without elements, got " +
                     textOf(indices));
  if (!constant || !limit)
    return g.checkedIndices(g.convert(indices, g.i64()), extent, ctx.site());
  bool isUnsigned = GraphBuilder::elementOf(indices).isUnsignedInteger();
  SmallVector<int64_t> positions;
  for (const APInt &element : constant.getValues<APInt>()) {
    int64_t index =
        isUnsigned ? int64_t(element.getZExtValue()) : element.getSExtValue();
    if (index < -*limit || index >= *limit)
      return ctx.error("expected indices within [" + Twine(-*limit) + ", " +
                       Twine(*limit - 1) + "], got " + Twine(index));
    positions.push_back(index < 0 ? index + *limit : index);
  }
  return g.constant(DenseElementsAttr::get(
      RankedTensorType::get(GraphBuilder::shapeOf(indices), g.i64()),
      ArrayRef<int64_t>(positions)));
}

/// Operand i, an integer tensor of indices into `extent`, as i64 and checked.
static FailureOr<Value> checkedOperand(NodeContext &ctx, size_t i,
                                       Size extent) {
  if (failed(ctx.expectInteger(i)))
    return failure();
  return checked(ctx, ctx.input(i), extent);
}

static LogicalResult gather(NodeContext &ctx) {
  FailureOr<int64_t> axis =
      ctx.axis(ctx.intAttr("axis", 0), GraphBuilder::rankOf(ctx.input(0)));
  if (failed(axis))
    return failure();
  FailureOr<Value> indices =
      checkedOperand(ctx, 1, ctx.g.size(ctx.input(0), *axis));
  if (failed(indices))
    return failure();
  ctx.set(0, ctx.g.take(ctx.input(0), *indices, *axis));
  return success();
}

/// The indices along `axis` as a tensor of rank 1, if `indices` repeats them
/// along all other dimensions, as exporters do for rows of a tensor; null
/// otherwise.
static Value repeatedIndices(GraphBuilder &g, Value indices, int64_t axis) {
  auto broadcast = indices.getDefiningOp<BroadcastInDimOp>();
  if (!broadcast)
    return {};
  Value source = broadcast.getOperand();
  ArrayRef<int64_t> shape = GraphBuilder::shapeOf(source);
  std::optional<int64_t> along;
  for (auto [i, dim] : llvm::enumerate(broadcast.getDims()))
    if (int64_t(dim) == axis)
      along = i;
    else if (shape[i] != 1)
      return {};
  if (!along)
    return {};
  Sizes line = {g.size(source, *along)};
  return g.broadcastInDim(g.reshape(source, line), {0},
                          {g.size(indices, axis)});
}

/// Index vectors of shape [shape..., rank]: `indices` along `axis`, the
/// element's own position along all other dimensions.
static Value indexVectors(GraphBuilder &g, Value indices, int64_t axis) {
  Sizes sizes = g.sizes(indices);
  int64_t rank = sizes.size();
  SmallVector<Value> parts;
  for (int64_t i = 0; i < rank; ++i)
    parts.push_back(
        g.unsqueeze(i == axis ? indices : g.iota(g.i64(), sizes, i), {rank}));
  return g.concat(parts, rank);
}

/// Requires the extents of `part` not to exceed those of `whole`, except along
/// `axis`.
static LogicalResult expectWithin(NodeContext &ctx, Value whole, Value part,
                                  int64_t axis) {
  ArrayRef<int64_t> a = GraphBuilder::shapeOf(whole),
                    b = GraphBuilder::shapeOf(part);
  bool fits = a.size() == b.size();
  for (int64_t i = 0; fits && i < int64_t(a.size()); ++i)
    fits = i == axis || ShapedType::isDynamic(a[i]) ||
           ShapedType::isDynamic(b[i]) || b[i] <= a[i];
  if (fits) {
    GraphBuilder &g = ctx.g;
    for (int64_t i = 0; i < int64_t(a.size()); ++i)
      if (i != axis)
        ctx.check(g.size(part, i), g.index(0), g.size(whole, i),
                  "indices must be within the operand's extent " + Twine(i));
    return success();
  }
  return ctx.error("expected indices of the operand's rank and within its "
                   "extents except at axis " +
                   Twine(axis) + ", got " + textOf(whole) + " and " +
                   textOf(part));
}

static LogicalResult gatherElements(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value operand = ctx.input(0);
  int64_t rank = GraphBuilder::rankOf(operand);
  FailureOr<int64_t> axis = ctx.axis(ctx.intAttr("axis", 0), rank);
  if (failed(axis) || failed(expectWithin(ctx, operand, ctx.input(1), *axis)))
    return failure();
  if (failed(ctx.expectInteger(1)))
    return failure();
  Value rows = repeatedIndices(g, ctx.input(1), *axis);
  FailureOr<Value> indices =
      checked(ctx, rows ? rows : ctx.input(1), g.size(operand, *axis));
  if (failed(indices))
    return failure();
  SmallVector<int64_t> others = llvm::to_vector(llvm::seq<int64_t>(0, rank)),
                       ones(rank, 1), none;
  others.erase(others.begin() + *axis);
  Sizes sizes = g.sizes(ctx.input(1));
  // The extents of batching dimensions are equal; indices may have smaller
  // ones.
  for (int64_t d : others)
    if (!GraphBuilder::same(g.size(operand, d), sizes[d]))
      operand = g.sliceDim(operand, d, g.index(0), sizes[d]);
  if (rows) {
    ctx.set(0, g.take(operand, *indices, *axis));
    return success();
  }
  Value result =
      g.make<GatherOp>(RankedTensorType::get(GraphBuilder::shapeOf(*indices),
                                             GraphBuilder::elementOf(operand)),
                       operand, *indices, none, ArrayRef(*axis), others, others,
                       ArrayRef(*axis), uint64_t(rank), ones);
  g.recordSizes(result, sizes);
  ctx.set(0, result);
  return success();
}

/// Checks index vectors against the extents of `operand` from dimension `first`
/// on. `vectors` is operand 1; its last dimension holds one vector.
static FailureOr<Value> checkedVectors(NodeContext &ctx, Value operand,
                                       Value vectors, int64_t first) {
  GraphBuilder &g = ctx.g;
  Sizes extents;
  int64_t length = GraphBuilder::shapeOf(vectors).back();
  for (int64_t i = 0; i < length; ++i)
    extents.push_back(g.size(operand, first + i));
  Value indices = g.convert(vectors, g.i64());
  Sizes shape = g.sizes(indices);
  std::optional<SmallVector<int64_t>> limits =
      GraphBuilder::staticSizes(extents);
  auto type = GraphBuilder::typeOf(indices);
  if (llvm::is_contained(extents, g.index(0)) && type.hasStaticShape() &&
      type.getNumElements() != 0)
    return ctx.error("expected no indices into an axis without elements, got " +
                     textOf(ctx.input(1)));
  if (DenseElementsAttr constant = ctx.shapes.constantOf(ctx.input(1));
      constant && limits) {
    SmallVector<int64_t> positions;
    for (const APInt &element : constant.getValues<APInt>()) {
      int64_t limit = (*limits)[positions.size() % length];
      int64_t index = element.getSExtValue();
      if (index < -limit || index >= limit)
        return ctx.error("expected indices within [" + Twine(-limit) + ", " +
                         Twine(limit - 1) + "], got " + Twine(index));
      positions.push_back(index < 0 ? index + limit : index);
    }
    return g.constant(DenseElementsAttr::get(
        RankedTensorType::get(GraphBuilder::shapeOf(indices), g.i64()),
        ArrayRef<int64_t>(positions)));
  }
  Value high = g.broadcastTo(g.fromSizes(extents), shape);
  Value zero = g.splat(g.i64(), shape, 0);
  Value counted = g.select(g.compare(CompareDirection::LT, indices, zero),
                           g.add(indices, high), indices);
  return g.make<CheckRangeOp>(counted, zero, high,
                              g.ops.getStringAttr(ctx.site()));
}

/// Operand 1 as index vectors of static length, at most `rank` (the operand's
/// rank without batch dimensions). If the length is dynamic, `implied` gives
/// it: the length that follows from other operands or from the result's
/// declared rank.
static FailureOr<Value> indexVectorsOf(NodeContext &ctx, int64_t rank,
                                       std::optional<int64_t> implied) {
  if (failed(ctx.expectInteger(1)) || failed(ctx.expectMinRank(1, 1)))
    return failure();
  Sizes sizes = ctx.g.sizes(ctx.input(1));
  if (!GraphBuilder::staticSize(sizes.back())) {
    if (!implied)
      return ctx.unsupported("index vectors of unknown length, unless the "
                             "result's rank is declared");
    sizes.back() = ctx.g.index(*implied);
  }
  int64_t length = *GraphBuilder::staticSize(sizes.back());
  if (length < 0 || length > rank)
    return ctx.error("expected index vectors of at most " + Twine(rank) +
                     " entries, got " + Twine(length));
  return ctx.withSizes(1, sizes, "index vectors");
}

static LogicalResult gatherNd(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value operand = ctx.input(0);
  int64_t rank = GraphBuilder::rankOf(operand);
  int64_t batch = ctx.intAttr("batch_dims", 0);
  if (failed(ctx.expectMinRank(1, 1)))
    return failure();
  int64_t indexRank = GraphBuilder::rankOf(ctx.input(1));
  if (batch < 0 || batch >= std::min(rank, indexRank))
    return ctx.error("expected 'batch_dims' below both ranks, got " +
                     Twine(batch));
  // The declared rank of the result gives the length of the index vectors: the
  // result has the batch dimensions, the other dimensions of the indices and
  // those of a slice.
  std::optional<int64_t> implied;
  if (std::optional<int64_t> declared = ctx.declaredRank(0))
    implied = indexRank - 1 + rank - batch - *declared;
  FailureOr<Value> vectors = indexVectorsOf(ctx, rank - batch, implied);
  if (failed(vectors))
    return failure();
  int64_t length = GraphBuilder::shapeOf(*vectors).back();
  for (int64_t i = 0; i < batch; ++i) {
    int64_t a = GraphBuilder::shapeOf(operand)[i],
            b = GraphBuilder::shapeOf(ctx.input(1))[i];
    if (!ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b)
      return ctx.error("expected batch extents to agree, got " +
                       textOf(operand) + " and " + textOf(ctx.input(1)));
  }
  FailureOr<Value> indices = checkedVectors(ctx, operand, *vectors, batch);
  if (failed(indices))
    return failure();
  SmallVector<int64_t> offsetDims, collapsed, batching, slices;
  Sizes sizes = g.sizes(*indices);
  sizes.pop_back();
  for (int64_t i = 0; i < rank; ++i) {
    bool isBatch = i < batch, isIndexed = !isBatch && i < batch + length;
    slices.push_back(isBatch || isIndexed ? 1 : -1);
    if (isBatch)
      batching.push_back(i);
    else if (isIndexed)
      collapsed.push_back(i);
    else {
      offsetDims.push_back(sizes.size());
      sizes.push_back(g.size(operand, i));
    }
  }
  SmallVector<int64_t> shape;
  for (Size size : sizes)
    shape.push_back(
        GraphBuilder::staticSize(size).value_or(ShapedType::kDynamic));
  Value result = g.make<GatherOp>(
      RankedTensorType::get(shape, GraphBuilder::elementOf(operand)), operand,
      *indices, offsetDims, collapsed, batching, batching, collapsed,
      uint64_t(indexRank - 1), slices);
  g.recordSizes(result, sizes);
  ctx.set(0, result);
  return success();
}

static LogicalResult reverseSequence(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value operand = ctx.input(0);
  int64_t batchAxis = ctx.intAttr("batch_axis", 1),
          timeAxis = ctx.intAttr("time_axis", 0);
  if (failed(ctx.expectMinRank(0, 2)) || failed(ctx.expectRank(1, 1)) ||
      failed(ctx.expectInteger(1)))
    return failure();
  if (batchAxis + timeAxis != 1 || batchAxis * timeAxis != 0)
    return ctx.error("expected 'batch_axis' and 'time_axis' to be 0 and 1");
  Value value = timeAxis == 0 ? g.swapDims(operand, 0, 1) : operand;
  Sizes sizes = g.sizes(value), plane{sizes[0], sizes[1]};
  int64_t rank = sizes.size();
  FailureOr<Value> given = ctx.withSizes(1, sizes[0], "lengths");
  if (failed(given))
    return failure();
  // In a sequence of length n, element t comes from position n - 1 - t for t <
  // n, else from t.
  Value lengths = g.broadcastInDim(g.convert(*given, g.i64()), {0}, plane);
  Value time = g.iota(g.i64(), plane, 1);
  Value source = g.select(g.compare(CompareDirection::LT, time, lengths),
                          g.sub(g.sub(lengths, time), 1.0), time);
  SmallVector<int64_t> offsetDims, slices{1, 1}, shape;
  for (int64_t i = 2; i < rank; ++i) {
    offsetDims.push_back(i);
    slices.push_back(-1);
  }
  SmallVector<int64_t> zero{0}, one{1};
  Value result = g.make<GatherOp>(value.getType(), value, source, offsetDims,
                                  one, zero, zero, one, uint64_t(2), slices);
  g.recordSizes(result, sizes);
  ctx.set(0, timeAxis == 0 ? g.swapDims(result, 0, 1) : result);
  return success();
}

//===-- Scatter ---------------------------------------------------------===//

static FailureOr<ScatterKind> kindOf(NodeContext &ctx) {
  std::string name = ctx.stringAttr("reduction", "none");
  std::optional<ScatterKind> kind =
      llvm::StringSwitch<std::optional<ScatterKind>>(name)
          .Case("none", ScatterKind::Set)
          .Case("add", ScatterKind::Add)
          .Case("mul", ScatterKind::Multiply)
          .Case("max", ScatterKind::Maximum)
          .Case("min", ScatterKind::Minimum)
          .Default(std::nullopt);
  if (!kind)
    return ctx.error("expected reduction none, add, mul, max or min, got " +
                     name);
  return *kind;
}

static LogicalResult scatterElements(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value operand = ctx.input(0);
  int64_t rank = GraphBuilder::rankOf(operand);
  FailureOr<int64_t> axis = ctx.axis(ctx.intAttr("axis", 0), rank);
  FailureOr<ScatterKind> kind = kindOf(ctx);
  if (failed(axis) || failed(kind) || failed(ctx.expectSameElements({0, 2})) ||
      failed(expectWithin(ctx, operand, ctx.input(1), *axis)))
    return failure();
  FailureOr<Value> updates =
      ctx.withSizes(2, g.sizes(ctx.input(1)), "updates, like indices,");
  if (failed(updates))
    return failure();
  if (failed(ctx.expectInteger(1)))
    return failure();
  Value rows = repeatedIndices(g, ctx.input(1), *axis);
  FailureOr<Value> indices =
      checked(ctx, rows ? rows : ctx.input(1), g.size(operand, *axis));
  if (failed(indices))
    return failure();
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, rank)), none,
                       window = all, indexed = {*axis};
  window.erase(window.begin() + *axis);
  Sizes sizes = g.sizes(operand);
  Value result =
      rows ? g.make<ScatterOp>(operand.getType(), *kind, operand, *indices,
                               *updates, window, indexed, none, none, indexed,
                               uint64_t(1))
           : g.make<ScatterOp>(operand.getType(), *kind, operand,
                               indexVectors(g, *indices, *axis), *updates, none,
                               all, none, none, all, uint64_t(rank));
  g.recordSizes(result, sizes);
  ctx.set(0, result);
  return success();
}

static LogicalResult scatterNd(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value operand = ctx.input(0);
  Sizes sizes = g.sizes(operand), wanted = g.sizes(ctx.input(1));
  int64_t rank = sizes.size(), batch = int64_t(wanted.size()) - 1;
  // The updates have one slice for each index vector.
  FailureOr<Value> vectors = indexVectorsOf(
      ctx, rank, batch + rank - GraphBuilder::rankOf(ctx.input(2)));
  FailureOr<ScatterKind> kind = kindOf(ctx);
  if (failed(vectors) || failed(kind) || failed(ctx.expectSameElements({0, 2})))
    return failure();
  int64_t length = GraphBuilder::shapeOf(*vectors).back();
  wanted.pop_back();
  SmallVector<int64_t> window, inserted, none;
  for (int64_t i = 0; i < length; ++i)
    inserted.push_back(i);
  for (int64_t i = length; i < rank; ++i) {
    window.push_back(batch + i - length);
    wanted.push_back(sizes[i]);
  }
  FailureOr<Value> updates = ctx.withSizes(2, wanted, "updates");
  if (failed(updates))
    return failure();
  FailureOr<Value> indices = checkedVectors(ctx, operand, *vectors, 0);
  if (failed(indices))
    return failure();
  Value result = g.make<ScatterOp>(operand.getType(), *kind, operand, *indices,
                                   *updates, window, inserted, none, none,
                                   inserted, uint64_t(batch));
  g.recordSizes(result, sizes);
  ctx.set(0, result);
  return success();
}

void registerGatherOps(OpRegistry &registry) {
  registry.add("Gather", 1, 2, 1, gather);
  registry.add("GatherElements", 11, 2, 1, gatherElements);
  registry.add("GatherND", 11, 2, 1, gatherNd);
  registry.add("ReverseSequence", 10, 2, 1, reverseSequence);
  registry.add("Scatter", 9, 3, 1, scatterElements);
  registry.add("ScatterElements", 11, 3, 1, scatterElements);
  registry.add("ScatterND", 11, 3, 1, scatterNd);
}

} // namespace tenon::onnx
