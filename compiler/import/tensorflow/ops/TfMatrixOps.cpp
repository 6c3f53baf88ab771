// Matrix products, losses per row, and diagonals.
#include "compiler/import/Einsum.h"
#include "compiler/import/tensorflow/graph/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// The product of [batch..., m, k] and [batch..., k, n] with broadcast batches.
/// The last two dimensions of a transposed operand are swapped.
LogicalResult product(NodeContext &c, bool transposeA, bool transposeB) {
  GraphBuilder &g = c.g;
  Value a = c.input(0), b = c.input(1);
  if (failed(c.expectNumber(0)) || failed(c.expectSameElements({0, 1})) ||
      failed(c.expectMinRank(0, 2)) || failed(c.expectMinRank(1, 2)))
    return failure();
  int64_t rankA = g.rankOf(a), rankB = g.rankOf(b);
  int64_t inA = transposeA ? rankA - 2 : rankA - 1;
  int64_t inB = transposeB ? rankB - 1 : rankB - 2;
  int64_t k = g.shapeOf(a)[inA], l = g.shapeOf(b)[inB];
  if (!ShapedType::isDynamic(k) && !ShapedType::isDynamic(l) && k != l)
    return c.error("expected inner extents to agree, got " + Twine(k) +
                   " and " + Twine(l));
  // A right operand without batches is multiplied by all rows at once.
  if (rankB == 2) {
    Value result = g.dotGeneral(a, b, {}, {}, {inA}, {inB});
    c.set(0, result);
    return success();
  }
  Sizes sizesA = g.sizes(a), sizesB = g.sizes(b);
  Sizes batchA(ArrayRef(sizesA).drop_back(2)),
      batchB(ArrayRef(sizesB).drop_back(2));
  std::optional<Sizes> batch =
      g.broadcastSizes(ArrayRef<Sizes>{batchA, batchB});
  if (!batch)
    return c.error("expected batches that can be broadcast, got " + textOf(a) +
                   " and " + textOf(b));
  auto widen = [&](Value x, const Sizes &sizes) {
    Sizes all(*batch);
    all.append(sizes.end() - 2, sizes.end());
    return g.broadcastTo(x, all);
  };
  a = widen(a, sizesA);
  b = widen(b, sizesB);
  int64_t rank = int64_t(batch->size()) + 2;
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  c.set(0, g.dotGeneral(a, b, dims, dims, {inA + rank - rankA},
                        {inB + rank - rankB}));
  return success();
}

LogicalResult matMul(NodeContext &c) {
  bool a = c.boolAttr("transpose_a", false),
       b = c.boolAttr("transpose_b", false);
  if (failed(c.expectRank(0, 2)) || failed(c.expectRank(1, 2)))
    return failure();
  return product(c, a, b);
}

LogicalResult batchMatMul(NodeContext &c) {
  return product(c, c.boolAttr("adj_x", false), c.boolAttr("adj_y", false));
}

template <typename Op> LogicalResult softmax(NodeContext &c) {
  Value x = c.input(0);
  if (failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 1)))
    return failure();
  c.set(0, Op::create(c.g.ops, c.g.loc, x.getType(), x,
                      uint64_t(c.g.rankOf(x) - 1)));
  return success();
}

LogicalResult einsumNode(NodeContext &c) {
  FailureOr<Value> result = einsum(c, c.stringAttr("equation", ""));
  if (failed(result))
    return failure();
  c.set(0, *result);
  return success();
}

/// Half the sum of the squares.
LogicalResult l2Loss(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectFloat(0)))
    return failure();
  Value x = c.input(0);
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, g.rankOf(x)));
  c.set(0, g.mul(g.reduce(ReduceKind::Add, g.mul(x, x), all, false), 0.5));
  return success();
}

