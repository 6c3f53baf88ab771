// Rows become ui8 and weights i8, because instructions multiply these. A weight
// whose zero point is not the middle of its range, or not known, is centered
// before the product instead.
#include "compiler/import/onnx/ops/ByteProducts.h"

#include "compiler/import/onnx/ops/Contractions.h"
#include "compiler/import/onnx/ops/Quantization.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tenon::onnx {

namespace {
/// The greatest depth whose sums of products of bytes fit i32.
constexpr int64_t deepest = (int64_t(1) << 31) / (255 * 128);

/// The most products of bytes whose sums are integers of f32.
constexpr int64_t fewTerms = (int64_t(1) << 24) / (255 * 128);

/// The products in an element of the convolution with the kernel `w`.
int64_t termsOf(Value w) {
  int64_t terms = 1;
  for (int64_t extent : GraphBuilder::shapeOf(w).drop_front())
    terms = ShapedType::isDynamic(extent) ? fewTerms + 1 : terms * extent;
  return terms;
}

bool isUnsigned(Value x) {
  return GraphBuilder::elementOf(x).isUnsignedInteger();
}

/// True if all elements of a zero point are known to be `value`.
bool isKnown(NodeContext &c, Value zero, int64_t value) {
  if (!zero)
    return value == 0;
  DenseElementsAttr known = c.shapes.constantOf(withoutBroadcast(zero));
  return known && llvm::all_of(known.getValues<APInt>(), [&](const APInt &x) {
           return (isUnsigned(zero) ? int64_t(x.getZExtValue())
                                    : x.getSExtValue()) == value;
         });
}

/// Rows of ui8 and their zero point.
struct Rows {
  Value bytes;
  Value zero; ///< ui8, rank 0; null if it is known to be zero
};

Value toUnsigned(GraphBuilder &g, Value x) {
  mlir::Type i32 = g.ops.getI32Type();
  return g.convert(
      g.add(g.convert(x, i32), g.scalarInt(i32, 128)),
      IntegerType::get(g.ops.getContext(), 8, IntegerType::Unsigned));
}

Rows rowsOf(NodeContext &c, Value x, Value zero) {
  GraphBuilder &g = c.g;
  int64_t offset = isUnsigned(x) ? 0 : 128;
  Value bytes = offset ? toUnsigned(g, x) : x;
  std::optional<SmallVector<int64_t>> known;
  if (zero)
    known = c.shapes.constants(zero);
  if (known || !zero) {
    int64_t number = (known ? known->front() : 0) + offset;
    return {bytes, number ? g.scalarInt(g.elementOf(bytes), number) : Value()};
  }
  return {bytes,
          offset ? toUnsigned(g, zero) : g.convert(zero, g.elementOf(bytes))};
}

/// The operand `w` minus its zero point as i8; null if that may not fit.
Value weightOf(NodeContext &c, Value w, Value zero) {
  GraphBuilder &g = c.g;
  if (!isKnown(c, zero, isUnsigned(w) ? 128 : 0))
    return {};
  if (!isUnsigned(w))
    return w;
  mlir::Type i32 = g.ops.getI32Type();
  return g.convert(g.sub(g.convert(w, i32), g.scalarInt(i32, 128)),
                   g.ops.getI8Type());
}

bool hasOneElement(Value zero) {
  return !zero || GraphBuilder::rankOf(zero) == 0;
}

/// `sum` without what the zero point of its rows added: the zero point times
/// the sum of the weights of each column, along `dims` of `w`.
Value withoutZero(GraphBuilder &g, Value sum, const Rows &rows, Value w,
                  ArrayRef<int64_t> dims) {
  if (!rows.zero)
    return sum;
  mlir::Type i32 = g.ops.getI32Type();
  Value columns = g.reduce(ReduceKind::Add, g.convert(w, i32), dims, false);
  return g.sub(sum, g.mul(columns, g.convert(rows.zero, i32)));
}
} // namespace

FailureOr<Value> convolutionOfBytes(NodeContext &c,
                                    const ByteOperands &operands) {
  GraphBuilder &g = c.g;
  Value w = hasOneElement(operands.xZero)
                ? weightOf(c, operands.w, operands.wZero)
                : Value();
  if (!w)
    return convolution(c, centered(g, operands.x, operands.xZero),
                       centered(g, operands.w, operands.wZero));
  mlir::Type i32 = g.ops.getI32Type();
  Rows rows = rowsOf(c, operands.x, operands.xZero);
  // Narrow groups are vectors of channels, whose few products are exact in f32
  // too, and faster.
  bool few = c.intAttr("group", 1) > 1 && termsOf(w) <= fewTerms;
  FailureOr<Value> sum =
      convolution(c, rows.bytes, w, rows.zero, few ? g.f32() : i32);
  if (failed(sum))
    return failure();
  *sum = g.convert(*sum, i32);
  SmallVector<int64_t> all =
      llvm::to_vector(llvm::seq<int64_t>(1, g.rankOf(w)));
  return withoutZero(g, *sum, rows, w, all);
}

FailureOr<Value> matmulOfBytes(NodeContext &c, const ByteOperands &operands) {
  GraphBuilder &g = c.g;
  int64_t rank = g.rankOf(operands.w);
  Value w = hasOneElement(operands.xZero) && rank == 2
                ? weightOf(c, operands.w, operands.wZero)
                : Value();
  if (!w)
    return numpyMatmul(c, centered(g, operands.x, operands.xZero),
                       centered(g, operands.w, operands.wZero));
  mlir::Type i32 = g.ops.getI32Type();
  Rows rows = rowsOf(c, operands.x, operands.xZero);
  FailureOr<Value> sum = numpyMatmul(c, rows.bytes, w, i32);
  if (failed(sum))
    return failure();
  return withoutZero(g, *sum, rows, w, {0});
}

