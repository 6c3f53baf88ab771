// Gather and scatter as the StableHLO specification defines them, sorts, and
// ops whose result size depends on element values.
#include "compiler/oracle/ErrorBounds.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace tenon {

namespace {
/// Reads index vectors from `indices`: the vectors lie along `vectorDim`, the
/// batch index selects one of them.
struct IndexVectors {
  const HostTensor &indices;
  int64_t vectorDim;
  SmallVector<int64_t> strides = rowMajorStrides(indices.shape);
  bool implicit = vectorDim == int64_t(indices.shape.size());

  int64_t length() const { return implicit ? 1 : indices.shape[vectorDim]; }
  /// The extents of `indices` without `vectorDim`.
  SmallVector<int64_t> batchShape() const {
    SmallVector<int64_t> shape(indices.shape);
    if (!implicit)
      shape.erase(shape.begin() + vectorDim);
    return shape;
  }
  /// Entry k of the vector at `batch` as a signed number; an unsigned index
  /// that does not fit becomes the largest int64.
  int64_t entry(Indices batch, int64_t k) const {
    int64_t at = 0;
    for (size_t d = 0, next = 0; d < indices.shape.size(); ++d)
      at += (int64_t(d) == vectorDim ? k : batch[next++]) * strides[d];
    int64_t value = indices.ints[at];
    bool wraps = isUnsignedElement(indices.element) && value < 0;
    return wraps ? std::numeric_limits<int64_t>::max() : value;
  }
  /// The part of a batch index that belongs to dimension `dim` of `indices`.
  int64_t batchEntry(Indices batch, int64_t dim) const {
    return batch[dim > vectorDim ? dim - 1 : dim];
  }
};
} // namespace

/// The entries of `index` at the dimensions in `dims` if `inside`, otherwise at
/// the other dimensions.
static SmallVector<int64_t> entries(Indices index, Indices dims, bool inside) {
  SmallVector<int64_t> picked;
  for (auto [d, entry] : llvm::enumerate(index))
    if (llvm::is_contained(dims, int64_t(d)) == inside)
      picked.push_back(entry);
  return picked;
}

static llvm::Error checkBatching(const OpInstance &at, const HostTensor &x,
                                 const IndexVectors &vectors, Indices operand,
                                 Indices indices, size_t mapped) {
  if (vectors.length() != int64_t(mapped))
    return at.error("expected index vectors of length " + Twine(mapped) +
                    ", got " + Twine(vectors.length()));
  for (auto [o, i] : llvm::zip_equal(operand, indices))
    if (x.shape[o] != vectors.indices.shape[i])
      return at.error("expected batching extents to agree, got " +
                      shapeText(x.shape) + " and " +
                      shapeText(vectors.indices.shape));
  return llvm::Error::success();
}

static llvm::Expected<HostTensors> gather(GatherOp op, const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  IndexVectors vectors{*at.in[1], int64_t(op.getIndexVectorDim())};
  if (llvm::Error error = checkBatching(
          at, x, vectors, op.getOperandBatchingDims(),
          op.getIndicesBatchingDims(), op.getStartIndexMap().size()))
    return std::move(error);
  size_t rank = x.shape.size();
  SmallVector<int64_t> sizes(op.getSliceSizes()), window;
  auto dropped = [&](int64_t d) {
    return llvm::is_contained(op.getCollapsedDims(), d) ||
           llvm::is_contained(op.getOperandBatchingDims(), d);
  };
  bool noSlices = false;
  for (auto [d, extent] : llvm::enumerate(at.in[1]->shape))
    noSlices |= extent == 0 && int64_t(d) != int64_t(op.getIndexVectorDim());
  for (size_t d = 0; d < rank; ++d) {
    if (sizes[d] == -1)
      sizes[d] = x.shape[d];
    bool fits = sizes[d] <= x.shape[d] || noSlices;
    if (sizes[d] < 0 || !fits || (dropped(d) && sizes[d] != 1))
      return at.error("expected slice sizes within the extents " +
                      shapeText(x.shape) + ", got " + shapeText(sizes));
    if (!dropped(d))
      window.push_back(sizes[d]);
  }
  SmallVector<int64_t> batch = vectors.batchShape(), shape;
  size_t nextBatch = 0, nextWindow = 0;
  for (size_t d = 0; d < batch.size() + window.size(); ++d)
    shape.push_back(llvm::is_contained(op.getOffsetDims(), int64_t(d))
                        ? window[nextWindow++]
                        : batch[nextBatch++]);
  auto result = at.allocate(x.element, shape);
  if (!result)
    return result.takeError();

  SmallVector<int64_t> strides = rowMajorStrides(x.shape);
  forEachIndex(shape, [&](Indices index, int64_t i) {
    SmallVector<int64_t> place = entries(index, op.getOffsetDims(), false);
    SmallVector<int64_t> offset = entries(index, op.getOffsetDims(), true);
    SmallVector<int64_t> from(rank, 0);
    for (auto [k, dim] : llvm::enumerate(op.getStartIndexMap()))
      from[dim] = std::clamp<int64_t>(vectors.entry(place, k), 0,
                                      x.shape[dim] - sizes[dim]);
    for (auto [o, b] : llvm::zip_equal(op.getOperandBatchingDims(),
                                       op.getIndicesBatchingDims()))
      from[o] = vectors.batchEntry(place, b);
    for (size_t d = 0, next = 0; d < rank; ++d)
      if (!dropped(d))
        from[d] += offset[next++];
    copyElement(*result, i, x, linearIndex(from, strides));
  });
  return HostTensors{std::move(*result)};
}

