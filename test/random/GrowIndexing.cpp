// Indexing steps with indices inside and outside the operand, sorts, ops with
// data-dependent sizes, and composites.
#include "test/random/GraphGrower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tenon {

static bool filled(const Grown &x) {
  return x.rank() > 0 &&
         llvm::all_of(x.shape, [](GrownDim dim) { return dim.size > 0; });
}

bool GraphGrower::gather() {
  auto x = pick(filled);
  if (!x)
    return false;
  // One or two dimensions are indexed; the leading dimension may be a batch.
  int64_t batching = x->rank() > 1 && random.oneIn(4) ? 1 : 0;
  int64_t at = batching + random.below(x->rank() - batching);
  GrownShape indexShape, resultBatch;
  for (int64_t i = 0; i < batching; ++i)
    indexShape.push_back(x->shape[i]);
  for (int64_t i = 0, n = random.below(3); i < n; ++i)
    indexShape.push_back({1 + random.below(5)});
  resultBatch = indexShape;
  bool explicitVector = random.oneIn(2);
  int64_t vectorDim =
      explicitVector ? batching + random.below(indexShape.size() + 1 - batching)
                     : int64_t(indexShape.size());
  if (explicitVector)
    indexShape.insert(indexShape.begin() + vectorDim, GrownDim{1});
  Grown indices =
      fresh(random.oneIn(3) ? builder.getI32Type() : builder.getI64Type(),
            indexShape, -2, double(x->shape[at].size + 1));
  if (indices.shape != indexShape)
    return false;
  bool collapses = random.oneIn(2);
  llvm::SmallVector<int64_t> slices, collapsed, operandBatch, offsets;
  GrownShape window;
  for (int64_t d = 0; d < x->rank(); ++d) {
    GrownDim dim = x->shape[d];
    if (d < batching) {
      operandBatch.push_back(d);
      slices.push_back(1);
    } else if (d == at && collapses) {
      collapsed.push_back(d);
      slices.push_back(1);
    } else if (d == at && !dim.symbol) {
      slices.push_back(1 + random.below(std::min<int64_t>(dim.size, 4)));
      window.push_back({slices.back()});
    } else if (d == at) {
      slices.push_back(1);
      window.push_back({1});
    } else {
      slices.push_back(dim.symbol ? -1 : dim.size);
      window.push_back(dim);
    }
  }
  // The dimensions of the window come last or first.
  bool windowFirst = random.oneIn(3);
  GrownShape shape = windowFirst ? window : resultBatch;
  for (size_t i = 0; i < window.size(); ++i)
    offsets.push_back(windowFirst ? i : resultBatch.size() + i);
  shape.append(windowFirst ? resultBatch : window);
  if (Grown{nullptr, shape}.count() > maxElements)
    return false;
  add(make<GatherOp>(type(shape, x->element()), x->value, indices.value,
                     offsets, collapsed, operandBatch, operandBatch,
                     ArrayRef<int64_t>{at}, vectorDim, slices),
      shape, x->bound, x->exact);
  return true;
}

bool GraphGrower::scatter() {
  auto x = pick([](const Grown &x) {
    return filled(x) && (!x.isFloat() || x.bound <= 1e3);
  });
  std::optional<Grown> result = x ? scattered(*x) : std::nullopt;
  if (result)
    pool.push_back(*result);
  return result.has_value();
}

std::optional<Grown> GraphGrower::scattered(const Grown &x) {
  int64_t at = randomDim(x);
  int64_t number = 1 + random.below(6);
  Grown indices = fresh(builder.getI64Type(), {{number}, {1}}, -2,
                        double(x.shape[at].size + 1));
  GrownShape updateShape = {{number}};
  llvm::SmallVector<int64_t> windowDims;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (d != at) {
      windowDims.push_back(updateShape.size());
      updateShape.push_back(x.shape[d]);
    }
  Grown updates = fresh(x.element(), updateShape);
  if (updates.shape != updateShape)
    return std::nullopt;
  auto kind = ScatterKind(random.below(5));
  double bound = std::max(x.bound, updates.bound);
  bool exact = x.exact && updates.exact;
  if (x.isFloat() && kind == ScatterKind::Multiply)
    kind = ScatterKind::Set;
  if (x.isFloat() && kind == ScatterKind::Add) {
    bound = x.bound + updates.bound * double(number);
    exact = false;
  }
  if (x.isBool())
    kind = ScatterKind::Set;
  Value result = make<ScatterOp>(x.value.getType(), kind, x.value,
                                 indices.value, updates.value, windowDims,
                                 ArrayRef<int64_t>{at}, ArrayRef<int64_t>{},
                                 ArrayRef<int64_t>{}, ArrayRef<int64_t>{at}, 1);
  return Grown{result, x.shape, bound, exact};
}

bool GraphGrower::updateSlice() {
  auto x = pick(filled);
  std::optional<Grown> result = x ? updatedSlice(*x) : std::nullopt;
  if (result)
    pool.push_back(*result);
  return result.has_value();
}

std::optional<Grown> GraphGrower::updatedSlice(const Grown &x) {
  GrownShape shape = x.shape;
  llvm::SmallVector<int64_t> offsets;
  for (GrownDim &dim : shape) {
    // The extents of a context say nothing about those of an update.
    if (options.states)
      dim.symbol = 0;
    if (dim.symbol == 0)
      dim.size = 1 + random.below(dim.size);
    offsets.push_back(random.below(dim.size + 3) - 1);
  }
  Grown part = fresh(x.element(), shape);
  if (part.shape != shape)
    return std::nullopt;
  Value result = make<DynamicUpdateSliceOp>(x.value.getType(), x.value,
                                            part.value, ValueRange(), offsets);
  return Grown{result, x.shape, std::max(x.bound, part.bound), x.exact};
}

