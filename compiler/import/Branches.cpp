// Two regions become one op whose results have one type.
#include "compiler/import/Branches.h"

using namespace mlir;

namespace tenon {

Value forget(GraphBuilder &g, Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  Sizes sizes = g.sizes(value);
  SmallVector<Value> dynamic;
  for (auto [size, extent] : llvm::zip(sizes, type.getShape()))
    if (ShapedType::isDynamic(extent))
      dynamic.push_back(g.indexValue(size));
  return g.make<ReshapeOp>(type, value, dynamic, type.getShape());
}

bool isOutside(Size size, Region &region) {
  auto value = dyn_cast<Value>(size);
  return !value || !region.isAncestor(value.getParentRegion());
}

Size stepsOver(GraphBuilder &g, Size steps, ArrayRef<Sizes> carried) {
  Size zero = g.index(0), areEmpty = g.index(1);
  for (const Sizes &sizes : carried) {
    Size isEmpty = zero;
    for (Size size : sizes)
      isEmpty = g.select(g.cmp(arith::CmpIPredicate::eq, size, zero),
                         g.index(1), isEmpty);
    areEmpty = g.mul(areEmpty, isEmpty);
  }
  return g.select(g.cmp(arith::CmpIPredicate::ne, areEmpty, zero), zero, steps);
}

/// The type both values can be given, of one rank and element type.
static RankedTensorType joinTypes(Value a, Value b) {
  auto x = GraphBuilder::typeOf(a), y = GraphBuilder::typeOf(b);
  SmallVector<int64_t> shape;
  for (auto [p, q] : llvm::zip(x.getShape(), y.getShape()))
    shape.push_back(p == q ? p : ShapedType::kDynamic);
  return RankedTensorType::get(shape, x.getElementType());
}

std::optional<BranchMismatch> joinBranches(GraphBuilder &g, scf::IfOp shell,
                                           ArrayRef<Value> yes,
                                           ArrayRef<Value> no,
                                           SmallVectorImpl<Value> &results) {
  // Extents that differ become results of their own.
  SmallVector<Type> types, sizeTypes;
  SmallVector<Size> thenSizes, elseSizes;
  SmallVector<Sizes> shapes;
  SmallVector<std::pair<size_t, size_t>> open; // result, dimension
  for (size_t i = 0; i < yes.size(); ++i) {
    Value a = yes[i], b = no[i];
    if (GraphBuilder::elementOf(a) != GraphBuilder::elementOf(b))
      return BranchMismatch{i, true};
    if (GraphBuilder::rankOf(a) != GraphBuilder::rankOf(b))
      return BranchMismatch{i, false};
    types.push_back(joinTypes(a, b));
    Sizes sizes, left = g.sizes(a), right = g.sizes(b);
    for (auto [d, x] : llvm::enumerate(left)) {
      bool shared = GraphBuilder::same(x, right[d]) &&
                    isOutside(x, shell.getThenRegion()) &&
                    isOutside(right[d], shell.getElseRegion());
      sizes.push_back(x);
      if (shared)
        continue;
      open.push_back({i, d});
      thenSizes.push_back(x);
      elseSizes.push_back(right[d]);
      sizeTypes.push_back(g.ops.getIndexType());
    }
    shapes.push_back(sizes);
  }
  auto end = [&](Region &region, ArrayRef<Value> values, ArrayRef<Size> sizes) {
    OpBuilder::InsertionGuard guard(g.ops);
    g.ops.setInsertionPointToEnd(&region.front());
    SmallVector<Value> all;
    for (auto [value, type] : llvm::zip(values, types))
      all.push_back(forget(g, value, cast<RankedTensorType>(type)));
    for (Size size : sizes)
      all.push_back(g.indexValue(size));
    scf::YieldOp::create(g.ops, g.loc, all);
  };
  end(shell.getThenRegion(), yes, thenSizes);
  end(shell.getElseRegion(), no, elseSizes);
  SmallVector<Type> all(types);
  all.append(sizeTypes);
  auto result =
      scf::IfOp::create(g.ops, g.loc, all, shell.getCondition(), true);
  result.getThenRegion().takeBody(shell.getThenRegion());
  result.getElseRegion().takeBody(shell.getElseRegion());
  shell.getThenRegion().emplaceBlock();
  shell.getElseRegion().emplaceBlock();
  for (auto [k, where] : llvm::enumerate(open))
    shapes[where.first][where.second] = result.getResult(types.size() + k);
  for (size_t i = 0; i < types.size(); ++i) {
    g.recordSizes(result.getResult(i), shapes[i]);
    results.push_back(result.getResult(i));
  }
  return std::nullopt;
}

} // namespace tenon