static ReduceKind combination(ScatterKind kind) {
  static constexpr ReduceKind kinds[] = {
      ReduceKind::Add, ReduceKind::Add, ReduceKind::Multiply,
      ReduceKind::Maximum, ReduceKind::Minimum};
  return kinds[int(kind)];
}

static void update(ScatterKind kind, HostTensor &to, int64_t i,
                   const HostTensor &from, int64_t j) {
  ReduceKind combined = combination(kind);
  if (kind == ScatterKind::Set)
    copyElement(to, i, from, j);
  else if (to.isFloat())
    to.floats[i] = combine(combined, to.floats[i], from.floats[j]);
  else
    to.ints[i] = combine(combined, to.element, to.ints[i], from.ints[j]);
}

/// One error bound for each element of the result, which updates are combined
/// into. Empty if no errors are computed, or if updates replace the element.
static std::vector<FoldBound> boundsOfElements(ScatterKind kind,
                                               const HostTensor &x) {
  if (kind == ScatterKind::Set)
    return {};
  std::vector<FoldBound> bounds(x.errors.size(), FoldBound(combination(kind)));
  for (auto [i, bound] : llvm::enumerate(bounds))
    bound.add(x.floats[i], x.errors[i]);
  return bounds;
}

static llvm::Expected<HostTensors> scatter(ScatterOp op, const OpInstance &at) {
  const HostTensor &x = *at.in[0], &updates = *at.in[2];
  IndexVectors vectors{*at.in[1], int64_t(op.getIndexVectorDim())};
  if (llvm::Error error =
          checkBatching(at, x, vectors, op.getOperandBatchingDims(),
                        op.getIndicesBatchingDims(), op.getIndexMap().size()))
    return std::move(error);
  if (entries(updates.shape, op.getUpdateWindowDims(), false) !=
      vectors.batchShape())
    return at.error("expected the updates' batch extents to be the indices', "
                    "got " +
                    shapeText(updates.shape) + " and " +
                    shapeText(vectors.indices.shape));
  HostTensor result = at.copyOf(x);
  std::vector<FoldBound> bounds = boundsOfElements(op.getKind(), result);
  SmallVector<int64_t> strides = rowMajorStrides(x.shape);
  auto dropped = [&](int64_t d) {
    return llvm::is_contained(op.getInsertedDims(), d) ||
           llvm::is_contained(op.getOperandBatchingDims(), d);
  };
  forEachIndex(updates.shape, [&](Indices index, int64_t i) {
    SmallVector<int64_t> batch =
        entries(index, op.getUpdateWindowDims(), false);
    SmallVector<int64_t> window =
        entries(index, op.getUpdateWindowDims(), true);
    SmallVector<int64_t> to(x.shape.size(), 0);
    for (auto [k, dim] : llvm::enumerate(op.getIndexMap()))
      to[dim] = vectors.entry(batch, k);
    for (auto [o, b] : llvm::zip_equal(op.getOperandBatchingDims(),
                                       op.getIndicesBatchingDims()))
      to[o] = vectors.batchEntry(batch, b);
    for (size_t d = 0, next = 0; d < to.size(); ++d) {
      int64_t offset = dropped(d) ? 0 : window[next++];
      if (to[d] < -offset || to[d] >= x.shape[d] - offset)
        return; // outside the operand: skipped
      to[d] += offset;
    }
    int64_t target = linearIndex(to, strides);
    update(op.getKind(), result, target, updates, i);
    if (!bounds.empty()) {
      bounds[target].add(updates.floats[i], updates.errorAt(i));
      // Updates are applied one after another, each rounded when it is stored.
      result.errors[target] = bounds[target].of(result.floats[target],
                                                result.element, result.element);
    }
  });
  return HostTensors{std::move(result)};
}

