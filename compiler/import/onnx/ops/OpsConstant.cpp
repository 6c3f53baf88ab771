// Ops that make tensors only from sizes and attributes.
#include "compiler/import/onnx/graph/NodeContext.h"

#include <cmath>

using namespace mlir;

namespace tenon::onnx {

static LogicalResult constant(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  int given = 0;
  Value value;
  auto scalars = [&](const auto &list, mlir::Type element, bool isList) {
    SmallVector<mlir::Attribute> elements;
    for (auto number : list)
      elements.push_back(g.elementAttr(element, number));
    SmallVector<int64_t> shape;
    if (isList)
      shape.push_back(elements.size());
    return g.constant(DenseElementsAttr::get(
        RankedTensorType::get(shape, element), elements));
  };
  if (const Tensor *tensor = ctx.tensorAttr("value")) {
    ++given;
    value = ctx.constant(*tensor);
  }
  if (const SparseTensor *tensor = ctx.sparseAttr("sparse_value")) {
    ++given;
    value = ctx.constant(*tensor);
  }
  if (ctx.hasAttr("value_float") && ++given)
    value = scalars(SmallVector<double>{ctx.floatAttr("value_float")}, g.f32(),
                    false);
  if (ctx.hasAttr("value_floats") && ++given)
    value = scalars(ctx.floatsAttr("value_floats"), g.f32(), true);
  if (ctx.hasAttr("value_int") && ++given)
    value = g.scalarInt(g.i64(), ctx.intAttr("value_int"));
  if (ctx.hasAttr("value_ints") && ++given)
    value = g.ints(ctx.intsAttr("value_ints"));
  if (ctx.hasAttr("value_string") || ctx.hasAttr("value_strings"))
    return ctx.unsupported("constants of type string");
  if (given != 1 && !ctx.failed())
    return ctx.error("expected one attribute with the value, got " +
                     Twine(given));
  if (!value)
    return failure();
  ctx.set(0, value);
  return success();
}

static LogicalResult constantOfShape(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  FailureOr<Sizes> sizes = ctx.extentsInput(0);
  if (failed(sizes))
    return failure();
  Value value = g.scalar(g.f32(), 0);
  if (const Tensor *tensor = ctx.tensorAttr("value")) {
    if (tensor->numElements() != 1)
      return ctx.error("expected a value of one element, got " +
                       Twine(tensor->numElements()));
    value = ctx.constant(*tensor);
    if (!value)
      return failure();
    value = g.constant(ctx.shapes.constantOf(value).reshape(
        RankedTensorType::get({}, GraphBuilder::elementOf(value))));
  }
  auto scalar = ctx.shapes.constantOf(value);
  std::optional<SmallVector<int64_t>> shape = GraphBuilder::staticSizes(*sizes);
  // A splat is stored as one element, whatever its shape.
  if (shape && scalar)
    ctx.set(0, g.constant(DenseElementsAttr::get(
                   RankedTensorType::get(*shape, scalar.getElementType()),
                   *scalar.getValues<mlir::Attribute>().begin())));
  else
    ctx.set(0, g.broadcastInDim(value, {}, *sizes));
  return success();
}

/// Operand i, which must be one number, as a tensor of rank 0.
static FailureOr<Value> scalarNumber(NodeContext &ctx, size_t i) {
  if (failed(ctx.expectNumber(i)))
    return failure();
  return ctx.scalarInput(i);
}

static LogicalResult range(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  FailureOr<Value> start = scalarNumber(ctx, 0), limit = scalarNumber(ctx, 1),
                   delta = scalarNumber(ctx, 2);
  if (failed(start) || failed(limit) || failed(delta) ||
      failed(ctx.expectSameElements()))
    return failure();
  mlir::Type element = GraphBuilder::elementOf(*start);
  Size count;
  if (isa<FloatType>(element)) {
    auto from = ctx.shapes.constantFloats(*start),
         to = ctx.shapes.constantFloats(*limit),
         by = ctx.shapes.constantFloats(*delta);
    if (from && to && by) {
      double n = std::ceil(((*to)[0] - (*from)[0]) / (*by)[0]);
      if (!(n < double(int64_t(1) << 46)))
        return ctx.error("expected a finite number of elements");
      count = g.index(std::max<int64_t>(int64_t(n), 0));
    } else {
      Value steps = g.div(g.sub(*limit, *start), *delta);
      Value whole = g.convert(g.make<CeilOp>(steps), g.i64());
      count = g.max(ctx.shapes.elements(whole)->front(), g.index(0));
    }
  } else {
    Size from = ctx.shapes.elements(*start)->front(),
         to = ctx.shapes.elements(*limit)->front(),
         by = ctx.shapes.elements(*delta)->front();
    if (GraphBuilder::staticSize(by) == 0)
      return ctx.error("expected a step other than 0, got 0");
    if (!GraphBuilder::staticSize(by)) {
      Size isZero = g.cmp(arith::CmpIPredicate::eq, by, g.index(0));
      ctx.check(g.select(isZero, g.index(0), g.index(1)), g.index(1),
                g.index(1), "the step must not be zero");
      by = g.select(isZero, g.index(1), by);
    }
    count = g.max(g.ceilDiv(g.sub(to, from), by), g.index(0));
  }
  Value steps = g.iota(element, {count}, 0);
  ctx.set(0, g.add(g.mul(steps, *delta), *start));
  return success();
}

static LogicalResult oneHot(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  FailureOr<Value> depthValue = scalarNumber(ctx, 1);
  if (failed(ctx.expectNumber(0)) || failed(depthValue) ||
      failed(ctx.expectRank(2, 1)))
    return failure();
  FailureOr<Value> values =
      ctx.withSizes(2, g.index(2), "two values, off and on,");
  if (failed(values))
    return failure();
  int64_t rank = GraphBuilder::rankOf(ctx.input(0)) + 1;
  FailureOr<int64_t> axis = ctx.axis(ctx.intAttr("axis", -1), rank);
  if (failed(axis))
    return failure();
  Size depth;
  if (auto number = ctx.shapes.constantFloats(*depthValue)) {
    if (!((*number)[0] >= 0 && (*number)[0] < double(int64_t(1) << 46)))
      return ctx.error("expected a depth that is not negative");
    depth = g.index(int64_t((*number)[0]));
  } else {
    Value whole = g.convert(*depthValue, g.i64());
    depth = g.max(ctx.shapes.elements(whole)->front(), g.index(0));
  }
  Value indices = g.convert(ctx.input(0), g.i64());
  Value counted = g.add(indices, g.fromSize(depth, g.i64()));
  indices =
      g.select(g.compare(CompareDirection::LT, indices, 0.0), counted, indices);
  Sizes sizes = g.sizes(indices);
  sizes.insert(sizes.begin() + *axis, depth);
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    if (i != *axis)
      dims.push_back(i);
  Value isHot =
      g.compare(CompareDirection::EQ, g.broadcastInDim(indices, dims, sizes),
                g.iota(g.i64(), sizes, *axis));
  auto value = [&](int64_t i) {
    Value one = g.sliceDim(*values, 0, g.index(i), g.index(1));
    return g.reshape(one, ArrayRef<int64_t>());
  };
  ctx.set(0, g.select(isHot, value(1), value(0)));
  return success();
}

static LogicalResult eyeLike(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  if (failed(ctx.expectRank(0, 2)))
    return failure();
  mlir::Type element =
      ctx.elementAttr("dtype", GraphBuilder::elementOf(ctx.input(0)));
  int64_t offset = ctx.intAttr("k", 0);
  if (!element)
    return failure();
  Sizes sizes = g.sizes(ctx.input(0));
  Value row = g.add(g.iota(g.i64(), sizes, 0), g.scalarInt(g.i64(), offset));
  Value isOne = g.compare(CompareDirection::EQ, row, g.iota(g.i64(), sizes, 1));
  ctx.set(0, g.convert(isOne, element));
  return success();
}

static LogicalResult trilu(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  if (failed(ctx.expectMinRank(0, 2)))
    return failure();
  bool upper = ctx.intAttr("upper", 1) != 0;
  Value offset = g.scalarInt(g.i64(), 0);
  if (ctx.hasInput(1)) {
    FailureOr<Value> given = scalarNumber(ctx, 1);
    if (failed(given) || failed(ctx.expectInteger(1)))
      return failure();
    offset = *given;
  }
  Sizes sizes = g.sizes(ctx.input(0));
  ArrayRef<Size> matrix = ArrayRef<Size>(sizes).take_back(2);
  Value row = g.add(g.iota(g.i64(), matrix, 0), g.convert(offset, g.i64()));
  Value column = g.iota(g.i64(), matrix, 1);
  Value kept = g.compare(upper ? CompareDirection::GE : CompareDirection::LE,
                         column, row);
  ctx.set(0, g.select(kept, ctx.input(0), g.splatLike(ctx.input(0), 0)));
  return success();
}

void registerConstantOps(OpRegistry &registry) {
  registry.add("Constant", 1, 0, 1, constant);
  registry.add("ConstantOfShape", 9, 1, 1, constantOfShape);
  registry.add("EyeLike", 9, 1, 1, eyeLike);
  registry.add("OneHot", 9, 3, 1, oneHot);
  registry.add("Range", 11, 3, 1, range);
  registry.add("Trilu", 14, Arity(1, 2), 1, trilu);
}

} // namespace tenon::onnx
