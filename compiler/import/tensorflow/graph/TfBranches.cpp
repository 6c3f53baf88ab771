// Imports both sides into regions of their own, then joins them.
#include "compiler/import/tensorflow/graph/TfBranches.h"

#include "compiler/import/graph/Branches.h"

using namespace mlir;

namespace tenon::tf {

FailureOr<Value> truth(NodeContext &c, Value value) {
  GraphBuilder &g = c.g;
  if (g.rankOf(value) != 0) {
    // A tensor that is no scalar is true if it has elements.
    Size any =
        g.cmp(arith::CmpIPredicate::ne, g.product(g.sizes(value)), g.index(0));
    if (auto known = dyn_cast<Attribute>(any))
      return g.make<arith::ConstantOp>(cast<TypedAttr>(known));
    return cast<Value>(any);
  }
  if (!g.elementOf(value).isInteger(1))
    value = g.compare(CompareDirection::NE, value, 0.0);
  return g.extractScalar(value);
}

/// The values of results, which must be tensors or lists.
static FailureOr<SmallVector<Value>> valuesOf(NodeContext &c,
                                              ArrayRef<Result> all) {
  SmallVector<Value> values;
  for (const Result &result : all) {
    if (result.kind == Result::Kind::Nothing)
      return failure();
    if (result.kind == Result::Kind::Complex)
      return c.unsupported("complex results of control flow");
    if (!result.value)
      return c.unsupported("handles as results of control flow");
    values.push_back(result.value);
  }
  return values;
}

FailureOr<Results> importBranches(NodeContext &c, Value condition,
                                  function_ref<FailureOr<Results>(bool)> side) {
  GraphBuilder &g = c.g;
  auto shell = scf::IfOp::create(g.ops, g.loc, TypeRange(), condition, true);
  c.importer.discarded.push_back(shell);
  FailureOr<SmallVector<Value>> values[2];
  Results kinds;
  for (int i : {0, 1}) {
    OpBuilder::InsertionGuard guard(g.ops);
    Block &block = shell->getRegion(i).front();
    block.clear();
    g.ops.setInsertionPointToEnd(&block);
    FailureOr<Results> results = side(i == 0);
    if (failed(results))
      return failure();
    values[i] = valuesOf(c, *results);
    if (failed(values[i]))
      return failure();
    if (i == 1 && (kinds.size() != results->size() ||
                   llvm::any_of(llvm::zip(kinds, *results), [](auto pair) {
                     return std::get<0>(pair).kind != std::get<1>(pair).kind;
                   })))
      return c.error("expected branches with equal results, got " +
                     Twine(kinds.size()) + " and " + Twine(results->size()));
    kinds = *results;
  }
  SmallVector<Value> joined;
  if (std::optional<BranchMismatch> mismatch = joinBranches(
          g, shell, c.site(), *values[0], *values[1],
          [](size_t) { return std::nullopt; }, joined)) {
    if (mismatch->isError)
      return c.error("expected branches with equal types, got " +
                     textOf((*values[0])[mismatch->result]) + " and " +
                     textOf((*values[1])[mismatch->result]));
    return c.unsupported("branches with results of different rank");
  }
  for (auto [kind, value] : llvm::zip(kinds, joined))
    kind.value = value;
  return kinds;
}

} // namespace tenon::tf