namespace {
bool isOfBytes(const Dequantized &x) {
  return GraphBuilder::elementOf(x.integers).isInteger(8);
}

/// `parameter` as a scalar or as a vector along dimension `dim`; null if it is
/// neither.
Value alongOnly(GraphBuilder &g, Value parameter, int64_t dim, int64_t rank) {
  if (g.rankOf(parameter) == 0)
    return parameter;
  ArrayRef<int64_t> shape = g.shapeOf(parameter);
  if (int64_t(shape.size()) != rank)
    return {};
  for (auto [d, extent] : llvm::enumerate(shape))
    if (int64_t(d) != dim && extent != 1)
      return {};
  return g.reshape(parameter, Sizes{g.size(parameter, dim)});
}

/// True if the constants `bias` are the products of the constants `x`, of one
/// element, and `w`, in f32.
bool areProducts(NodeContext &c, Value bias, Value x, Value w) {
  auto products = c.shapes.constantFloats(bias),
       left = c.shapes.constantFloats(x), right = c.shapes.constantFloats(w);
  if (!products || !left || !right || left->size() != 1 ||
      products->size() != right->size())
    return false;
  return llvm::all_of(llvm::zip(*products, *right), [&](auto pair) {
    auto [product, factor] = pair;
    return float(product) == float(left->front()) * float(factor);
  });
}
} // namespace

std::optional<DequantizedProduct> dequantizedProduct(NodeContext &c,
                                                     int64_t column) {
  GraphBuilder &g = c.g;
  std::optional<Dequantized> x = dequantizedFrom(c.input(0)),
                             w = dequantizedFrom(c.input(1));
  if (!x || !w || !isOfBytes(*x) || !isOfBytes(*w) || g.rankOf(x->scale) != 0 ||
      !hasOneElement(x->zero))
    return std::nullopt;
  auto type = GraphBuilder::typeOf(w->integers);
  int64_t rank = type.getRank();
  Value scale = alongOnly(g, w->scale, column, rank);
  // Centered operands would be multiplied in i32, which is slower than f32.
  if (!scale || !isKnown(c, w->zero, isUnsigned(w->integers) ? 128 : 0) ||
      !type.hasStaticShape() ||
      type.getNumElements() > deepest * type.getDimSize(column))
    return std::nullopt;
  DequantizedProduct found{
      {x->integers, x->zero, w->integers, w->zero}, g.mul(x->scale, scale), {}};
  std::optional<Dequantized> bias = dequantizedFrom(c.input(2));
  if (bias && isKnown(c, bias->zero, 0) &&
      g.elementOf(bias->integers).isSignlessInteger(32) &&
      g.rankOf(bias->integers) == 1 &&
      areProducts(c, bias->scale, x->scale, scale))
    found.bias = bias->integers;
  return found;
}

Value realProduct(NodeContext &c, Value sum,
                  const DequantizedProduct &product) {
  GraphBuilder &g = c.g;
  if (product.bias)
    sum = g.add(sum, product.bias);
  return g.mul(g.convert(sum, g.f32()), product.factor);
}

/// True for a sum of products of integers, less or plus numbers of its columns.
static bool isSumOfProducts(Value sum) {
  while (Operation *op = sum.getDefiningOp()) {
    if (isa<DotGeneralOp, ConvolutionOp>(op))
      return true;
    if (!isa<AddOp, SubtractOp, ConvertOp, ReshapeOp>(op))
      return false;
    sum = op->getOperand(0);
  }
  return false;
}

/// `x` / `scale` as a real product whose factor is divided; null if `x` is no
/// real product.
static Value withFactorDivided(GraphBuilder &g, Value x, Value scale) {
  if (auto transpose = x.getDefiningOp<TransposeOp>()) {
    Value inner = withFactorDivided(g, transpose.getOperand(), scale);
    return inner ? g.transpose(inner, transpose.getPermutation()) : Value();
  }
  // max(x, 0) / scale is max(x / scale, 0).
  if (auto maximum = x.getDefiningOp<MaximumOp>()) {
    if (!matchPattern(withoutBroadcast(maximum.getRhs()), m_AnyZeroFloat()))
      return {};
    Value inner = withFactorDivided(g, maximum.getLhs(), scale);
    return inner ? g.maximum(inner, 0.0) : Value();
  }
  auto product = x.getDefiningOp<MultiplyOp>();
  auto real =
      product ? product.getLhs().getDefiningOp<ConvertOp>() : ConvertOp();
  if (!real || !g.elementOf(x).isF32() ||
      !g.elementOf(real.getOperand()).isSignlessInteger(32) ||
      !isSumOfProducts(real.getOperand()))
    return {};
  auto broadcast = product.getRhs().getDefiningOp<BroadcastInDimOp>();
  Value factor = withoutBroadcast(product.getRhs());
  bool alongColumns = broadcast && g.rankOf(factor) == 1 &&
                      broadcast.getDims().front() == g.rankOf(x) - 1;
  if (g.rankOf(factor) != 0 && !alongColumns)
    return {};
  return g.mul(real, g.div(factor, scale));
}

Value dividedByScale(GraphBuilder &g, Value x, Value scale) {
  auto constant = scale.getDefiningOp<ConstantOp>();
  bool isPositive =
      constant && g.rankOf(scale) == 0 &&
      constant.getValue().getSplatValue<APFloat>().convertToDouble() > 0;
  Value divided = isPositive ? withFactorDivided(g, x, scale) : Value();
  return divided ? divided : g.div(x, scale);
}

} // namespace tenon::onnx
