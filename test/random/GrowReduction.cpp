// Reductions, windows and contractions. Sums are divided by the number of
// terms, so that bounds stay small.
#include "test/random/GraphGrower.h"

#include "dialects/tenon/ShapeRules.h"

#include <algorithm>

using namespace mlir;

namespace tenon {

static llvm::SmallVector<int64_t> sizesOf(const GrownShape &shape) {
  llvm::SmallVector<int64_t> list;
  for (GrownDim dim : shape)
    list.push_back(dim.size);
  return list;
}

static bool reducible(const Grown &x) {
  return x.rank() > 0 && (!x.isFloat() || x.bound <= 1e4);
}

bool GraphGrower::reduction() {
  auto x = pick(reducible);
  if (!x)
    return false;
  if (x->exact && !x->isBool() && random.oneIn(4)) {
    int64_t dim = randomDim(*x);
    if (x->shape[dim].size == 0)
      return false;
    auto kind = random.oneIn(2) ? ReduceKind::Maximum : ReduceKind::Minimum;
    GrownShape shape = x->shape;
    shape.erase(shape.begin() + dim);
    Type element =
        random.oneIn(2) ? builder.getI64Type() : builder.getI32Type();
    bool last = random.oneIn(2);
    add(make<ArgReduceOp>(type(shape, element), kind, x->value, dim, last),
        shape, unbounded, true);
    return true;
  }
  llvm::SmallVector<int64_t> dims;
  GrownShape shape;
  int64_t terms = 1;
  for (int64_t i = 0; i < x->rank(); ++i)
    if (random.oneIn(2)) {
      dims.push_back(i);
      terms *= x->shape[i].size;
    } else {
      shape.push_back(x->shape[i]);
    }
  if (x->isBool() || (x->isInt() && random.oneIn(4))) {
    auto kind = random.oneIn(2) ? ReduceKind::And : ReduceKind::Or;
    add(make<ReduceOp>(kind, x->value, dims), shape, unbounded, true);
    return true;
  }
  auto kind = ReduceKind(random.below(4));
  double bound = x->bound;
  bool exact = x->exact;
  if (x->isFloat()) {
    if (kind == ReduceKind::Multiply)
      kind = ReduceKind::Add;
    bool selects = kind != ReduceKind::Add;
    bound = selects ? (terms ? x->bound : unbounded)
                    : x->bound * double(std::max<int64_t>(terms, 1));
    exact &= selects;
  }
  add(make<ReduceOp>(kind, x->value, dims), shape, bound, exact);
  return true;
}

bool GraphGrower::prefixOrWindow() {
  auto x = pick([](const Grown &x) { return reducible(x) && !x.isBool(); });
  if (!x)
    return false;
  auto kind = ReduceKind(random.below(4));
  if (x->isFloat() && kind == ReduceKind::Multiply)
    kind = ReduceKind::Add;
  bool selects = kind == ReduceKind::Maximum || kind == ReduceKind::Minimum;
  bool exact = x->exact && (selects || x->isInt());
  if (random.oneIn(2)) {
    int64_t dim = randomDim(*x);
    bool exclusive = random.oneIn(3);
    // The first element of an exclusive maximum is infinite.
    double bound = selects ? (exclusive ? unbounded : x->bound)
                           : x->bound * double(x->shape[dim].size + 1);
    bool reverse = random.oneIn(2);
    add(make<CumulativeOp>(x->value.getType(), kind, x->value, dim, exclusive,
                           reverse),
        x->shape, bound, exact);
    return true;
  }
  llvm::SmallVector<int64_t> window, strides, dilations, padding;
  double terms = 1;
  for (GrownDim dim : x->shape) {
    bool spans = dim.size > 1 && random.oneIn(2);
    window.push_back(spans ? 1 + random.below(std::min<int64_t>(dim.size, 4))
                           : 1);
    strides.push_back(1 + random.below(2));
    dilations.push_back(random.oneIn(3) ? 2 : 1);
    // Less padding than the window, so that every window has an element.
    for (int side = 0; side < 2; ++side)
      padding.push_back(random.below(window.back()));
    terms *= double(window.back());
  }
  ShapeOrError places =
      reduceWindowShape(sizesOf(x->shape), window, strides, dilations, padding);
  GrownShape shape;
  for (auto [dim, size] : llvm::zip_equal(x->shape, places.shape)) {
    bool same = size == dim.size && strides[shape.size()] == 1 &&
                window[shape.size()] == 1;
    shape.push_back(same ? dim : derived(size, dim.symbol != 0));
  }
  // A dilated window may still have no element; its result is then infinite.
  bool mayMiss = llvm::any_of(dilations, [](int64_t d) { return d > 1; });
  if (x->exact && selects && random.oneIn(2) && !mayMiss) {
    add(make<ArgReduceWindowOp>(type(shape, builder.getI64Type()), kind,
                                x->value, window, strides, dilations, padding),
        shape, unbounded, true);
    return true;
  }
  double bound = !selects ? x->bound * terms : mayMiss ? unbounded : x->bound;
  add(make<ReduceWindowOp>(type(shape, x->element()), kind, x->value, window,
                           strides, dilations, padding),
      shape, bound, exact);
  return true;
}

bool GraphGrower::contraction() {
  auto x = pick([](const Grown &x) {
    return x.rank() > 0 && !x.isBool() && (!x.isFloat() || x.bound <= 1e4);
  });
  if (!x)
    return false;
  if (x->isFloat())
    x = scaledTo(*x, 2);
  // Each dimension of x is batch, contracting or free. The other operand has
  // the batch and contracting dimensions in any order, and free dimensions of
  // its own.
  llvm::SmallVector<int64_t> batch, sum, otherBatch, otherSum;
  GrownShape otherShape, batchShape, freeShape, otherFree;
  double terms = 1;
  for (int64_t i = 0; i < x->rank(); ++i) {
    int role = int(random.below(3));
    if (role == 0 && i == 0 && x->rank() > 1) {
      batch.push_back(i);
      batchShape.push_back(x->shape[i]);
    } else if (role == 1 || i + 1 == x->rank()) {
      sum.push_back(i);
      terms *= double(std::max<int64_t>(x->shape[i].size, 1));
    } else {
      freeShape.push_back(x->shape[i]);
    }
  }
  auto place = [&](GrownDim dim) {
    otherShape.push_back(dim);
    return int64_t(otherShape.size()) - 1;
  };
  bool freeFirst = random.oneIn(2);
  for (int64_t dim : batch)
    otherBatch.push_back(place(x->shape[dim]));
  int64_t count = random.oneIn(4) && !options.wideWeights ? 0 : 1;
  auto columns = [&] {
    return options.wideWeights ? 12 + random.below(120) : randomExtent();
  };
  for (int64_t i = 0; i < count && freeFirst; ++i)
    otherFree.push_back({columns()}), place(otherFree.back());
  for (int64_t dim : sum)
    otherSum.push_back(place(x->shape[dim]));
  for (int64_t i = 0; i < count && !freeFirst; ++i)
    otherFree.push_back({columns()}), place(otherFree.back());
  Grown w = factor(x->element(), otherShape);
  if (w.shape != otherShape)
    return false;
  GrownShape shape = batchShape;
  shape.append(freeShape);
  shape.append(otherFree);
  if (Grown{nullptr, shape}.count() > maxElements)
    return false;
  Type element = x->element();
  if (x->isInt() && elementWidth(element) == 8)
    element = builder.getI32Type();
  else if (x->isFloat() && elementWidth(element) == 16 && random.oneIn(2))
    element = builder.getF32Type();
  bool swapped = batch.empty() && random.oneIn(4);
  if (swapped) {
    shape = otherFree;
    shape.append(freeShape);
    add(make<DotGeneralOp>(type(shape, element), w.value, x->value, otherBatch,
                           batch, otherSum, sum),
        shape, x->bound * terms, x->isInt());
    return true;
  }
  add(make<DotGeneralOp>(type(shape, element), x->value, w.value, batch,
                         otherBatch, sum, otherSum),
      shape, x->bound * terms, x->isInt());
  return true;
}

bool GraphGrower::convolution() {
  auto x = pick([](const Grown &x) {
    return x.isFloat() && x.bound <= 1e4 && (x.rank() == 3 || x.rank() == 4) &&
           x.count() <= 1024 && x.shape.back().symbol == 0 &&
           x.shape.back().size > 0 && x.shape.back().size <= 33;
  });
  if (!x)
    return false;
  x = scaledTo(*x, 2);
  int64_t spatial = x->rank() - 2, features = x->shape.back().size, groups = 1;
  for (int64_t divisor : {2, 3, 4, 5, 7, 8})
    if (features % divisor == 0 && random.oneIn(3))
      groups = divisor;
  if (random.oneIn(5))
    groups = features; // depthwise
  GrownShape kernel;
  llvm::SmallVector<int64_t> strides, padding, lhsDilation, rhsDilation;
  double terms = double(features / groups);
  for (int64_t i = 0; i < spatial; ++i) {
    kernel.push_back({1 + random.below(4)});
    terms *= double(kernel.back().size);
    strides.push_back(1 + random.below(3));
    lhsDilation.push_back(random.oneIn(4) ? 2 : 1);
    rhsDilation.push_back(random.oneIn(4) ? 2 : 1);
    for (int side = 0; side < 2; ++side)
      padding.push_back(random.oneIn(8) ? -1 : random.below(3));
  }
  kernel.push_back({features / groups});
  kernel.push_back({groups * (1 + random.below(groups > 4 ? 2 : 8)) *
                    (options.wideWeights ? 8 : 1)});
  Grown w = factor(x->element(), kernel);
  ShapeOrError rule =
      convolutionShape(sizesOf(x->shape), sizesOf(kernel), strides, padding,
                       lhsDilation, rhsDilation, groups);
  GrownShape shape = {x->shape[0]};
  for (int64_t i = 0; i < spatial; ++i)
    shape.push_back(derived(rule.shape[i + 1], x->shape[i + 1].symbol != 0));
  shape.push_back(kernel.back());
  if (!rule.ok() || Grown{nullptr, shape}.count() > maxElements)
    return false;
  add(make<ConvolutionOp>(type(shape, x->element()), x->value, w.value, strides,
                          padding, lhsDilation, rhsDilation, groups),
      shape, x->bound * terms, false);
  return true;
}

} // namespace tenon