/// Operands: rows of logits, and rows of probabilities or (sparse) the true
/// class of each row. Results: the losses and their gradient.
template <bool sparse> LogicalResult crossEntropy(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0), labels = c.input(1);
  if (failed(c.expectFloat(0)) || failed(c.expectRank(0, 2)))
    return failure();
  if (sparse) {
    if (failed(c.expectInteger(1)) || failed(c.expectRank(1, 1)))
      return failure();
    FailureOr<Value> classes = c.withSizes(1, g.size(x, 0), "a label per row");
    if (failed(classes))
      return failure();
    Value at = g.unsqueeze(g.convert(*classes, g.i64()), {1});
    Value high = g.broadcastTo(g.fromSize(g.size(x, 1), g.i64()), g.sizes(at));
    at = g.make<CheckRangeOp>(at, g.splatLike(at, 0), high,
                              g.ops.getStringAttr(c.site()));
    labels = g.convert(
        g.compare(CompareDirection::EQ, at, g.iota(g.i64(), g.sizes(x), 1)),
        g.elementOf(x));
  } else if (failed(c.expectSameElements({0, 1}))) {
    return failure();
  }
  Value pair[] = {x, labels};
  if (failed(c.broadcast(pair)))
    return failure();
  Value logs = LogSoftmaxOp::create(g.ops, g.loc, pair[0].getType(), pair[0],
                                    uint64_t(1));
  // A label of zero contributes nothing, even if its logarithm is infinite.
  Value terms = g.select(g.compare(CompareDirection::EQ, pair[1], 0.0),
                         g.splatLike(logs, 0), g.mul(pair[1], logs));
  c.set(0, g.make<NegateOp>(g.reduce(ReduceKind::Add, terms, {1}, false)));
  c.set(1, g.sub(g.make<ExpOp>(logs), pair[1]));
  return success();
}

//===-- Diagonals -------------------------------------------------------===//

/// The column minus the row of each element in the last two dimensions of `x`.
Value offDiagonal(GraphBuilder &g, Value x) {
  int64_t rank = g.rankOf(x);
  Sizes plane = {g.size(x, rank - 2), g.size(x, rank - 1)};
  return g.sub(g.iota(g.i64(), plane, 1), g.iota(g.i64(), plane, 0));
}

/// Keeps a band of diagonals. Operands 1 and 2 are the numbers of diagonals
/// kept below and above the main one; a negative number keeps all.
LogicalResult bandPart(NodeContext &c) {
  using enum CompareDirection;
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  if (failed(c.expectMinRank(0, 2)))
    return failure();
  for (size_t i : {1, 2})
    if (failed(c.expectInteger(i)) || failed(c.expectRank(i, 0)))
      return failure();
  Value off = offDiagonal(g, x);
  auto within = [&](Value distance, Value most) {
    most = g.convert(most, g.i64());
    return g.binary<OrOp>(g.compare(LE, distance, most),
                          g.compare(LT, most, 0.0));
  };
  Value kept = g.binary<AndOp>(within(g.make<NegateOp>(off), c.input(1)),
                               within(off, c.input(2)));
  c.set(0, g.select(kept, x, g.scalar(g.elementOf(x), 0)));
  return success();
}

/// Requires operand `i`, if present, to select the main diagonal.
LogicalResult expectMainDiagonal(NodeContext &c, size_t i) {
  if (c.numInputs() <= i)
    return success();
  FailureOr<SmallVector<int64_t>> k = c.constantInput(i, "a diagonal");
  if (failed(k))
    return failure();
  if (llvm::any_of(*k, [](int64_t offset) { return offset != 0; }))
    return c.unsupported("diagonals beside the main one");
  return success();
}

Value isDiagonal(GraphBuilder &g, Value x) {
  return g.compare(CompareDirection::EQ, offDiagonal(g, x), 0.0);
}

