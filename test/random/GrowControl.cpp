// Control flow: branches with steps in both regions, loops with a dynamic trip
// count, and loops that carry a tensor to which every iteration adds rows.
#include "test/random/GraphGrower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>

using namespace mlir;

namespace tenon {

/// The deepest nesting of regions.
static constexpr int deepest = 2;

Value GraphGrower::exactNumber() {
  auto from = pick([](const Grown &x) {
    return x.isInt() && x.exact && !isUnsignedElement(x.element()) &&
           llvm::all_of(x.shape, [](GrownDim dim) { return dim.size > 0; });
  });
  Grown tensor = from ? *from : input(builder.getI32Type(), {}, -9, 9);
  llvm::SmallVector<Value> place;
  for (GrownDim dim : tensor.shape)
    place.push_back(
        make<arith::ConstantIndexOp>(dim.symbol ? 0 : random.below(dim.size)));
  return make<arith::IndexCastOp>(builder.getIndexType(),
                                  make<tensor::ExtractOp>(tensor.value, place));
}

Grown GraphGrower::inside(Block &block, const Grown &x) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  ++depth;
  size_t outside = pool.size();
  pool.push_back(x);
  for (int64_t i = 0, n = 1 + random.below(2); i < n; ++i)
    step();
  // Values made in a region are visible only inside it.
  Grown y = pickLike(x), result = y;
  result.exact = x.exact && y.exact;
  if (x.isInt() && random.oneIn(2)) {
    result.value = make<AddOp>(x.value, y.value);
  } else if (x.isFloat() && random.oneIn(2)) {
    result.value = make<MaximumOp>(x.value, y.value);
    result.bound = std::max(x.bound, y.bound);
  } else if (x.isFloat()) {
    Value sum = make<AddOp>(scaledTo(x, 4).value, scaledTo(y, 4).value);
    result = {make<TanhOp>(sum), x.shape, 1, false};
  }
  pool.erase(pool.begin() + int64_t(outside), pool.end());
  --depth;
  return result;
}

std::optional<Grown> GraphGrower::pickForRegion() {
  if (depth >= deepest)
    return std::nullopt;
  return pick([](const Grown &x) {
    return x.isInt() || (x.isFloat() && x.bound != unbounded);
  });
}

bool GraphGrower::branch() {
  auto x = pickForRegion();
  if (!x)
    return false;
  Value limit = make<arith::ConstantIndexOp>(random.below(5) - 2);
  Value condition =
      make<arith::CmpIOp>(arith::CmpIPredicate::sgt, exactNumber(), limit);
  auto op = scf::IfOp::create(builder, location(), x->value.getType(),
                              condition, true);
  Grown sides[2];
  Block *blocks[] = {op.thenBlock(), op.elseBlock()};
  for (int i = 0; i < 2; ++i) {
    sides[i] = inside(*blocks[i], *x);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(blocks[i]);
    scf::YieldOp::create(builder, location(), sides[i].value);
  }
  add(op.getResult(0), x->shape, std::max(sides[0].bound, sides[1].bound),
      sides[0].exact && sides[1].exact);
  return true;
}

