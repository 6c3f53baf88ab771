// Equal elements are in the order of their columns.
#include "compiler/import/huggingface/generation/Ranking.h"

using namespace mlir;

namespace tenon::hf {

Ranking Ranking::of(GraphBuilder &g, Value x, Size count, Order order) {
  auto [elements, columns] = g.topK(x, count, 1, order == Order::Descending);
  return {order, elements, columns};
}

Ranking Ranking::at(GraphBuilder &g, Size place) const {
  return {order, g.sliceDim(elements, 1, place, g.index(1)),
          g.sliceDim(columns, 1, place, g.index(1))};
}

Ranking Ranking::at(GraphBuilder &g, Value places) const {
  return {order, takeColumns(g, elements, places),
          takeColumns(g, columns, places)};
}

Value Ranking::isBefore(GraphBuilder &g, Value x) const {
  auto direction =
      order == Order::Descending ? CompareDirection::LT : CompareDirection::GT;
  Value column = g.iota(g.i64(), g.sizes(x), 1);
  Value isLater = g.compare(CompareDirection::GT, column, columns);
  Value isEqual = g.compare(CompareDirection::EQ, x, elements);
  return g.make<OrOp>(g.compare(direction, x, elements),
                      g.make<AndOp>(isEqual, isLater));
}

Value greatestColumn(GraphBuilder &g, Value x) {
  Sizes sizes = g.sizes(x);
  auto type = RankedTensorType::get({GraphBuilder::shapeOf(x)[0]}, g.i64());
  Value column = ArgReduceOp::create(g.ops, g.loc, type, ReduceKind::Maximum, x,
                                     uint64_t(1), false);
  g.recordSizes(column, {sizes[0]});
  return column;
}

Value takeColumns(GraphBuilder &g, Value x, Value columns) {
  Sizes sizes = g.sizes(columns);
  Value result = g.make<GatherOp>(
      RankedTensorType::get(GraphBuilder::shapeOf(columns),
                            GraphBuilder::elementOf(x)),
      x, columns, ArrayRef<int64_t>{}, ArrayRef<int64_t>{1},
      ArrayRef<int64_t>{0}, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1},
      uint64_t(2), ArrayRef<int64_t>{1, 1});
  g.recordSizes(result, sizes);
  return result;
}

} // namespace tenon::hf
