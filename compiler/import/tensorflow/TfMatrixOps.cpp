// Matrix products, normalization and what else works along channels.
#include "compiler/import/tensorflow/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// [batch..., m, k] times [batch..., k, n], batches broadcast; an operand that
/// is transposed has its last two dimensions the other way round.
LogicalResult product(NodeContext &c, bool transposeA, bool transposeB) {
  GraphBuilder &g = c.g;
  Value a = c.input(0), b = c.input(1);
  if (failed(c.expectNumber(0)) || failed(c.expectSame(0, 2)) ||
      failed(c.expectMinRank(0, 2)) || failed(c.expectMinRank(1, 2)))
    return failure();
  int64_t rankA = g.rankOf(a), rankB = g.rankOf(b);
  int64_t inA = transposeA ? rankA - 2 : rankA - 1;
  int64_t inB = transposeB ? rankB - 1 : rankB - 2;
  int64_t k = g.shapeOf(a)[inA], l = g.shapeOf(b)[inB];
  if (!ShapedType::isDynamic(k) && !ShapedType::isDynamic(l) && k != l)
    return c.error("expected inner extents to agree, got " + Twine(k) +
                   " and " + Twine(l));
  // A matrix for all batches needs no batch: the rows are one long dimension.
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
    return c.error("expected batches that can be broadcast, got " + spell(a) +
                   " and " + spell(b));
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

/// With given statistics, or (is_training) with those of the batch.
LogicalResult fusedBatchNorm(NodeContext &c) {
  GraphBuilder &g = c.g;
  bool training = c.boolAttr("is_training", true);
  double epsilon = c.floatAttr("epsilon", 1e-4);
  std::string format = c.stringAttr("data_format", "NHWC");
  if (c.floatAttr("exponential_avg_factor", 1) != 1 && training)
    return c.unsupported("running averages");
  if (failed(c.expectFloat(0)) || failed(c.expectRank(0, 4)))
    return failure();
  for (size_t i = 1; i < 5; ++i)
    if (failed(c.expectFloat(i)) || failed(c.expectRank(i, 1)))
      return failure();
  if (format != "NHWC" && format != "NCHW")
    return c.unsupported("data_format " + format);
  int64_t dim = format == "NHWC" ? 3 : 1;
  Value x = c.input(0);
  mlir::Type element = g.elementOf(x), common = g.elementOf(c.input(1));
  x = g.convert(x, common);
  Value mean = c.input(3), variance = c.input(4);
  if (training) {
    SmallVector<int64_t> others;
    for (int64_t i = 0; i < 4; ++i)
      if (i != dim)
        others.push_back(i);
    Value kept = g.mean(x, others, true);
    Value centered = g.sub(x, kept);
    mean = g.squeeze(kept, others);
    variance = g.mean(g.mul(centered, centered), others, false);
  }
  Value y = BatchNormOp::create(g.ops, g.loc, x.getType(), x, c.input(1),
                                c.input(2), mean, variance, uint64_t(dim),
                                llvm::APFloat(epsilon));
  c.set(0, g.convert(y, element));
  c.set(1, mean);
  c.set(2, variance);
  return success();
}

} // namespace

void registerMatrixOps(OpRegistry &r) {
  r.add("MatMul", 2, matMul);
  r.add("BatchMatMul", 2, batchMatMul);
  r.add("BatchMatMulV2", 2, batchMatMul);
  r.add("BatchMatMulV3", 2, batchMatMul);
  r.add("Softmax", 1, softmax<SoftmaxOp>);
  r.add("LogSoftmax", 1, softmax<LogSoftmaxOp>);
  for (const char *op :
       {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
    r.add(op, 5, fusedBatchNorm,
          {"y", "batch_mean", "batch_variance", "reserve_space_1",
           "reserve_space_2", "reserve_space_3"});
}

} // namespace tenon::tf
