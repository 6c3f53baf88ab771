// Reductions over axes, ArgMax, ArgMin and prefix sums. Constant axes become a
// list, axes known only at run time a mask over the dimensions.
#include "compiler/import/ArgReduce.h"
#include "compiler/import/onnx/graph/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

/// The reduced axes: static dimensions, or one condition per dimension.
struct Axes {
  SmallVector<int64_t> dims;
  /// For each dimension an i1 that is true if it is reduced. Empty if all axes
  /// are static.
  SmallVector<Size> reduced;
  /// The number of reduced dimensions.
  int64_t count = 0;
};

class Reduction {
public:
  Reduction(NodeContext &c, const Axes &axes) : g(c.g), axes(axes) {}

  /// Reduces `x`; reduced dimensions keep extent one.
  Value operator()(ReduceKind kind, Value x) {
    if (axes.reduced.empty())
      return axes.dims.empty() ? x : g.reduce(kind, x, axes.dims, true);
    for (int64_t dim = 0; dim < g.rankOf(x); ++dim) {
      // Both candidates have the shape of x, so select between them. Then a
      // slice keeps the first element if the dimension is reduced.
      Value chosen = g.compare(CompareDirection::NE, flag(dim), 0.0);
      Value one = g.reduce(kind, x, {dim}, true);
      Size extent = g.size(x, dim);
      x = g.select(chosen, one, x);
      x = g.sliceDim(x, dim, g.index(0),
                     g.select(axes.reduced[dim], g.index(1), extent));
    }
    return x;
  }

  /// The number of elements that are reduced to one.
  Size elements(Value x) {
    Size product = g.index(1);
    if (axes.reduced.empty())
      for (int64_t dim : axes.dims)
        product = g.mul(product, g.size(x, dim));
    else
      for (auto [dim, reduced] : llvm::enumerate(axes.reduced))
        product = g.mul(product, g.select(reduced, g.size(x, dim), g.index(1)));
    return product;
  }

  /// Removes the reduced dimensions from the shape.
  Value drop(Value x) {
    if (axes.reduced.empty())
      return g.squeeze(x, axes.dims);
    Sizes sizes = g.sizes(x), kept;
    int64_t rank = sizes.size() - axes.count;
    for (int64_t place = 0; place < rank; ++place) {
      // The extent of the dimension that has `place` kept dimensions before it.
      Size extent = g.index(1), before = g.index(0);
      for (auto [dim, reduced] : llvm::enumerate(axes.reduced)) {
        Size here = g.cmp(arith::CmpIPredicate::eq, before, g.index(place));
        Size chosen = g.select(here, sizes[dim], extent);
        extent = g.select(reduced, extent, chosen);
        before = g.add(before, g.select(reduced, g.index(0), g.index(1)));
      }
      kept.push_back(extent);
    }
    return g.reshape(x, kept);
  }

private:
  GraphBuilder &g;
  const Axes &axes;

  Value flag(int64_t dim) {
    return g.fromSize(g.select(axes.reduced[dim], g.index(1), g.index(0)),
                      g.i64());
  }
};

/// Reads the axes from the attribute `axes`, or from operand 1 if `asInput`.
FailureOr<Axes> readAxes(NodeContext &c, bool asInput) {
  GraphBuilder &g = c.g;
  int64_t rank = g.rankOf(c.input(0));
  bool noop = asInput && c.intAttr("noop_with_empty_axes", 0) != 0;
  Axes axes;
  SmallVector<int64_t> listed;
  if (!asInput) {
    listed = c.intsAttr("axes");
  } else if (c.hasInput(1)) {
    FailureOr<Sizes> sizes = c.sizesInput(1);
    if (failed(sizes))
      return failure();
    if (auto known = GraphBuilder::staticSizes(*sizes)) {
      listed = *known;
    } else {
      axes.count = sizes->size();
      if (axes.count > rank)
        return c.error("expected at most " + Twine(rank) + " axes, got " +
                       Twine(axes.count));
      for (int64_t dim = 0; dim < rank; ++dim) {
        // Compare with dim and dim - rank, because negative axes count from the
        // end.
        Size found = g.index(0);
        for (Size axis : *sizes)
          for (int64_t name : {dim, dim - rank}) {
            Size hit = g.cmp(arith::CmpIPredicate::eq, axis, g.index(name));
            found = g.select(hit, g.index(1), found);
          }
        axes.reduced.push_back(
            g.cmp(arith::CmpIPredicate::ne, found, g.index(0)));
      }
      return axes;
    }
  }
  if (listed.empty() && !noop)
    listed = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  FailureOr<SmallVector<int64_t>> dims = c.axes(listed, rank);
  if (failed(dims))
    return failure();
  axes.dims = *dims;
  axes.count = axes.dims.size();
  return axes;
}

