// Convolutions: plain, transposed, integer and quantized. Operands are
// transposed from ONNX's layout to channels-last for one tenon.convolution.
#include "compiler/import/onnx/ops/ByteProducts.h"
#include "compiler/import/onnx/ops/Contractions.h"
#include "compiler/import/onnx/ops/Quantization.h"
#include "compiler/import/onnx/ops/Windows.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::onnx {

static Value makeConvolution(GraphBuilder &g, Value lhs, Value rhs,
                             ArrayRef<int64_t> strides,
                             ArrayRef<int64_t> padding,
                             ArrayRef<int64_t> lhsDilation,
                             ArrayRef<int64_t> rhsDilation, int64_t groups,
                             mlir::Type element = {}) {
  ShapeOrError shape =
      convolutionShape(g.shapeOf(lhs), g.shapeOf(rhs), strides, padding,
                       lhsDilation, rhsDilation, groups);
  assert(shape.ok() && "the caller checks a convolution's operands");
  mlir::Type type =
      RankedTensorType::get(shape.shape, element ? element : g.elementOf(lhs));
  return ConvolutionOp::create(g.ops, g.loc, type, lhs, rhs, strides, padding,
                               lhsDilation, rhsDilation, groups);
}

static Sizes spatialSizes(GraphBuilder &g, Value x) {
  return Sizes(ArrayRef(g.sizes(x)).drop_front(2));
}

FailureOr<Value> convolution(NodeContext &c, Value x, Value w, Value border,
                             mlir::Type result) {
  GraphBuilder &g = c.g;
  int64_t rank = g.rankOf(x) - 2;
  if (rank < 1 || g.rankOf(w) != rank + 2)
    return c.error("expected an image and a kernel of one rank of at least 3, "
                   "got " +
                   textOf(x) + " and " + textOf(w));
  int64_t group = c.intAttr("group", 1);
  ArrayRef<int64_t> shapeX = g.shapeOf(x), shapeW = g.shapeOf(w);
  if (group < 1 || group > std::numeric_limits<int32_t>::max())
    return c.error("expected a positive group, got " + Twine(group));
  if (!ShapedType::isDynamic(shapeX[1]) && !ShapedType::isDynamic(shapeW[1]) &&
      shapeX[1] != shapeW[1] * group)
    return c.error("expected group times the kernel's channels to equal the "
                   "image's, got " +
                   Twine(group) + " * " + Twine(shapeW[1]) + " and " +
                   Twine(shapeX[1]));
  if (!ShapedType::isDynamic(shapeW[0]) && shapeW[0] % group != 0)
    return c.error("expected the number of kernels to be a multiple of group, "
                   "got " +
                   Twine(shapeW[0]) + " and " + Twine(group));
  ArrayRef<int64_t> window = shapeW.drop_front(2);
  if (llvm::any_of(window, ShapedType::isDynamic))
    return c.unsupported("a kernel whose spatial extents are not static");
  FailureOr<SmallVector<int64_t>> kernel = readKernelOf(c, w, window);
  if (failed(kernel))
    return failure();
  if (llvm::is_contained(window, 0))
    return c.error("expected a kernel with positive spatial extents, got " +
                   textOf(w));
  FailureOr<Windows> windows = readWindows(c, *kernel, spatialSizes(g, x));
  if (failed(windows))
    return failure();
  Value lhs = g.toChannelsLast(x);
  lhs = border ? padAll(g, lhs, border, *windows)
               : padDynamic(g, lhs, 0, *windows);
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < rank; ++i)
    permutation.push_back(i + 2);
  permutation.append({1, 0});
  SmallVector<int64_t> ones(rank, 1);
  return makeConvolution(g, lhs, g.transpose(w, permutation), windows->strides,
                         windows->paddingList(g), ones, windows->dilations,
                         group, result);
}

