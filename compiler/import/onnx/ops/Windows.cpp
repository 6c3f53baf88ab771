// Sliding windows: reads the attributes, and computes checked steps and
// padding.
#include "compiler/import/onnx/ops/Windows.h"

using namespace mlir;

namespace tenon::onnx {

/// Greater numbers exceed any memory, and their sums would overflow.
static constexpr int64_t maxStep = int64_t(1) << 31;

bool Windows::staticPadding() const {
  return GraphBuilder::staticSizes(low) && GraphBuilder::staticSizes(high) &&
         GraphBuilder::staticSizes(extra);
}

SmallVector<int64_t> Windows::paddingList(GraphBuilder &g) const {
  SmallVector<int64_t> list;
  for (size_t i = 0; i < rank(); ++i) {
    list.push_back(*GraphBuilder::staticSize(low[i]));
    list.push_back(*GraphBuilder::staticSize(g.add(high[i], extra[i])));
  }
  return list;
}

/// An attribute with one number per dimension, each at least `least` and
/// limited.
static FailureOr<SmallVector<int64_t>> readList(NodeContext &c, StringRef name,
                                                int64_t length, int64_t least,
                                                int64_t otherwise) {
  SmallVector<int64_t> list = c.intsAttr(name);
  if (list.empty())
    list.assign(length, otherwise);
  if (int64_t(list.size()) != length)
    return c.error("expected " + Twine(length) + " " + name + ", got " +
                   Twine(list.size()));
  for (int64_t value : list)
    if (value < least || value >= maxStep)
      return c.error("expected " + name + " of at least " + Twine(least) +
                     " and below 2^31, got " + Twine(value));
  return list;
}

FailureOr<SmallVector<int64_t>> readKernel(NodeContext &c, int64_t rank,
                                           ArrayRef<int64_t> otherwise) {
  if (!c.hasAttr("kernel_shape")) {
    if (otherwise.empty())
      return c.error("expected attribute kernel_shape");
    return SmallVector<int64_t>(otherwise);
  }
  return readList(c, "kernel_shape", rank, 1, 1);
}

FailureOr<SmallVector<int64_t>> readKernelOf(NodeContext &c, Value w,
                                             ArrayRef<int64_t> window) {
  FailureOr<SmallVector<int64_t>> kernel = readKernel(c, window.size(), window);
  if (succeeded(kernel) && ArrayRef<int64_t>(*kernel) != window)
    return c.error("expected kernel_shape to be that of the kernel, " +
                   textOf(w));
  return kernel;
}

FailureOr<std::string> readAutoPad(NodeContext &c) {
  std::string mode = c.stringAttr("auto_pad", "NOTSET");
  for (StringRef known : {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"})
    if (mode == known)
      return mode;
  return c.error("expected auto_pad NOTSET, VALID, SAME_UPPER or SAME_LOWER, "
                 "got \"" +
                 mode + "\"");
}

FailureOr<SmallVector<int64_t>> readPads(NodeContext &c, int64_t rank) {
  return readList(c, "pads", 2 * rank, 0, 0);
}

LogicalResult readSteps(NodeContext &c, int64_t rank, Windows &windows) {
  auto strides = readList(c, "strides", rank, 1, 1);
  auto dilations = readList(c, "dilations", rank, 1, 1);
  if (failed(strides) || failed(dilations))
    return failure();
  windows.strides = *strides;
  windows.dilations = *dilations;
  return success();
}

FailureOr<Windows> readWindows(NodeContext &c, ArrayRef<int64_t> kernel,
                               ArrayRef<Size> extents) {
  GraphBuilder &g = c.g;
  int64_t rank = kernel.size();
  Windows w;
  w.kernel.assign(kernel.begin(), kernel.end());
  FailureOr<SmallVector<int64_t>> pads = readPads(c, rank);
  if (failed(readSteps(c, rank, w)) || failed(pads))
    return failure();
  bool ceil = c.intAttr("ceil_mode", 0) != 0;
  FailureOr<std::string> mode = readAutoPad(c);
  if (failed(mode))
    return failure();
  bool same = *mode == "SAME_UPPER" || *mode == "SAME_LOWER";
  for (int64_t i = 0; i < rank; ++i) {
    Size extent = extents[i], zero = g.index(0);
    Size reach = g.index(w.reach(i)), stride = g.index(w.strides[i]);
    Size low = zero, high = zero, extra = zero;
    if (same) {
      // The number of windows is the extent divided by the stride, rounded up.
      Size places = g.ceilDiv(extent, stride);
      Size total = g.max(
          g.sub(g.add(g.mul(g.sub(places, g.index(1)), stride), reach), extent),
          zero);
      Size half = g.floorDiv(total, g.index(2));
      low = *mode == "SAME_UPPER" ? half : g.sub(total, half);
      high = g.sub(total, low);
    } else if (*mode == "NOTSET") {
      low = g.index((*pads)[i]);
      high = g.index((*pads)[i + rank]);
    }
    Size padded = g.add(g.add(extent, low), high);
    std::optional<int64_t> known = GraphBuilder::staticSize(padded);
    // With ceil_mode the first window may extend behind the end by less than a
    // stride.
    int64_t least =
        std::max<int64_t>(w.reach(i) - (ceil ? w.strides[i] - 1 : 0), 0);
    if (known && *known < least && GraphBuilder::staticSize(extent) != 0)
      return c.error("expected the kernel to fit the padded extent " +
                     Twine(*known) + " of spatial dimension " + Twine(i) +
                     (ceil ? ", or to exceed it by less than a stride" : "") +
                     ", got a kernel that spans " + Twine(w.reach(i)));
    // With an extent of 0, only the padding limits the number of windows.
    if (!same && !known) {
      Size isEmpty = g.cmp(arith::CmpIPredicate::eq, extent, zero);
      c.check(padded, g.select(isEmpty, zero, g.index(least)),
              g.index(INT64_MAX),
              "the kernel must fit the padded extent of spatial dimension " +
                  Twine(i));
    }
    if (ceil && !same) {
      // A window may extend behind the end, but must not begin behind the data.
      Size steps = g.ceilDiv(g.max(g.sub(padded, reach), zero), stride);
      Size begin = g.mul(steps, stride);
      Size inside = g.cmp(arith::CmpIPredicate::slt, begin, g.add(extent, low));
      steps = g.select(inside, steps, g.sub(steps, g.index(1)));
      extra = g.max(g.sub(g.add(g.mul(steps, stride), reach), padded), zero);
    }
    w.low.push_back(low);
    w.high.push_back(high);
    w.extra.push_back(extra);
  }
  return w;
}

Value padDynamic(GraphBuilder &g, Value x, double value, Windows &windows) {
  return windows.staticPadding()
             ? x
             : padAll(g, x, g.scalar(g.elementOf(x), value), windows);
}

Value padAll(GraphBuilder &g, Value x, Value value, Windows &windows) {
  Size zero = g.index(0);
  Sizes low{zero}, high{zero};
  for (size_t i = 0; i < windows.rank(); ++i) {
    low.push_back(windows.low[i]);
    high.push_back(g.add(windows.high[i], windows.extra[i]));
  }
  low.push_back(zero);
  high.push_back(zero);
  windows.low.assign(windows.rank(), zero);
  windows.high = windows.extra = windows.low;
  return g.pad(x, value, low, high);
}

} // namespace tenon::onnx