static llvm::Expected<HostTensors> dynamicUpdate(DynamicUpdateSliceOp op,
                                                 const OpInstance &at) {
  const HostTensor &x = *at.in[0], &part = *at.in[1];
  SmallVector<int64_t> offsets =
      at.mixed(op.getStaticOffsets(), at.in.drop_front(2));
  for (size_t d = 0; d < offsets.size(); ++d) {
    if (part.shape[d] > x.shape[d])
      return at.error("expected update extents within " + shapeText(x.shape) +
                      ", got " + shapeText(part.shape));
    offsets[d] = std::clamp<int64_t>(offsets[d], 0, x.shape[d] - part.shape[d]);
  }
  HostTensor result = at.copyOf(x);
  SmallVector<int64_t> strides = rowMajorStrides(x.shape);
  int64_t first = linearIndex(offsets, strides);
  forEachIndex(part.shape, [&](Indices index, int64_t i) {
    copyElement(result, first + linearIndex(index, strides), part, i);
  });
  return HostTensors{std::move(result)};
}

/// The order of sort: numbers, then NaN.
static bool below(const HostTensor &x, int64_t i, int64_t j) {
  if (!x.isFloat())
    return lessInt(x.element, x.ints[i], x.ints[j]);
  double a = x.floats[i], b = x.floats[j];
  if (std::isnan(a) || std::isnan(b))
    return !std::isnan(a) && std::isnan(b);
  return a < b;
}

/// The first `count` elements of each line along `dim` in order, and their
/// positions.
static llvm::Expected<HostTensors> firstInOrder(const OpInstance &at,
                                                int64_t dim, int64_t count,
                                                bool descending) {
  const HostTensor &x = *at.in[0];
  int64_t extent = x.shape[dim];
  SmallVector<int64_t> shape(x.shape), lines(x.shape);
  shape[dim] = count;
  auto sorted = at.allocate(x.element, shape);
  if (!sorted)
    return sorted.takeError();
  HostTensor positions = HostTensor::zeros(at.resultElement(1), shape);
  // Return early: the sorted extent may be 2^62 even if there are no rows to
  // sort.
  if (sorted->count() == 0)
    return HostTensors{std::move(*sorted), std::move(positions)};
  SmallVector<int64_t> from = rowMajorStrides(x.shape),
                       to = rowMajorStrides(shape);
  int64_t step = from[dim]; // of both: later extents are equal
  lines[dim] = 1;
  std::vector<int64_t> order(extent);
  forEachIndex(lines, [&](Indices index, int64_t) {
    int64_t read = linearIndex(index, from), written = linearIndex(index, to);
    double worst = 0;
    std::iota(order.begin(), order.end(), 0);
    llvm::stable_sort(order, [&](int64_t a, int64_t b) {
      if (descending)
        std::swap(a, b);
      return below(x, read + a * step, read + b * step);
    });
    for (int64_t k = 0; k < count; ++k) {
      copyElement(*sorted, written + k * step, x, read + order[k] * step);
      positions.ints[written + k * step] = order[k];
    }
    // If errors let close elements exchange places, no element moves further
    // than the largest error.
    for (int64_t k = 0; k < extent; ++k)
      worst = std::max(worst, x.errorAt(read + k * step));
    for (int64_t k = 0; k < count && !sorted->errors.empty(); ++k)
      sorted->errors[written + k * step] = worst;
  });
  return HostTensors{std::move(*sorted), std::move(positions)};
}

static llvm::Expected<HostTensors> sort(SortOp op, const OpInstance &at) {
  int64_t dim = op.getDim();
  return firstInOrder(at, dim, at.in[0]->shape[dim], op.getDescending());
}

static llvm::Expected<HostTensors> topK(TopKOp op, const OpInstance &at) {
  int64_t dim = op.getDim(), k = at.in[1]->ints[0],
          extent = at.in[0]->shape[dim];
  if (k < 0 || k > extent)
    return at.error("expected k within [0, " + Twine(extent) + "], got " +
                    Twine(k));
  return firstInOrder(at, dim, k, !op.getAscending());
}

