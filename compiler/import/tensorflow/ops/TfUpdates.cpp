// Reads and writes variables by their handles.
#include "compiler/import/tensorflow/ops/TfUpdates.h"

using namespace mlir;

namespace tenon::tf {

const Node *variableOf(NodeContext &c, size_t i) {
  if (c.operand(i).variable)
    return c.operand(i).variable;
  (void)c.unsupported("a resource that is no variable");
  return nullptr;
}

LogicalResult writeVariable(NodeContext &c, const Node *variable, Value value) {
  if (!c.importer.assign(c.node, *variable, value))
    return failure();
  if (c.operand(0).kind == Result::Kind::Reference)
    c.set(0, c.operand(0));
  return success();
}

FailureOr<Value> rowsOf(NodeContext &c, size_t i, Value table) {
  GraphBuilder &g = c.g;
  if (failed(c.expectTensor(i)) || failed(c.expectInteger(i)))
    return failure();
  if (g.rankOf(table) == 0)
    return c.error("expected a variable with rows, got " + textOf(table));
  Value at = g.convert(c.input(i), g.i64());
  at = g.reshape(at, Sizes{g.product(g.sizes(at))});
  Value high =
      g.broadcastTo(g.fromSize(g.size(table, 0), g.i64()), g.sizes(at));
  return g.make<CheckRangeOp>(at, g.splatLike(at, 0), high,
                              g.ops.getStringAttr(c.site()));
}

Value scatterRows(GraphBuilder &g, ScatterKind kind, Value table, Value at,
                  Value rows) {
  SmallVector<int64_t> window, zero = {0}, none;
  for (int64_t d = 1; d < g.rankOf(table); ++d)
    window.push_back(d);
  Value result = g.make<ScatterOp>(table.getType(), kind, table, at, rows,
                                   window, zero, none, none, zero, uint64_t(1));
  g.recordSizes(result, g.sizes(table));
  return result;
}

} // namespace tenon::tf
