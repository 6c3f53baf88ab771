// Softmax and similar ops. From opset 13 on they work along one axis, before
// that along all dimensions from the axis on.
#include "compiler/import/onnx/graph/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

using AlongAxis = Value (*)(GraphBuilder &, Value, int64_t);

template <AlongAxis body> LogicalResult sinceAxis(NodeContext &c) {
  if (failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 1)))
    return failure();
  FailureOr<int64_t> axis =
      c.axis(c.intAttr("axis", -1), c.g.rankOf(c.input(0)));
  if (failed(axis))
    return failure();
  c.set(0, body(c.g, c.input(0), *axis));
  return success();
}

/// Applies `body` to the operand reshaped to a matrix, split at the axis.
template <AlongAxis body> LogicalResult coerced(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  int64_t rank = g.rankOf(x), given = c.intAttr("axis", 1);
  if (failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 1)))
    return failure();
  // An axis equal to the rank gives rows of one element.
  FailureOr<int64_t> axis = given == rank ? given : c.axis(given, rank);
  if (failed(axis))
    return failure();
  if (*axis == rank - 1) {
    c.set(0, body(g, x, *axis));
    return success();
  }
  Sizes sizes = g.sizes(x);
  Value matrix =
      g.reshape(x, Sizes{g.product(ArrayRef(sizes).take_front(*axis)),
                         g.product(ArrayRef(sizes).drop_front(*axis))});
  c.set(0, g.reshape(body(g, matrix, 1), sizes));
  return success();
}

Value softmax(GraphBuilder &g, Value x, int64_t dim) {
  return SoftmaxOp::create(g.ops, g.loc, x.getType(), x, dim);
}

Value logSoftmax(GraphBuilder &g, Value x, int64_t dim) {
  return LogSoftmaxOp::create(g.ops, g.loc, x.getType(), x, dim);
}

/// One at the first of the greatest elements, zero elsewhere.
Value hardmax(GraphBuilder &g, Value x, int64_t dim) {
  SmallVector<int64_t> shape(g.shapeOf(x));
  shape.erase(shape.begin() + dim);
  Value best =
      ArgReduceOp::create(g.ops, g.loc, RankedTensorType::get(shape, g.i64()),
                          ReduceKind::Maximum, x, dim, false);
  Value position = g.iota(g.i64(), g.sizes(x), dim);
  return g.convert(
      g.compare(CompareDirection::EQ, position, g.unsqueeze(best, {dim})),
      g.elementOf(x));
}

LogicalResult lpNormalization(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  int64_t p = c.intAttr("p", 2);
  if (failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 1)))
    return failure();
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", -1), g.rankOf(x));
  if (failed(axis))
    return failure();
  if (p != 1 && p != 2)
    return c.error("expected p to be 1 or 2, got " + Twine(p));
  Value norm = g.reduce(ReduceKind::Add,
                        p == 1 ? g.make<AbsOp>(x) : g.mul(x, x), {*axis}, true);
  if (p == 2)
    norm = g.make<SqrtOp>(norm);
  // A row of zeros stays zero instead of becoming NaN.
  Value isZero = g.compare(CompareDirection::EQ, norm, 0.0);
  c.set(0, g.select(isZero, g.scalar(g.elementOf(x), 0), g.div(x, norm)));
  return success();
}

} // namespace

void registerSoftmaxOps(OpRegistry &r) {
  r.add("Softmax", 1, 1, 1, coerced<softmax>);
  r.add("Softmax", 13, 1, 1, sinceAxis<softmax>);
  r.add("LogSoftmax", 1, 1, 1, coerced<logSoftmax>);
  r.add("LogSoftmax", 13, 1, 1, sinceAxis<logSoftmax>);
  r.add("Hardmax", 1, 1, 1, coerced<hardmax>);
  r.add("Hardmax", 13, 1, 1, sinceAxis<hardmax>);
  r.add("LpNormalization", 1, 1, 1, lpNormalization);
}

} // namespace tenon::onnx