static llvm::Expected<HostTensors> nonzero(NonzeroOp op, const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  HostTensor result{at.resultElement(), {}, {}, {}};
  int64_t count = 0;
  forEachIndex(x.shape, [&](Indices index, int64_t i) {
    if (x.isFloat() ? x.floats[i] == 0 : x.ints[i] == 0)
      return;
    ++count;
    llvm::append_range(result.ints, index);
  });
  if (count != at.in[1]->ints[0])
    return at.error("expected the count to be " + Twine(count) + ", got " +
                    Twine(at.in[1]->ints[0]));
  result.shape = {count, int64_t(x.shape.size())};
  return HostTensors{std::move(result)};
}

namespace {
/// A box given by its corners, y1 <= y2 and x1 <= x2.
struct Box {
  double y1, x1, y2, x2;
  double area() const { return (y2 - y1) * (x2 - x1); }
};
} // namespace

static Box readBox(const HostTensor &boxes, int64_t at, bool center) {
  const double *v = boxes.floats.data() + at;
  if (center)
    return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
  return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]),
          std::max(v[1], v[3])};
}

/// True if the common area is more than `allowed` of the union. Boxes without a
/// common area never overlap, even if `allowed` is negative.
static bool overlap(const Box &a, const Box &b, double allowed) {
  double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (height <= 0 || width <= 0 || a.area() <= 0 || b.area() <= 0)
    return false;
  double shared = height * width;
  return shared / (a.area() + b.area() - shared) > allowed;
}

static llvm::Expected<HostTensors> suppress(NonMaxSuppressionOp op,
                                            const OpInstance &at) {
  const HostTensor &boxes = *at.in[0], &scores = *at.in[1];
  if (boxes.shape[0] != scores.shape[0] || boxes.shape[1] != scores.shape[2] ||
      boxes.shape[2] != 4 || at.in[3]->count() != 1 || at.in[4]->count() != 1)
    return at.error("expected boxes [batch, boxes, 4] and scores [batch, "
                    "classes, boxes], got " +
                    shapeText(boxes.shape) + " and " + shapeText(scores.shape));
  int64_t classes = scores.shape[1], number = boxes.shape[1];
  int64_t limit = std::clamp<int64_t>(at.in[2]->ints[0], 0, number);
  double allowed = at.in[3]->floats[0], least = at.in[4]->floats[0];
  auto selected =
      at.allocate(at.resultElement(), {boxes.shape[0] * classes * limit, 3});
  if (!selected)
    return selected.takeError();
  int64_t row = 0;
  for (int64_t batch = 0; batch < boxes.shape[0]; ++batch)
    for (int64_t c = 0; c < classes; ++c) {
      const double *score =
          scores.floats.data() + (batch * classes + c) * number;
      SmallVector<int64_t> order, taken;
      for (int64_t i = 0; i < number; ++i)
        if (score[i] > least)
          order.push_back(i);
      llvm::stable_sort(
          order, [&](int64_t a, int64_t b) { return score[a] > score[b]; });
      auto box = [&](int64_t i) {
        return readBox(boxes, (batch * number + i) * 4, op.getCenter());
      };
      for (int64_t i : order) {
        if (int64_t(taken.size()) >= limit)
          break;
        if (llvm::any_of(taken, [&](int64_t other) {
              return overlap(box(i), box(other), allowed);
            }))
          continue;
        taken.push_back(i);
        selected->ints[row * 3] = batch;
        selected->ints[row * 3 + 1] = c;
        selected->ints[row * 3 + 2] = i;
        ++row;
      }
    }
  HostTensor count = HostTensor::scalar(at.resultElement(1), row);
  auto type = cast<RankedTensorType>(op.getCount().getType());
  count.shape.assign(type.getRank(), 1);
  return HostTensors{std::move(*selected), std::move(count)};
}

llvm::Expected<HostTensors> evaluateIndexing(const OpInstance &at) {
  return llvm::TypeSwitch<Operation *, llvm::Expected<HostTensors>>(at.op)
      .Case([&](GatherOp op) { return gather(op, at); })
      .Case([&](ScatterOp op) { return scatter(op, at); })
      .Case([&](DynamicUpdateSliceOp op) { return dynamicUpdate(op, at); })
      .Case([&](SortOp op) { return sort(op, at); })
      .Case([&](TopKOp op) { return topK(op, at); })
      .Case([&](NonzeroOp op) { return nonzero(op, at); })
      .Case([&](NonMaxSuppressionOp op) { return suppress(op, at); })
      .Default([&](Operation *) {
        return at.error("the oracle does not know this op");
      });
}

} // namespace tenon
