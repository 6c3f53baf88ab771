// Movement steps; they keep bounds and exactness.
#include "test/random/GraphGrower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;

namespace tenon {

static bool any(const Grown &) { return true; }
static bool hasDims(const Grown &x) { return x.rank() > 0; }

bool GraphGrower::reshapeLike() {
  auto x = pick(any);
  llvm::SmallVector<OpFoldResult> extents = sizes(*x);
  GrownShape shape = x->shape;
  int64_t rank = x->rank();
  if (rank >= 2 && random.oneIn(2)) {
    // Merge two adjacent extents.
    int64_t at = random.below(rank - 1);
    GrownDim a = shape[at], b = shape[at + 1];
    GrownDim joined = derived(a.size * b.size, a.symbol || b.symbol);
    OpFoldResult product = builder.getIndexAttr(joined.size);
    if (joined.symbol) {
      Value l =
          getValueOrCreateConstantIndexOp(builder, location(), extents[at]);
      Value r =
          getValueOrCreateConstantIndexOp(builder, location(), extents[at + 1]);
      product = make<arith::MulIOp>(l, r);
    }
    shape[at] = joined;
    shape.erase(shape.begin() + at + 1);
    extents[at] = product;
    extents.erase(extents.begin() + at + 1);
  } else {
    // Split an extent, or insert an extent of one.
    int64_t at = random.below(rank + 1);
    int64_t part = 1;
    if (at < rank && !shape[at].symbol && shape[at].size > 1)
      for (int64_t divisor : {2, 3, 4, 5})
        if (shape[at].size % divisor == 0 && random.oneIn(2))
          part = divisor;
    if (rank >= 5)
      return false;
    if (part > 1) {
      shape[at].size /= part;
      extents[at] = builder.getIndexAttr(shape[at].size);
    }
    shape.insert(shape.begin() + at, GrownDim{part});
    extents.insert(extents.begin() + at, builder.getIndexAttr(part));
  }
  Mixed mixed = split(extents);
  add(make<ReshapeOp>(type(shape, x->element()), x->value, mixed.values,
                      mixed.list),
      shape, x->bound, x->exact);
  return true;
}

bool GraphGrower::permute() {
  auto x = pick(hasDims);
  if (!x)
    return false;
  if (random.oneIn(3)) {
    llvm::SmallVector<int64_t> dims;
    for (int64_t i = 0; i < x->rank(); ++i)
      if (random.oneIn(2))
        dims.push_back(i);
    add(make<ReverseOp>(x->value, dims), x->shape, x->bound, x->exact);
    return true;
  }
  llvm::SmallVector<int64_t> order;
  for (int64_t i = 0; i < x->rank(); ++i)
    order.insert(order.begin() + random.below(i + 1), i);
  GrownShape shape;
  for (int64_t dim : order)
    shape.push_back(x->shape[dim]);
  add(make<TransposeOp>(x->value, order), shape, x->bound, x->exact);
  return true;
}

bool GraphGrower::cut() {
  auto x = pick(hasDims);
  if (!x)
    return false;
  llvm::SmallVector<OpFoldResult> extents = sizes(*x);
  if (random.oneIn(3)) {
    // Pad; the padding may be negative.
    GrownShape shape = x->shape;
    llvm::SmallVector<int64_t> low, high, interior;
    for (GrownDim &dim : shape) {
      bool open = dim.symbol != 0;
      low.push_back(random.below(3) - (dim.size > 2 && !open));
      high.push_back(random.below(3) - (dim.size > 3 && !open));
      interior.push_back(random.oneIn(4) ? 1 : 0);
      int64_t gaps = dim.size > 1 ? dim.size - 1 : 0;
      int64_t size =
          dim.size + gaps * interior.back() + low.back() + high.back();
      if (size < 0)
        return false;
      if (size != dim.size || interior.back() || low.back() || high.back())
        dim = derived(size, open);
    }
    Grown model{nullptr, shape};
    if (model.count() > maxElements)
      return false;
    Value value = fresh(x->element(), {}, -1, 1).value;
    add(make<PadOp>(type(shape, x->element()), x->value, value, ValueRange(),
                    ValueRange(), low, high, interior),
        shape, std::max(x->bound, 1.0), x->exact);
    return true;
  }
  GrownShape shape;
  llvm::SmallVector<int64_t> offsets, strides;
  for (auto [i, dim] : llvm::enumerate(x->shape)) {
    // A dynamic or empty extent is kept whole: no smaller box surely fits.
    if (dim.symbol || dim.size == 0 || random.oneIn(3)) {
      offsets.push_back(0);
      strides.push_back(1);
      shape.push_back(dim);
      continue;
    }
    int64_t first = random.below(dim.size), stride = 1 + random.below(3);
    bool back = random.oneIn(4);
    int64_t room =
        back ? first / stride + 1 : (dim.size - first - 1) / stride + 1;
    int64_t size = random.oneIn(30) ? 0 : 1 + random.below(room);
    offsets.push_back(first);
    strides.push_back(back ? -stride : stride);
    shape.push_back({size});
    extents[i] = builder.getIndexAttr(size);
  }
  Mixed mixed = split(extents);
  add(make<SliceOp>(type(shape, x->element()), x->value, ValueRange(),
                    mixed.values, ValueRange(), offsets, mixed.list, strides),
      shape, x->bound, x->exact);
  return true;
}

/// Adds a pad or slice by numbers computed from extents.
bool GraphGrower::cutByNumbers() {
  auto x = options.dynamic ? pick(hasDims) : std::nullopt;
  if (!x)
    return false;
  GrownShape shape = x->shape;
  llvm::SmallVector<OpFoldResult> extents = sizes(*x);
  OpFoldResult none = builder.getIndexAttr(0);
  llvm::SmallVector<OpFoldResult> first(shape.size(), none), last = first;
  bool pads = random.oneIn(2), changes = false;
  for (auto [d, dim] : llvm::enumerate(shape)) {
    auto before =
        random.oneIn(3) ? std::nullopt : numberUpTo(pads ? 3 : dim.size);
    if (!before)
      continue;
    auto after = numberUpTo(pads ? 3 : dim.size - before->size);
    if (!after)
      continue;
    changes = true;
    first[d] = before->value;
    last[d] = after->value;
    int64_t taken = before->size + after->size;
    dim = derived(dim.size + (pads ? taken : -taken), true);
    if (pads)
      continue;
    Value whole =
        getValueOrCreateConstantIndexOp(builder, location(), extents[d]);
    Value rest = make<arith::SubIOp>(whole, before->value);
    extents[d] = make<arith::SubIOp>(rest, after->value);
  }
  if (!changes || Grown{nullptr, shape}.count() > maxElements)
    return false;
  RankedTensorType result = type(shape, x->element());
  Mixed from = split(first), to = split(last), left = split(extents);
  llvm::SmallVector<int64_t> gaps(shape.size(), 0), steps(shape.size(), 1);
  if (pads) {
    Value value = fresh(x->element(), {}, -1, 1).value;
    add(make<PadOp>(result, x->value, value, from.values, to.values, from.list,
                    to.list, gaps),
        shape, std::max(x->bound, 1.0), x->exact);
    return true;
  }
  add(make<SliceOp>(result, x->value, from.values, left.values, ValueRange(),
                    from.list, left.list, steps),
      shape, x->bound, x->exact);
  return true;
}

bool GraphGrower::join() {
  auto x = pick(hasDims);
  if (!x)
    return false;
  int64_t dim = randomDim(*x);
  llvm::SmallVector<Value> parts = {x->value};
  double bound = x->bound;
  bool exact = x->exact;
  GrownDim total = x->shape[dim];
  bool open = total.symbol != 0;
  for (int64_t i = 0, n = 1 + random.below(2); i < n; ++i) {
    auto other = pick([&](const Grown &y) {
      if (y.rank() != x->rank() || y.element() != x->element())
        return false;
      for (int64_t d = 0; d < y.rank(); ++d)
        if (d != dim && !(y.shape[d] == x->shape[d]))
          return false;
      return true;
    });
    parts.push_back(other->value);
    bound = std::max(bound, other->bound);
    exact &= other->exact;
    total.size += other->shape[dim].size;
    open |= other->shape[dim].symbol != 0;
  }
  GrownShape shape = x->shape;
  shape[dim] = derived(total.size, open);
  if (Grown{nullptr, shape}.count() > maxElements)
    return false;
  add(make<ConcatenateOp>(parts, dim), shape, bound, exact);
  return true;
}

bool GraphGrower::broadcast() {
  if (random.oneIn(4)) {
    Grown model = *pick(any);
    if (model.rank() == 0)
      return false;
    Mixed mixed = split(sizes(model));
    Type element = random.oneIn(2) ? randomInt() : randomFloat();
    int64_t dim = randomDim(model);
    add(make<IotaOp>(type(model.shape, element), dim, mixed.values, mixed.list),
        model.shape, double(model.shape[dim].size), true);
    return true;
  }
  auto x = pick([](const Grown &x) { return x.rank() < 4; });
  if (!x)
    return false;
  // The operand's dimensions keep their order in the result.
  GrownShape shape;
  llvm::SmallVector<OpFoldResult> extents, old = sizes(*x);
  llvm::SmallVector<int64_t> dims;
  for (int64_t i = 0; i <= x->rank(); ++i) {
    if (shape.size() < 4 && random.oneIn(2)) {
      shape.push_back({1 + random.below(5)});
      extents.push_back(builder.getIndexAttr(shape.back().size));
    }
    if (i == x->rank())
      break;
    dims.push_back(shape.size());
    bool grows = x->shape[i] == GrownDim{1} && random.oneIn(2);
    shape.push_back(grows ? GrownDim{1 + random.below(6)} : x->shape[i]);
    extents.push_back(grows ? builder.getIndexAttr(shape.back().size) : old[i]);
  }
  if (Grown{nullptr, shape}.count() > maxElements)
    return false;
  Mixed mixed = split(extents);
  add(make<BroadcastInDimOp>(type(shape, x->element()), x->value, dims,
                             mixed.values, mixed.list),
      shape, x->bound, x->exact);
  return true;
}

} // namespace tenon