bool GraphGrower::order() {
  auto x = pick([](const Grown &x) {
    return x.rank() > 0 && !x.isBool() && x.count() <= 2048;
  });
  if (!x)
    return false;
  if (random.oneIn(2))
    return topK(*x);
  bool descending = random.oneIn(2);
  auto sort =
      SortOp::create(builder, location(), x->value, randomDim(*x), descending);
  add(sort.getResult(), x->shape, x->bound, x->exact);
  // Positions are exact only if rounding cannot change the order.
  if (x->exact)
    add(sort.getPositions(), x->shape, unbounded, true);
  return true;
}

bool GraphGrower::topK(const Grown &x) {
  int64_t dim = randomDim(x);
  GrownShape shape = x.shape;
  Value k;
  if (auto number =
          options.dynamic ? numberUpTo(shape[dim].size) : std::nullopt) {
    k = number->value;
    shape[dim] = derived(number->size, true);
  } else {
    // Only the whole of a dynamic extent surely exists.
    if (shape[dim].symbol == 0)
      shape[dim].size = random.below(shape[dim].size + 1);
    k = getValueOrCreateConstantIndexOp(
        builder, location(),
        shape[dim].symbol == 0 ? builder.getIndexAttr(shape[dim].size)
                               : sizes(x)[dim]);
  }
  auto top = TopKOp::create(builder, location(), type(shape, x.element()),
                            type(shape, builder.getI64Type()), x.value, k,
                            uint64_t(dim), random.oneIn(2));
  add(top.getResult(), shape, x.bound, x.exact);
  // Positions are exact only if rounding cannot change the order.
  if (x.exact)
    add(top.getPositions(), shape, unbounded, true);
  return true;
}

bool GraphGrower::nonzero() {
  if (!options.dataDependent || depth > 0)
    return false;
  auto x = pick([](const Grown &x) { return x.exact && x.rank() > 0; });
  if (!x)
    return false;
  // The count is the sum of the flags; the number of elements bounds it.
  Value flags = make<CompareOp>(CompareDirection::NE, x->value, splat(*x, 0));
  Value ones = make<ConvertOp>(flags, TypeAttr::get(builder.getI64Type()));
  llvm::SmallVector<int64_t> all;
  for (int64_t d = 0; d < x->rank(); ++d)
    all.push_back(d);
  Value total = make<ReduceOp>(ReduceKind::Add, ones, all);
  Value scalar = make<tensor::ExtractOp>(total, ValueRange());
  Value count = make<arith::IndexCastOp>(builder.getIndexType(), scalar);
  Value most = make<arith::ConstantIndexOp>(1);
  for (OpFoldResult size : sizes(*x))
    most = make<arith::MulIOp>(
        most, getValueOrCreateConstantIndexOp(builder, location(), size));
  count = make<BoundOp>(builder.getIndexType(), count, most);
  auto result = RankedTensorType::get({ShapedType::kDynamic, x->rank()},
                                      builder.getI64Type());
  // The number of rows is unknown here, so the value can only become an output.
  GrownShape shape = {{0, ++lastSymbol}, {x->rank()}};
  add(make<NonzeroOp>(result, x->value, count), shape, unbounded, true);
  pool.back().closed = true;
  return true;
}

bool GraphGrower::composite() {
  auto x = pick([](const Grown &x) {
    return x.isFloat() && x.bound <= 1e4 && x.rank() > 0;
  });
  if (!x)
    return false;
  auto emit = [&](Value value, double bound) {
    add(value, x->shape, bound, false);
    return true;
  };
  switch (random.below(5)) {
  case 0:
    x = scaledTo(*x, 8);
    return emit(make<SoftmaxOp>(x->value, randomDim(*x)), 1);
  case 1: {
    x = scaledTo(*x, 8);
    int64_t dim = randomDim(*x);
    return emit(make<LogSoftmaxOp>(x->value, dim),
                2 * x->bound + std::log(double(x->shape[dim].size + 1)));
  }
  case 2:
    x = scaledTo(*x, 8);
    return emit(make<GeluOp>(x->value, random.oneIn(2)), x->bound);
  case 3: {
    x = scaledTo(*x, 8);
    int64_t axis = randomDim(*x);
    GrownShape row(x->shape.begin() + axis, x->shape.end());
    Grown scale = fresh(x->element(), row), bias = fresh(x->element(), row);
    if (scale.shape != row || bias.shape != row)
      return false;
    int64_t terms = Grown{nullptr, row}.count();
    // The variance of an empty or constant row is zero, so epsilon must be
    // large.
    return emit(make<LayerNormOp>(x->value.getType(), x->value, scale.value,
                                  bias.value, builder.getI64IntegerAttr(axis),
                                  builder.getF64FloatAttr(0.125)),
                2 * std::sqrt(double(terms + 1)) + 2);
  }
  default: {
    x = scaledTo(*x, 8);
    int64_t dim = randomDim(*x);
    GrownShape channel = {x->shape[dim]};
    Grown vectors[4];
    for (int i = 0; i < 4; ++i) {
      vectors[i] = fresh(x->element(), channel, i == 3 ? 0.25 : -1, 1);
      if (vectors[i].shape != channel)
        return false;
    }
    return emit(make<BatchNormOp>(x->value.getType(), x->value,
                                  vectors[0].value, vectors[1].value,
                                  vectors[2].value, vectors[3].value,
                                  builder.getI64IntegerAttr(dim),
                                  builder.getF64FloatAttr(1.0e-3)),
                2 * (x->bound + 1) + 1);
  }
  }
}

} // namespace tenon
