// Matrix products: MatMul, Gemm, their integer forms, and Det. Operands of any
// rank are reshaped for one dot_general per product.
#include "compiler/import/graph/Branches.h"
#include "compiler/import/onnx/ops/ByteProducts.h"
#include "compiler/import/onnx/ops/Contractions.h"
#include "compiler/import/onnx/ops/Quantization.h"
#include "dialects/tenon/ShapeRules.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::onnx {

static SmallVector<int64_t> upTo(int64_t end) {
  return llvm::to_vector(llvm::seq<int64_t>(0, end));
}

FailureOr<Value> numpyMatmul(NodeContext &c, Value a, Value b,
                             mlir::Type result) {
  GraphBuilder &g = c.g;
  int64_t rankA = g.rankOf(a), rankB = g.rankOf(b);
  if (rankA == 0 || rankB == 0)
    return c.error("expected operands of rank 1 or more, got " + textOf(a) +
                   " and " + textOf(b));
  int64_t innerA = rankA - 1, innerB = std::max<int64_t>(rankB - 2, 0);
  int64_t extentA = g.shapeOf(a)[innerA], extentB = g.shapeOf(b)[innerB];
  if (!compatible(extentA, extentB))
    return c.error("expected inner extents to agree, got " + Twine(extentA) +
                   " and " + Twine(extentB));
  if (rankB <= 2)
    return g.dotGeneral(a, b, {}, {}, {innerA}, {innerB}, result);
  if (rankA == 1)
    a = g.unsqueeze(a, {0});
  // Broadcast the batch extents of both operands to common ones.
  Sizes sizesA = g.sizes(a), sizesB = g.sizes(b);
  Sizes batchA(ArrayRef(sizesA).drop_back(2));
  Sizes batchB(ArrayRef(sizesB).drop_back(2));
  std::optional<Sizes> batch = g.broadcastSizes({batchA, batchB});
  if (!batch)
    return c.error("expected batch extents that can be broadcast, got " +
                   textOf(a) + " and " + textOf(b));
  auto expand = [&](Value v, const Sizes &own) {
    Sizes wanted(*batch);
    wanted.append(own.end() - 2, own.end());
    return g.broadcastTo(v, wanted);
  };
  a = expand(a, sizesA);
  b = expand(b, sizesB);
  int64_t rank = batch->size();
  Value product =
      g.dotGeneral(a, b, upTo(rank), upTo(rank), {rank + 1}, {rank}, result);
  return rankA == 1 ? g.squeeze(product, {rank}) : product;
}