bool GraphGrower::loop() {
  auto x = pickForRegion();
  if (!x)
    return false;
  // The loop keeps the carried value within this bound.
  double bound = x->isFloat() ? std::max(x->bound * 1.02, 1.0) : unbounded;
  Value zero = make<arith::ConstantIndexOp>(0);
  Value one = make<arith::ConstantIndexOp>(1);
  Value trips =
      make<arith::AndIOp>(exactNumber(), make<arith::ConstantIndexOp>(3));
  auto op = scf::ForOp::create(builder, location(), zero, trips, one,
                               ValueRange{x->value});
  Grown carried{op.getRegionIterArg(0), x->shape, bound, !x->isFloat()};
  Grown next = inside(*op.getBody(), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(op.getBody());
  if (x->isFloat())
    next = scaledTo(next, bound);
  scf::YieldOp::create(builder, location(), next.value);
  add(op.getResult(0), x->shape, bound, !x->isFloat());
  return true;
}

/// A loop whose carried tensor has room for all rows. Each iteration reads the
/// rows written so far and appends its own.
bool GraphGrower::growingLoop() {
  constexpr int64_t maxTrips = 3;
  if (depth >= deepest)
    return false;
  auto x = pick([](const Grown &x) {
    return x.rank() > 0 && x.count() > 0 && x.count() <= maxElements / 8 &&
           (x.isInt() || (x.isFloat() && x.bound != unbounded));
  });
  if (!x)
    return false;
  int64_t dim = randomDim(*x), rows = 1 + random.below(2);
  double bound = x->isFloat() ? std::max(x->bound * 1.02, 1.0) : unbounded;
  auto index = [&](int64_t value) -> Value {
    return make<arith::ConstantIndexOp>(value);
  };
  auto asValue = [&](OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(builder, location(), size);
  };
  llvm::SmallVector<OpFoldResult> extents = sizes(*x);
  Value first = asValue(extents[dim]);
  GrownShape roomy = x->shape;
  roomy[dim] =
      derived(x->shape[dim].size + maxTrips * rows, x->shape[dim].symbol != 0);
  Value room = make<arith::AddIOp>(first, index(maxTrips * rows));
  llvm::SmallVector<OpFoldResult> all = extents;
  all[dim] = roomy[dim].symbol
                 ? OpFoldResult(room)
                 : OpFoldResult(builder.getIndexAttr(roomy[dim].size));
  Mixed whole = split(all);
  Value zero = fresh(x->element(), {}, 0, 0).value;
  Value start =
      make<BroadcastInDimOp>(type(roomy, x->element()), zero,
                             ArrayRef<int64_t>(), whole.values, whole.list);
  llvm::SmallVector<int64_t> origin(x->rank(), 0), ones(x->rank(), 1);
  start = make<DynamicUpdateSliceOp>(start.getType(), start, x->value,
                                     ValueRange(), origin);
  Value trips = make<arith::AndIOp>(exactNumber(), index(maxTrips));
  auto op = scf::ForOp::create(builder, location(), index(0), trips, index(1),
                               ValueRange{start});
  auto extentAfter = [&](Value iterations) -> Value {
    Value grown = make<arith::MulIOp>(iterations, index(rows));
    return make<BoundOp>(builder.getIndexType(),
                         make<arith::AddIOp>(first, grown), room);
  };
  auto beginning = [&](Value value, Value extent) -> Value {
    llvm::SmallVector<OpFoldResult> box = extents;
    box[dim] = extent;
    llvm::SmallVector<int64_t> shape =
        llvm::to_vector(cast<RankedTensorType>(value.getType()).getShape());
    shape[dim] = ShapedType::kDynamic;
    Mixed mixed = split(box);
    return make<SliceOp>(RankedTensorType::get(shape, x->element()), value,
                         ValueRange(), mixed.values, ValueRange(), origin,
                         mixed.list, ones);
  };
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(op.getBody());
    Value carried = op.getRegionIterArg(0);
    Value extent = extentAfter(op.getInductionVar());
    // Reduce the extent that changes, then add steps with static extents.
    GrownShape shape = x->shape;
    shape.erase(shape.begin() + dim);
    Value greatest =
        make<ReduceOp>(ReduceKind::Maximum, beginning(carried, extent), dim);
    Grown next = inside(*op.getBody(), {greatest, shape, bound, !x->isFloat()});
    builder.setInsertionPointToEnd(op.getBody());
    if (x->isFloat())
      next = scaledTo(next, bound);
    llvm::SmallVector<OpFoldResult> box = extents;
    box[dim] = builder.getIndexAttr(rows);
    GrownShape added = x->shape;
    added[dim] = {rows};
    llvm::SmallVector<int64_t> kept;
    for (int64_t d = 0; d < x->rank(); ++d)
      if (d != dim)
        kept.push_back(d);
    Mixed mixed = split(box);
    Value row = make<BroadcastInDimOp>(type(added, x->element()), next.value,
                                       kept, mixed.values, mixed.list);
    llvm::SmallVector<int64_t> at = origin;
    at[dim] = ShapedType::kDynamic;
    Value stored = make<DynamicUpdateSliceOp>(carried.getType(), carried, row,
                                              ValueRange{extent}, at);
    scf::YieldOp::create(builder, location(), stored);
  }
  if (!options.dataDependent || depth > 0) {
    add(op.getResult(0), roomy, bound, !x->isFloat());
    return true;
  }
  // The number of rows is unknown here, so the value can only become an output.
  GrownShape shape = x->shape;
  shape[dim] = {0, ++lastSymbol};
  add(beginning(op.getResult(0), extentAfter(trips)), shape, bound,
      !x->isFloat());
  pool.back().closed = true;
  return true;
}

} // namespace tenon
