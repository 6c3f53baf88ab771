// Joins two regions into one scf.if whose results have one type for both.
#include "compiler/import/graph/Branches.h"

using namespace mlir;

namespace tenon {

Value castToGeneral(GraphBuilder &g, Value value, RankedTensorType type) {
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

/// The most specific type for both values, which must have equal ranks and
/// element types.
static RankedTensorType joinTypes(Value a, Value b) {
  auto x = GraphBuilder::typeOf(a), y = GraphBuilder::typeOf(b);
  SmallVector<int64_t> shape;
  for (auto [p, q] : llvm::zip(x.getShape(), y.getShape()))
    shape.push_back(p == q ? p : ShapedType::kDynamic);
  return RankedTensorType::get(shape, x.getElementType());
}

/// The number of elements if it is static.
static std::optional<int64_t> countOf(Value value) {
  auto type = GraphBuilder::typeOf(value);
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  return type.hasStaticShape() ? std::optional(type.getNumElements())
                               : std::nullopt;
}

/// An empty tensor with the rank and, as far as possible, the static extents of
/// `like`. `branch` yields it instead of `value`. If `value` has elements at
/// run time, the run ends with an error.
static Value emptyLike(GraphBuilder &g, Region &branch, Value value, Value like,
                       StringRef site) {
  OpBuilder::InsertionGuard guard(g.ops);
  g.ops.setInsertionPointToEnd(&branch.front());
  int64_t rank = GraphBuilder::rankOf(like);
  g.checkSize(g.product(g.sizes(value)), g.index(0), g.index(0),
              (site + ": a branch's result of rank " +
               Twine(GraphBuilder::rankOf(value)) +
               " must be empty where rank " + Twine(rank) + " is expected")
                  .str());
  Sizes sizes(rank, g.index(0));
  bool isEmpty = false;
  for (auto [size, extent] : llvm::zip(sizes, GraphBuilder::shapeOf(like)))
    if (!ShapedType::isDynamic(extent) && extent > 0)
      size = g.index(extent);
    else
      isEmpty = true;
  if (!isEmpty)
    sizes.front() = g.index(0);
  return g.splat(GraphBuilder::elementOf(like), sizes, 0);
}

/// Gives two values of different ranks one rank, as joinBranches describes;
/// false if that is impossible.
static bool joinRanks(GraphBuilder &g, scf::IfOp shell, Value &yes, Value &no,
                      std::optional<int64_t> wanted, StringRef site) {
  std::optional<int64_t> left = countOf(yes), right = countOf(no);
  bool takesYes;
  if ((left == 0) != (right == 0))
    takesYes = right == 0;
  else if (wanted == GraphBuilder::rankOf(yes))
    takesYes = true;
  else if (wanted == GraphBuilder::rankOf(no))
    takesYes = false;
  else
    return false;
  // Only tensors of rank 1 and above can be empty, and a value that is known to
  // have elements must not be replaced.
  Value kept = takesYes ? yes : no;
  if (GraphBuilder::rankOf(kept) == 0 || (takesYes ? right : left) > 0)
    return false;
  if (takesYes)
    no = emptyLike(g, shell.getElseRegion(), no, yes, site);
  else
    yes = emptyLike(g, shell.getThenRegion(), yes, no, site);
  return true;
}

std::optional<BranchMismatch>
joinBranches(GraphBuilder &g, scf::IfOp shell, StringRef site,
             ArrayRef<Value> whenTrue, ArrayRef<Value> whenFalse,
             RankOfResult rankOfResult, SmallVectorImpl<Value> &results) {
  SmallVector<Value> yes(whenTrue), no(whenFalse);
  // A pair of extents that differ becomes a result of the scf.if.
  SmallVector<Type> types, sizeTypes;
  SmallVector<Size> thenSizes, elseSizes;
  SmallVector<Sizes> shapes;
  SmallVector<std::pair<size_t, size_t>> open; // result, dimension
  for (size_t i = 0; i < yes.size(); ++i) {
    Value &a = yes[i], &b = no[i];
    if (GraphBuilder::elementOf(a) != GraphBuilder::elementOf(b))
      return BranchMismatch{i, true};
    if (GraphBuilder::rankOf(a) != GraphBuilder::rankOf(b) &&
        !joinRanks(g, shell, a, b, rankOfResult(i), site))
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
      all.push_back(castToGeneral(g, value, cast<RankedTensorType>(type)));
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