namespace {

LogicalResult matMul(NodeContext &c) {
  if (failed(c.expectNumber(0)) || failed(c.expectNumber(1)) ||
      failed(c.expectSameElements()))
    return failure();
  if (c.g.rankOf(c.input(1)) == 2)
    if (std::optional<DequantizedProduct> bytes = dequantizedProduct(c, 1)) {
      FailureOr<Value> sum = matmulOfBytes(c, bytes->operands);
      if (failed(sum))
        return failure();
      c.set(0, realProduct(c, *sum, *bytes));
      return success();
    }
  FailureOr<Value> product = numpyMatmul(c, c.input(0), c.input(1));
  if (failed(product))
    return failure();
  c.set(0, *product);
  return success();
}

/// x times `factor`; an integer is converted to f64 and back.
Value scaled(GraphBuilder &g, Value x, double factor) {
  if (factor == 1)
    return x;
  mlir::Type element = g.elementOf(x);
  if (isa<FloatType>(element))
    return g.mul(x, factor);
  return g.convert(g.mul(g.convert(x, g.ops.getF64Type()), factor), element);
}

LogicalResult gemm(NodeContext &c) {
  GraphBuilder &g = c.g;
  double alpha = c.floatAttr("alpha", 1), beta = c.floatAttr("beta", 1);
  bool transA = c.intAttr("transA", 0) != 0;
  bool transB = c.intAttr("transB", 0) != 0;
  if (c.opset < 7)
    c.ignoreAttrs({"broadcast"});
  if (failed(c.expectNumber(0)) || failed(c.expectSameElements()) ||
      failed(c.expectRank(0, 2)) || failed(c.expectRank(1, 2)))
    return failure();
  Value a = c.input(0), b = c.input(1), bias = c.input(2);
  int64_t innerA = transA ? 0 : 1, innerB = transB ? 1 : 0;
  int64_t extentA = g.shapeOf(a)[innerA], extentB = g.shapeOf(b)[innerB];
  if (!compatible(extentA, extentB))
    return c.error("expected inner extents to agree, got " + Twine(extentA) +
                   " and " + Twine(extentB));
  std::optional<DequantizedProduct> bytes;
  if (!transA && alpha == 1 && beta == 1)
    bytes = dequantizedProduct(c, transB ? 0 : 1);
  Value product;
  if (bytes) {
    if (transB)
      bytes->operands.w = g.transpose(bytes->operands.w, {1, 0});
    FailureOr<Value> sum = matmulOfBytes(c, bytes->operands);
    if (failed(sum))
      return failure();
    product = realProduct(c, *sum, *bytes);
  } else {
    product = scaled(g, g.dotGeneral(a, b, {}, {}, {innerA}, {innerB}), alpha);
  }
  if (bias && beta != 0 && !(bytes && bytes->bias)) {
    FailureOr<Value> fitted = c.fitted(2, g.sizes(product), "C");
    if (failed(fitted))
      return failure();
    Value wide = g.broadcastTo(*fitted, g.sizes(product));
    product = g.make<AddOp>(product, scaled(g, wide, beta));
  }
  c.set(0, product);
  return success();
}

/// Operand `i`, a zero point or scale of `matrix`; null if absent. A vector has
/// one number per row of the left operand (`back` is 2) or per column of the
/// right one (`back` is 1). With more dimensions it is broadcast against the
/// matrix.
FailureOr<Value> matrixParameter(NodeContext &c, size_t i, Value matrix,
                                 int64_t back) {
  int64_t rank = c.g.rankOf(matrix);
  if (!c.hasInput(i))
    return Value();
  if (c.g.rankOf(c.input(i)) > 1 || rank < 2)
    return c.fitted(i, c.g.sizes(matrix), "a scale or zero point");
  return alongDim(c, i, rank - back, rank, c.g.size(matrix, rank - back));
}

/// The product (a - zero point) (b - zero point) in i32. `aZero` and `bZero`
/// are the operand numbers of the zero points.
FailureOr<Value> integerProduct(NodeContext &c, Value a, size_t aZero, Value b,
                                size_t bZero) {
  FailureOr<Value> rows = matrixParameter(c, aZero, a, 2);
  FailureOr<Value> columns = matrixParameter(c, bZero, b, 1);
  if (failed(rows) || failed(columns))
    return failure();
  return matmulOfBytes(c, {a, *rows, b, *columns});
}

LogicalResult matMulInteger(NodeContext &c) {
  if (failed(expectByte(c, 0)) || failed(expectByte(c, 1)) ||
      failed(checkZeroPoint(c, 2, c.g.elementOf(c.input(0)))) ||
      failed(checkZeroPoint(c, 3, c.g.elementOf(c.input(1)))))
    return failure();
  FailureOr<Value> product = integerProduct(c, c.input(0), 2, c.input(1), 3);
  if (failed(product))
    return failure();
  c.set(0, *product);
  return success();
}

LogicalResult qLinearMatMul(NodeContext &c) {
  GraphBuilder &g = c.g;
  // From opset 21 on scales may be f16 or bf16.
  auto checkScaleOf = c.opset < 21 ? checkSingleScale : checkScale;
  for (size_t i : {0, 3})
    if (failed(expectByte(c, i)) ||
        failed(checkZeroPoint(c, i + 2, g.elementOf(c.input(i)))) ||
        failed(checkScaleOf(c, i + 1)))
      return failure();
  if (failed(expectByte(c, 7)) || failed(checkScaleOf(c, 6)) ||
      failed(c.expectSameElements({1, 4, 6})))
    return failure();
  Value a = c.input(0), b = c.input(3);
  FailureOr<Value> product = integerProduct(c, a, 2, b, 5);
  FailureOr<Value> rows = matrixParameter(c, 1, a, 2);
  FailureOr<Value> columns = matrixParameter(c, 4, b, 1);
  if (failed(product) || failed(rows) || failed(columns))
    return failure();
  int64_t rank = g.rankOf(*product), dim = std::max<int64_t>(rank - 2, 0);
  Size extent = rank < 2 ? g.index(1) : g.size(*product, dim);
  FailureOr<Value> scale = alongDim(c, 6, dim, rank, extent);
  FailureOr<Value> zero = alongDim(c, 7, dim, rank, extent);
  if (failed(scale) || failed(zero))
    return failure();
  // One factor converts the product to the result's scale.
  auto wide = [&](Value parameter) { return g.convert(parameter, g.f32()); };
  Value factor = g.div(g.mul(wide(*rows), wide(*columns)), wide(*scale));
  Value real = g.convert(*product, g.elementOf(factor));
  c.set(0,
        quantize(g, g.mul(real, factor), {}, *zero, g.elementOf(c.input(7))));
  return success();
}

/// The determinant by Gaussian elimination with row pivoting, one column per
/// iteration.
Value determinant(GraphBuilder &g, Value matrices) {
  using enum CompareDirection;
  Size count = g.size(matrices, 0), n = g.size(matrices, 1);
  mlir::Type element = g.elementOf(matrices);
  Value start = g.splat(element, {count}, 1);
  Size steps = stepsOver(g, n, {{count, n, n}, {count}});
  auto loop = scf::ForOp::create(g.ops, g.loc, g.indexValue(g.index(0)),
                                 g.indexValue(steps), g.indexValue(g.index(1)),
                                 ValueRange{matrices, start});
  {
    OpBuilder::InsertionGuard guard(g.ops);
    g.ops.setInsertionPointToStart(loop.getBody());
    Size k = OpFoldResult(loop.getInductionVar());
    Value a = loop.getRegionIterArg(0), det = loop.getRegionIterArg(1);
    g.recordSizes(a, {count, n, n});
    g.recordSizes(det, {count});
    Value row = g.iota(g.i64(), {count, n}, 1);
    Value at = g.fromSize(k, g.i64());
    Value column = g.squeeze(g.sliceDim(a, 2, k, g.index(1)), {2});
    Value below = g.compare(GE, row, at);
    Value size = g.select(below, g.make<AbsOp>(column), g.scalar(element, -1));
    Value pivot = ArgReduceOp::create(
        g.ops, g.loc, RankedTensorType::get({g.shapeOf(a)[0]}, g.i64()),
        ReduceKind::Maximum, size, 1, false);
    g.recordSizes(pivot, {count});
    Value isPivot = g.compare(EQ, row, g.unsqueeze(pivot, {1}));
    Value pivotRow =
        g.reduce(ReduceKind::Add,
                 g.select(g.unsqueeze(isPivot, {2}), a, g.scalar(element, 0)),
                 {1}, true);
    Value oldRow = g.sliceDim(a, 1, k, g.index(1));
    Value swapped = g.select(g.unsqueeze(g.compare(EQ, row, at), {2}), pivotRow,
                             g.select(g.unsqueeze(isPivot, {2}), oldRow, a));
    Value head = g.sliceDim(pivotRow, 2, k, g.index(1)); // [count, 1, 1]
    Value factor = g.div(g.sliceDim(swapped, 2, k, g.index(1)), head);
    // A zero pivot makes the determinant zero, so the remaining rows do not
    // matter.
    Value used = g.binary<AndOp>(g.unsqueeze(g.compare(GT, row, at), {2}),
                                 g.compare(NE, head, 0.0));
    factor = g.select(used, factor, g.scalar(element, 0));
    Value rest = g.sub(swapped, g.mul(factor, pivotRow));
    Value sign = g.select(g.compare(EQ, pivot, at), g.scalar(element, 1),
                          g.scalar(element, -1));
    Value next = g.mul(g.mul(det, sign), g.squeeze(head, {1, 2}));
    scf::YieldOp::create(g.ops, g.loc, ValueRange{rest, next});
  }
  g.recordSizes(loop.getResult(1), {count});
  return loop.getResult(1);
}

LogicalResult det(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 2)))
    return failure();
  Value x = c.input(0);
  Sizes sizes = g.sizes(x), batch(ArrayRef(sizes).drop_back(2));
  Size rows = sizes[sizes.size() - 2];
  Size n = g.staticSize(rows) ? rows : sizes.back();
  sizes[sizes.size() - 2] = sizes.back() = n;
  FailureOr<Value> square = c.withSizes(0, sizes, "square matrices");
  if (failed(square))
    return failure();
  x = g.reshape(*square, Sizes{g.product(batch), n, n});
  c.set(0, g.reshape(determinant(g, x), batch));
  return success();
}

} // namespace

void registerMatMulOps(OpRegistry &r) {
  r.add("MatMul", 1, 2, 1, matMul);
  r.add("Gemm", 1, Arity(2, 3), 1, gemm);
  r.add("MatMulInteger", 10, Arity(2, 4), 1, matMulInteger);
  r.add("QLinearMatMul", 10, 8, 1, qLinearMatMul);
  r.add("Det", 11, 1, 1, det);
}

} // namespace tenon::onnx