/// Makes [..., n, n] of the diagonal [..., n].
LogicalResult diagonalMatrix(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  if (failed(c.expectMinRank(0, 1)) || failed(expectMainDiagonal(c, 1)))
    return failure();
  for (size_t i : {2, 3}) {
    if (c.numInputs() <= i)
      continue;
    FailureOr<int64_t> extent = c.constantScalar(i, "an extent");
    if (failed(extent))
      return failure();
    if (*extent != -1 && *extent != g.shapeOf(x).back())
      return c.unsupported("a matrix greater than its diagonal");
  }
  bool isFilled = c.numInputs() > 4;
  if (isFilled &&
      (failed(c.expectRank(4, 0)) || failed(c.expectSameElements({0, 4}))))
    return failure();
  Value fill = isFilled ? c.input(4) : g.scalar(g.elementOf(x), 0);
  int64_t rank = g.rankOf(x);
  Sizes sizes = g.sizes(x);
  sizes.push_back(sizes.back());
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Value wide = g.broadcastInDim(x, dims, sizes);
  c.set(0, g.select(isDiagonal(g, wide), wide, fill));
  return success();
}

/// Reads the diagonal [..., min(m, n)] of [..., m, n].
LogicalResult diagonalPart(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  if (failed(c.expectMinRank(0, 2)) || failed(c.expectNumber(0)) ||
      failed(expectMainDiagonal(c, 1)))
    return failure();
  int64_t rank = g.rankOf(x);
  Size least = g.min(g.size(x, rank - 2), g.size(x, rank - 1));
  x = g.sliceDim(x, rank - 2, g.index(0), least);
  x = g.sliceDim(x, rank - 1, g.index(0), least);
  Value kept = g.select(isDiagonal(g, x), x, g.scalar(g.elementOf(x), 0));
  c.set(0, g.reduce(ReduceKind::Add, kept, {rank - 1}, false));
  return success();
}

LogicalResult setDiagonal(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  int64_t rank = g.rankOf(x);
  if (failed(c.expectMinRank(0, 2)) || failed(c.expectSameElements({0, 1})) ||
      failed(c.expectRank(1, rank - 1)) || failed(expectMainDiagonal(c, 2)))
    return failure();
  // Pad the diagonal to the number of rows; the padding is not used.
  Sizes own = g.sizes(x);
  Size rows = own[rank - 2], used = g.min(rows, own.back());
  own.truncate(rank - 1);
  own.back() = used;
  FailureOr<Value> given = c.withSizes(1, own, "a diagonal");
  if (failed(given))
    return failure();
  Sizes low(rank - 1, g.index(0)), high = low;
  high.back() = g.sub(rows, used);
  Value diagonal = g.pad(*given, g.scalar(g.elementOf(x), 0), low, high);
  c.set(0, g.select(isDiagonal(g, x), g.unsqueeze(diagonal, {rank - 1}), x));
  return success();
}

} // namespace

void registerMatrixOps(OpRegistry &r) {
  r.add("MatMul", 2, matMul);
  r.add("BatchMatMul", 2, batchMatMul);
  r.add("BatchMatMulV2", 2, batchMatMul);
  r.add("BatchMatMulV3", 2, batchMatMul);
  r.add("Einsum", 1, kMany, einsumNode);
  r.add("L2Loss", 1, l2Loss);
  r.add("MatrixBandPart", 3, bandPart);
  r.add("MatrixDiag", 1, diagonalMatrix);
  r.add("MatrixDiagPart", 1, diagonalPart);
  r.add("MatrixSetDiag", 2, setDiagonal);
  for (const char *version : {"V2", "V3"}) {
    r.add(std::string("MatrixDiag") + version, 5, diagonalMatrix);
    r.add(std::string("MatrixDiagPart") + version, 3, diagonalPart);
    r.add(std::string("MatrixSetDiag") + version, 3, setDiagonal);
  }
  r.add("SoftmaxCrossEntropyWithLogits", 2, crossEntropy<false>,
        {"loss", "backprop"});
  r.add("SparseSoftmaxCrossEntropyWithLogits", 2, crossEntropy<true>,
        {"loss", "backprop"});
  r.add("Softmax", 1, softmax<SoftmaxOp>);
  r.add("LogSoftmax", 1, softmax<LogSoftmaxOp>);
}

} // namespace tenon::tf
