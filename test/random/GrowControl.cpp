// Control flow: branches on values, with steps of their own on either side, and
// loops whose length is a value.
#include "test/random/GraphGrower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>

using namespace mlir;

namespace tenon {

/// Regions in regions end here.
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
  // What the steps of a region made is seen by the region alone.
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
  // Whatever the body does, what it carries stays within this.
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

} // namespace tenon
