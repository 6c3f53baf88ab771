// Ops with chance in them. Dropout is the identity outside of training; drawing
// numbers is refused, for no two implementations would draw the same.
#include "compiler/import/onnx/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

/// The output, and a mask that keeps all elements.
void keepAll(NodeContext &c) {
  c.set(0, c.input(0));
  if (c.wants(1)) {
    mlir::Type mask = c.opset < 10 ? c.g.elementOf(c.input(0)) : c.g.i1();
    c.set(1, c.g.splat(mask, c.g.sizes(c.input(0)), 1));
  }
}

/// Before opset 12 the ratio is an attribute, and only training drops.
LogicalResult dropout1(NodeContext &c) {
  c.ignoreAttrs({"ratio", "is_test", "consumed_inputs"});
  keepAll(c);
  return success();
}

LogicalResult dropout12(NodeContext &c) {
  GraphBuilder &g = c.g;
  c.ignoreAttrs({"seed"});
  Value ratio = c.input(1), training = c.input(2);
  if ((ratio && failed(c.expectFloat(1))) ||
      (training && failed(c.expectBool(2))))
    return failure();
  keepAll(c);
  if (!training)
    return success();
  std::optional<SmallVector<int64_t>> trains = c.shapes.constants(training);
  if (trains && trains->size() == 1 && trains->front() == 0)
    return success();
  std::optional<SmallVector<double>> share;
  if (ratio)
    share = c.shapes.constantFloats(ratio);
  if (share && share->size() == 1 && share->front() == 0)
    return success();
  if (!ratio || share)
    return c.unsupported("randomness: dropping elements in training mode");
  // Whether elements would be dropped shows in the run, which then stops.
  Value drops =
      g.binary<AndOp>(g.reshape(training, ArrayRef<int64_t>{}),
                      g.compare(CompareDirection::NE,
                                g.reshape(ratio, ArrayRef<int64_t>{}), 0.0));
  Value zero = g.make<CheckRangeOp>(
      g.convert(drops, g.i64()), g.scalarInt(g.i64(), 0),
      g.scalarInt(g.i64(), 1),
      g.ops.getStringAttr(c.site() + " drops elements at random"));
  // The output waits for the check.
  Value stopped = g.compare(CompareDirection::NE, zero, 0.0);
  c.set(0, g.select(stopped, g.splatLike(c.input(0), 0), c.input(0)));
  return success();
}

LogicalResult random(NodeContext &c) {
  c.ignoreAttrs({"dtype", "high", "low", "mean", "scale", "seed", "shape",
                 "sample_size"});
  return c.unsupported("randomness");
}

} // namespace

void registerRandomOps(OpRegistry &r) {
  r.add("Dropout", 1, 1, Arity(1, 2), dropout1);
  r.add("Dropout", 12, Arity(1, 3), Arity(1, 2), dropout12);
  r.add("Bernoulli", 15, 1, 1, random);
  r.add("Multinomial", 7, 1, 1, random);
  r.add("RandomNormal", 1, 0, 1, random);
  r.add("RandomNormalLike", 1, 1, 1, random);
  r.add("RandomUniform", 1, 0, 1, random);
  r.add("RandomUniformLike", 1, 1, 1, random);
}

} // namespace tenon::onnx
