// An empty row has no greatest element, so the index of one would be invalid.
// It is an error, at import or at run time.
#include "compiler/import/ArgReduce.h"

#include "compiler/import/TypeNames.h"

using namespace mlir;

namespace tenon {

FailureOr<Value> argReduce(NodeChecks &c, ReduceKind kind, int64_t axis,
                           bool last) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  if (failed(c.expectNumber(0)) || failed(c.expectMinRank(0, 1)))
    return failure();
  FailureOr<int64_t> dim = c.axis(axis, g.rankOf(x));
  if (failed(dim))
    return failure();
  std::string along = " along axis " + std::to_string(*dim);
  SmallVector<int64_t> shape(g.shapeOf(x));
  bool isNone = shape[*dim] == 0;
  shape.erase(shape.begin() + *dim);
  if (isNone && llvm::all_of(shape, [](int64_t n) { return n > 0; }))
    return c.error("expected elements" + along + ", got " + textOf(x));
  Sizes rows = g.sizes(x);
  rows.erase(rows.begin() + *dim);
  Size isEmpty = g.cmp(arith::CmpIPredicate::eq, g.product(rows), g.index(0));
  c.check(g.size(x, *dim), g.select(isEmpty, g.index(0), g.index(1)),
          g.index(INT64_MAX), "there must be elements" + along);
  Value place = ArgReduceOp::create(
      g.ops, g.loc, RankedTensorType::get(shape, g.i64()), kind, x, *dim, last);
  g.recordSizes(place, rows);
  return place;
}

} // namespace tenon