namespace {

/// Operand `i`, a vector with one number per output channel; null if absent.
/// Reports an error in its shape.
FailureOr<Value> channelBias(NodeContext &c, size_t i, Value result) {
  if (!c.hasInput(i))
    return Value();
  return c.withSizes(i, c.g.sizes(result).back(), "a bias");
}

LogicalResult finish(NodeContext &c, Value channelsLast) {
  FailureOr<Value> bias = channelBias(c, 2, channelsLast);
  if (failed(bias))
    return failure();
  if (*bias)
    channelsLast = c.g.add(channelsLast, *bias);
  c.set(0, c.g.fromChannelsLast(channelsLast));
  return success();
}

LogicalResult conv(NodeContext &c) {
  if (failed(c.expectFloat(0)) || failed(c.expectSameElements()))
    return failure();
  std::optional<DequantizedProduct> bytes = dequantizedProduct(c, 0);
  if (!bytes) {
    FailureOr<Value> result = convolution(c, c.input(0), c.input(1));
    return failed(result) ? failure() : finish(c, *result);
  }
  FailureOr<Value> sum = convolutionOfBytes(c, bytes->operands);
  if (failed(sum))
    return failure();
  Value result = realProduct(c, *sum, *bytes);
  if (!bytes->bias)
    return finish(c, result);
  c.set(0, c.g.fromChannelsLast(result));
  return success();
}

/// The convolution of operands minus their zero points, in i32. `xZero` and
/// `wZero` are the operand numbers of the zero points. The kernel may have one
/// zero point per output channel.
FailureOr<Value> integerConvolution(NodeContext &c, Value x, size_t xZero,
                                    Value w, size_t wZero) {
  GraphBuilder &g = c.g;
  for (size_t zero : {xZero, wZero})
    if (c.hasInput(zero) && g.rankOf(c.input(zero)) > 1)
      return c.error("expected a scalar or a vector for a zero point, got " +
                     textOf(c.input(zero)));
  FailureOr<Value> perTensor = alongDim(c, xZero, 0, g.rankOf(x), g.index(1));
  FailureOr<Value> perOutput = alongDim(c, wZero, 0, g.rankOf(w), g.size(w, 0));
  if (failed(perTensor) || failed(perOutput))
    return failure();
  return convolutionOfBytes(c, {x, *perTensor, w, *perOutput});
}

LogicalResult convInteger(NodeContext &c) {
  if (failed(expectByte(c, 0)) || failed(expectByte(c, 1)) ||
      failed(c.expectMinRank(0, 3)) || failed(c.expectMinRank(1, 3)) ||
      failed(checkZeroPoint(c, 2, c.g.elementOf(c.input(0)))) ||
      failed(checkZeroPoint(c, 3, c.g.elementOf(c.input(1)))))
    return failure();
  FailureOr<Value> result = integerConvolution(c, c.input(0), 2, c.input(1), 3);
  if (failed(result))
    return failure();
  c.set(0, c.g.fromChannelsLast(*result));
  return success();
}

LogicalResult qLinearConv(NodeContext &c) {
  GraphBuilder &g = c.g;
  for (size_t i : {0, 3})
    if (failed(expectByte(c, i)) || failed(c.expectMinRank(i, 3)) ||
        failed(checkZeroPoint(c, i + 2, g.elementOf(c.input(i)))) ||
        failed(checkSingleScale(c, i + 1)))
      return failure();
  if (failed(expectByte(c, 7)) || failed(checkSingleScale(c, 6)))
    return failure();
  FailureOr<Value> sum = integerConvolution(c, c.input(0), 2, c.input(3), 5);
  if (failed(sum))
    return failure();
  FailureOr<Value> bias = channelBias(c, 8, *sum);
  if (failed(bias))
    return failure();
  if (*bias && !g.elementOf(*bias).isInteger(32))
    return c.error("expected a bias of i32, got " + textOf(*bias));
  // The scales belong to the kernel's output channels, the last dimension here.
  int64_t rank = g.rankOf(*sum);
  Size one = g.index(1);
  FailureOr<Value> xScale = alongDim(c, 1, rank - 1, rank, one);
  FailureOr<Value> wScale =
      alongDim(c, 4, rank - 1, rank, g.size(*sum, rank - 1));
  FailureOr<Value> yScale = alongDim(c, 6, rank - 1, rank, one);
  FailureOr<Value> yZero = alongDim(c, 7, rank - 1, rank, one);
  if (failed(xScale) || failed(wScale) || failed(yScale) || failed(yZero))
    return failure();
  Value total = *bias ? g.add(*sum, *bias) : *sum;
  Value factor = g.div(g.mul(*xScale, *wScale), *yScale);
  Value real = g.mul(g.convert(total, g.elementOf(factor)), factor);
  c.set(0, g.fromChannelsLast(
               quantize(g, real, {}, *yZero, g.elementOf(c.input(7)))));
  return success();
}

/// Computes the numbers of elements to cut from both ends of the full result of
/// a transposed convolution, for each spatial dimension.
LogicalResult transposedPadding(NodeContext &c, const Windows &w,
                                ArrayRef<int64_t> more, const Sizes &extents,
                                Sizes &low, Sizes &high) {
  GraphBuilder &g = c.g;
  int64_t rank = w.rank();
  FailureOr<SmallVector<int64_t>> pads = readPads(c, rank);
  FailureOr<std::string> mode = readAutoPad(c);
  SmallVector<int64_t> shape = c.intsAttr("output_shape");
  if (failed(pads) || failed(mode))
    return failure();
  if (int64_t(shape.size()) == rank + 2) // drop leading batch and channels
    shape.erase(shape.begin(), shape.begin() + 2);
  if (!shape.empty() && int64_t(shape.size()) != rank)
    return c.error("expected output_shape of " + Twine(rank) +
                   " entries, got " + Twine(shape.size()));
  bool same = *mode == "SAME_UPPER" || *mode == "SAME_LOWER";
  for (int64_t i = 0; i < rank; ++i) {
    if (shape.empty() && !same) {
      bool used = *mode == "NOTSET";
      low.push_back(g.index(used ? (*pads)[i] : 0));
      high.push_back(g.index(used ? (*pads)[i + rank] : 0));
      continue;
    }
    if (!shape.empty() && (shape[i] < 0 || shape[i] >= int64_t(1) << 40))
      return c.error("expected an output_shape of sizes, got " +
                     Twine(shape[i]));
    Size stride = g.index(w.strides[i]);
    Size wanted = shape.empty() ? g.mul(extents[i], stride) : g.index(shape[i]);
    Size full = g.add(g.mul(g.sub(extents[i], g.index(1)), stride),
                      g.index(more[i] + w.reach(i)));
    Size total = g.sub(full, wanted);
    Size half = g.floorDiv(total, g.index(2));
    low.push_back(*mode == "SAME_UPPER" ? half : g.sub(total, half));
    high.push_back(g.sub(total, low.back()));
  }
  return success();
}

/// Converts the kernel [C, M / group, spatial...] of a transposed convolution
/// to that of an ordinary one: [spatial..., C / group, M] with the spatial
/// dimensions reversed.
Value spreadingKernel(GraphBuilder &g, Value w, int64_t group) {
  int64_t rank = g.rankOf(w) - 2;
  Sizes sizes = g.sizes(w);
  Size perGroup = g.floorDiv(sizes[0], g.index(group));
  Sizes split{g.index(group), perGroup, sizes[1]};
  split.append(sizes.begin() + 2, sizes.end());
  SmallVector<int64_t> permutation, spatial;
  for (int64_t i = 0; i < rank; ++i) {
    permutation.push_back(i + 3);
    spatial.push_back(i);
  }
  permutation.append({1, 0, 2});
  Sizes merged(sizes.begin() + 2, sizes.end());
  merged.push_back(perGroup);
  merged.push_back(g.mul(g.index(group), sizes[1]));
  Value kernel =
      g.reshape(g.transpose(g.reshape(w, split), permutation), merged);
  return g.reverse(kernel, spatial);
}

LogicalResult convTranspose(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectFloat(0)) || failed(c.expectSameElements()))
    return failure();
  Value x = c.input(0), w = c.input(1);
  int64_t rank = g.rankOf(x) - 2, group = c.intAttr("group", 1);
  if (rank < 1 || g.rankOf(w) != rank + 2)
    return c.error("expected an image and a kernel of one rank of at least 3, "
                   "got " +
                   textOf(x) + " and " + textOf(w));
  ArrayRef<int64_t> window = g.shapeOf(w).drop_front(2);
  if (ShapedType::isDynamicShape(g.shapeOf(w)))
    return c.unsupported("a kernel whose extents are not static");
  if (llvm::is_contained(window, 0))
    return c.error("expected a kernel with positive spatial extents, got " +
                   textOf(w));
  int64_t channels = g.shapeOf(w)[0];
  if (!compatible(g.shapeOf(x)[1], channels))
    return c.error("expected channels of image and kernel to agree, got " +
                   Twine(g.shapeOf(x)[1]) + " and " + Twine(channels));
  if (group < 1 || channels % group != 0)
    return c.error("expected a positive group that divides " + Twine(channels) +
                   " channels, got " + Twine(group));
  FailureOr<SmallVector<int64_t>> kernel = readKernelOf(c, w, window);
  if (failed(kernel))
    return failure();
  Windows steps;
  steps.kernel = *kernel;
  SmallVector<int64_t> more = c.intsAttr("output_padding");
  if (more.empty())
    more.assign(rank, 0);
  if (failed(readSteps(c, rank, steps)))
    return failure();
  for (int64_t i = 0; i < rank; ++i)
    if (int64_t(more.size()) != rank || more[i] < 0 ||
        more[i] >= std::max(steps.strides[i], steps.dilations[i]))
      return c.error("expected an output_padding per spatial dimension, below "
                     "its stride or dilation");
  Sizes extents = spatialSizes(g, x), low, high;
  if (failed(transposedPadding(c, steps, more, extents, low, high)))
    return failure();
  Value lhs = g.toChannelsLast(x);
  Sizes cutLow(rank + 2, g.index(0)), cutHigh = cutLow;
  SmallVector<int64_t> padding, ones(rank, 1);
  bool isStatic = g.staticSizes(low) && g.staticSizes(high);
  for (int64_t i = 0; i < rank; ++i) {
    Size full =
        g.add(g.mul(g.sub(extents[i], g.index(1)), g.index(steps.strides[i])),
              g.index(more[i] + steps.reach(i)));
    Size size = g.sub(full, g.add(low[i], high[i]));
    if (g.staticSize(size).value_or(0) < 0)
      return c.error("expected padding that leaves an output along spatial "
                     "dimension " +
                     Twine(i) + ", got " + Twine(*g.staticSize(size)));
    c.check(size, g.index(0), g.index(INT64_MAX),
            "padding must leave an output along spatial dimension " + Twine(i));
  }
  for (int64_t i = 0; i < rank; ++i) {
    int64_t around = steps.reach(i) - 1;
    padding.push_back(around - (isStatic ? *g.staticSize(low[i]) : 0));
    padding.push_back(around + more[i] -
                      (isStatic ? *g.staticSize(high[i]) : 0));
    cutLow[i + 1] = g.sub(g.index(0), low[i]);
    cutHigh[i + 1] = g.sub(g.index(0), high[i]);
  }
  Value result =
      makeConvolution(g, lhs, spreadingKernel(g, w, group), ones, padding,
                      steps.strides, steps.dilations, group);
  if (!isStatic)
    result = g.pad(result, g.scalar(g.elementOf(x), 0), cutLow, cutHigh);
  return finish(c, result);
}

} // namespace

void registerConvolutionOps(OpRegistry &r) {
  r.add("Conv", 1, Arity(2, 3), 1, conv);
  r.add("ConvTranspose", 1, Arity(2, 3), 1, convTranspose);
  r.add("ConvInteger", 10, Arity(2, 4), 1, convInteger);
  r.add("QLinearConv", 10, Arity(8, 9), 1, qLinearConv);
}

} // namespace tenon::onnx