using Body = Value (*)(GraphBuilder &, Reduction &, Value);

/// The element types that a reduction supports.
enum class Kinds { Numbers, Fractions, Ordered };

/// Imports a reduction. f16 and bf16 are reduced in f32 and rounded once.
/// Integers go through f64 if the body computes fractions. From opset 20 on
/// bools are ordered like numbers.
template <Body body, Kinds kinds, bool asInput>
LogicalResult reduceNode(NodeContext &c) {
  GraphBuilder &g = c.g;
  bool keep = c.intAttr("keepdims", 1) != 0;
  Value x = c.input(0);
  mlir::Type element = g.elementOf(x), inner = element;
  bool isBool =
      kinds == Kinds::Ordered && c.opset >= 20 && element.isInteger(1);
  if (!isBool && failed(c.expectNumber(0)))
    return failure();
  FailureOr<Axes> axes = readAxes(c, asInput);
  if (failed(axes))
    return failure();
  if (isBool)
    inner = IntegerType::get(g.ops.getContext(), 8, IntegerType::Unsigned);
  else if (!isa<FloatType>(element) && kinds == Kinds::Fractions)
    inner = g.ops.getF64Type();
  else if (element.isF16() || element.isBF16())
    inner = g.f32();
  Reduction reduction(c, *axes);
  Value result = g.convert(body(g, reduction, g.convert(x, inner)), element);
  c.set(0, keep ? result : reduction.drop(result));
  return success();
}

Value sumBody(GraphBuilder &, Reduction &r, Value x) {
  return r(ReduceKind::Add, x);
}

Value meanBody(GraphBuilder &g, Reduction &r, Value x) {
  Size count = r.elements(x);
  Value sum = r(ReduceKind::Add, x);
  Value divisor = g.convert(g.fromSize(count, g.i64()), g.elementOf(x));
  if (std::optional<int64_t> known = g.staticSize(count))
    divisor = g.scalarInt(g.elementOf(x), *known);
  return g.div(sum, divisor);
}

Value prodBody(GraphBuilder &, Reduction &r, Value x) {
  return r(ReduceKind::Multiply, x);
}

Value maxBody(GraphBuilder &, Reduction &r, Value x) {
  return r(ReduceKind::Maximum, x);
}

Value minBody(GraphBuilder &, Reduction &r, Value x) {
  return r(ReduceKind::Minimum, x);
}

Value l1Body(GraphBuilder &g, Reduction &r, Value x) {
  return r(ReduceKind::Add, g.make<AbsOp>(x));
}

Value l2Body(GraphBuilder &g, Reduction &r, Value x) {
  return g.make<SqrtOp>(r(ReduceKind::Add, g.mul(x, x)));
}

Value sumSquareBody(GraphBuilder &g, Reduction &r, Value x) {
  return r(ReduceKind::Add, g.mul(x, x));
}

Value logSumBody(GraphBuilder &g, Reduction &r, Value x) {
  return g.make<LogOp>(r(ReduceKind::Add, x));
}

Value logSumExpBody(GraphBuilder &g, Reduction &r, Value x) {
  // Subtract the greatest element, so that no exponential overflows. An
  // infinite one would give NaN, so it is not subtracted.
  Value top = r(ReduceKind::Maximum, x);
  Value finite = g.compare(CompareDirection::LT, g.make<AbsOp>(top),
                           std::numeric_limits<double>::infinity());
  top = g.select(finite, top, g.splatLike(top, 0));
  Value sum = r(ReduceKind::Add, g.make<ExpOp>(g.sub(x, top)));
  return g.add(g.make<LogOp>(sum), top);
}

template <ReduceKind kind> LogicalResult arg(NodeContext &c) {
  int64_t axis = c.intAttr("axis", 0);
  FailureOr<Value> place =
      argReduce(c, kind, axis, c.intAttr("select_last_index", 0) != 0);
  if (failed(place))
    return failure();
  if (c.intAttr("keepdims", 1) != 0)
    place = c.g.unsqueeze(*place, {*c.axis(axis, c.g.rankOf(c.input(0)))});
  c.set(0, *place);
  return success();
}

LogicalResult cumSum(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  bool exclusive = c.intAttr("exclusive", 0) != 0;
  bool reverse = c.intAttr("reverse", 0) != 0;
  if (failed(c.expectNumber(0)) || failed(c.expectMinRank(0, 1)) ||
      failed(c.expectInteger(1)))
    return failure();
  FailureOr<Sizes> axis = c.sizesInput(1);
  if (failed(axis))
    return failure();
  if (axis->size() != 1)
    return c.error("expected one axis, got " + textOf(c.input(1)));
  int64_t rank = g.rankOf(x);
  auto along = [&](int64_t dim) -> Value {
    return CumulativeOp::create(g.ops, g.loc, x.getType(), ReduceKind::Add, x,
                                dim, exclusive, reverse);
  };
  if (std::optional<int64_t> known = g.staticSize(axis->front())) {
    FailureOr<int64_t> dim = c.axis(*known, rank);
    if (failed(dim))
      return failure();
    c.set(0, along(*dim));
    return success();
  }
  // Compute the sums along every dimension and let the run choose one.
  Value result = along(rank - 1);
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    for (int64_t name : {dim, dim - rank}) {
      Size hit = g.cmp(arith::CmpIPredicate::eq, axis->front(), g.index(name));
      Value flag = g.fromSize(g.select(hit, g.index(1), g.index(0)), g.i64());
      result = g.select(g.compare(CompareDirection::NE, flag, 0.0), along(dim),
                        result);
    }
  c.set(0, result);
  return success();
}

template <Body body, Kinds kinds = Kinds::Numbers>
void addReduce(OpRegistry &r, StringRef op, int64_t inputSince) {
  r.add(op, 1, 1, 1, reduceNode<body, kinds, false>);
  r.add(op, inputSince, Arity(1, 2), 1, reduceNode<body, kinds, true>);
}

} // namespace

void registerReductionOps(OpRegistry &r) {
  addReduce<sumBody>(r, "ReduceSum", 13);
  addReduce<meanBody>(r, "ReduceMean", 18);
  addReduce<prodBody>(r, "ReduceProd", 18);
  addReduce<maxBody, Kinds::Ordered>(r, "ReduceMax", 18);
  addReduce<minBody, Kinds::Ordered>(r, "ReduceMin", 18);
  addReduce<l1Body>(r, "ReduceL1", 18);
  addReduce<l2Body, Kinds::Fractions>(r, "ReduceL2", 18);
  addReduce<sumSquareBody>(r, "ReduceSumSquare", 18);
  addReduce<logSumBody, Kinds::Fractions>(r, "ReduceLogSum", 18);
  addReduce<logSumExpBody, Kinds::Fractions>(r, "ReduceLogSumExp", 18);
  r.add("ArgMax", 1, 1, 1, arg<ReduceKind::Maximum>);
  r.add("ArgMin", 1, 1, 1, arg<ReduceKind::Minimum>);
  r.add("CumSum", 11, 2, 1, cumSum);
}

} // namespace tenon::onnx
