// Reductions: elements are combined in the operand's row-major order, floats in
// double precision.
#include "compiler/oracle/ErrorBounds.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace tenon {

static void fillIdentity(ReduceKind kind, HostTensor &result) {
  llvm::fill(result.floats, floatIdentity(kind));
  if (!result.isFloat())
    llvm::fill(result.ints, intIdentity(kind, result.element));
}

static void combineInto(ReduceKind kind, HostTensor &to, int64_t i,
                        const HostTensor &from, int64_t j) {
  if (to.isFloat())
    to.floats[i] = combine(kind, to.floats[i], from.floats[j]);
  else
    to.ints[i] = combine(kind, to.element, to.ints[i], from.ints[j]);
}

namespace {
/// The error bounds of a tensor of reductions; empty if `result` has no errors.
struct FoldBounds {
  std::vector<FoldBound> folds;

  FoldBounds(ReduceKind kind, const HostTensor &result)
      : folds(result.errors.size(), FoldBound(kind)) {}
  void add(int64_t i, const HostTensor &from, int64_t j) {
    if (!folds.empty())
      folds[i].add(from.floats[j], from.errorAt(j));
  }
  void store(HostTensor &result) const {
    for (auto [i, fold] : llvm::enumerate(folds))
      result.errors[i] = fold.of(result.floats[i], result.element);
  }
};
} // namespace

static SmallVector<int64_t> without(Indices list, Indices dims) {
  SmallVector<int64_t> kept;
  for (auto [i, entry] : llvm::enumerate(list))
    if (!llvm::is_contained(dims, int64_t(i)))
      kept.push_back(entry);
  return kept;
}

/// For each dimension of the operand the step in the result; zero along `dims`.
static SmallVector<int64_t> reducedStrides(Indices shape, Indices dims) {
  SmallVector<int64_t> kept = rowMajorStrides(without(shape, dims));
  SmallVector<int64_t> steps;
  size_t next = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    steps.push_back(llvm::is_contained(dims, int64_t(i)) ? 0 : kept[next++]);
  return steps;
}

static llvm::Expected<HostTensors> reduce(ReduceOp op, const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  auto result = at.allocate(at.resultElement(), without(x.shape, op.getDims()));
  if (!result)
    return result.takeError();
  fillIdentity(op.getKind(), *result);
  SmallVector<int64_t> steps = reducedStrides(x.shape, op.getDims());
  FoldBounds bounds(op.getKind(), *result);
  forEachIndex(x.shape, [&](Indices index, int64_t i) {
    int64_t to = linearIndex(index, steps);
    combineInto(op.getKind(), *result, to, x, i);
    bounds.add(to, x, i);
  });
  bounds.store(*result);
  return HostTensors{std::move(*result)};
}

/// True if element j is preferred to element i: NaN to numbers, then the
/// greater (or the lesser).
static bool preferred(bool greatest, const HostTensor &x, int64_t j,
                      int64_t i) {
  if (!x.isFloat())
    return greatest ? lessInt(x.element, x.ints[i], x.ints[j])
                    : lessInt(x.element, x.ints[j], x.ints[i]);
  double b = x.floats[j], a = x.floats[i];
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(b) && !std::isnan(a);
  return greatest ? b > a : b < a;
}

static llvm::Expected<HostTensors> argReduce(ArgReduceOp op,
                                             const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  int64_t dim = op.getDim(), step = rowMajorStrides(x.shape)[dim];
  bool greatest = op.getKind() == ReduceKind::Maximum;
  auto result = at.allocate(at.resultElement(), without(x.shape, {dim}));
  if (!result)
    return result.takeError();
  SmallVector<int64_t> strides = without(rowMajorStrides(x.shape), {dim});
  forEachIndex(result->shape, [&](Indices index, int64_t i) {
    int64_t first = linearIndex(index, strides), best = 0;
    for (int64_t k = 1; k < x.shape[dim]; ++k) {
      int64_t candidate = first + k * step, leader = first + best * step;
      if (op.getLast() ? !preferred(greatest, x, leader, candidate)
                       : preferred(greatest, x, candidate, leader))
        best = k;
    }
    result->ints[i] = wrapToElement(result->element, best);
  });
  return HostTensors{std::move(*result)};
}

static llvm::Expected<HostTensors> cumulative(CumulativeOp op,
                                              const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  int64_t dim = op.getDim(), extent = x.shape[dim];
  SmallVector<int64_t> strides = rowMajorStrides(x.shape);
  auto result = at.allocate(x.element, x.shape);
  if (!result)
    return result.takeError();
  SmallVector<int64_t> lines(x.shape);
  lines[dim] = std::min<int64_t>(extent, 1);
  forEachIndex(lines, [&](Indices index, int64_t) {
    int64_t first = linearIndex(index, strides);
    HostTensor sum = at.copyOf(HostTensor::zeros(x.element, {}));
    fillIdentity(op.getKind(), sum);
    FoldBounds bounds(op.getKind(), sum);
    for (int64_t k = 0; k < extent; ++k) {
      int64_t place =
          first + (op.getReverse() ? extent - 1 - k : k) * strides[dim];
      if (op.getExclusive())
        copyElement(*result, place, sum, 0);
      combineInto(op.getKind(), sum, 0, x, place);
      bounds.add(0, x, place);
      bounds.store(sum);
      if (!op.getExclusive())
        copyElement(*result, place, sum, 0);
    }
  });
  return HostTensors{std::move(*result)};
}

/// The result's extents of a window op.
template <typename Op>
static SmallVector<int64_t> windowPlaces(Op op, Indices shape) {
  SmallVector<int64_t> places;
  for (auto [d, extent] : llvm::enumerate(shape)) {
    int64_t padded =
        extent + op.getPadding()[2 * d] + op.getPadding()[2 * d + 1];
    int64_t span = (op.getWindow()[d] - 1) * op.getDilations()[d] + 1;
    places.push_back(padded < span ? 0
                                   : (padded - span) / op.getStrides()[d] + 1);
  }
  return places;
}

/// Calls `body(result element, operand element)` with linear indices, for every
/// element of every window that is not padding.
template <typename Op, typename F>
static void forEachWindowElement(Op op, const HostTensor &x, Indices places,
                                 F body) {
  SmallVector<int64_t> strides = rowMajorStrides(x.shape);
  forEachIndex(places, [&](Indices index, int64_t i) {
    forEachIndex(op.getWindow(), [&](Indices tap, int64_t) {
      int64_t from = 0;
      for (size_t d = 0; d < x.shape.size(); ++d) {
        int64_t place = index[d] * op.getStrides()[d] +
                        tap[d] * op.getDilations()[d] - op.getPadding()[2 * d];
        if (place < 0 || place >= x.shape[d])
          return;
        from += place * strides[d];
      }
      body(i, from);
    });
  });
}

static llvm::Expected<HostTensors> reduceWindow(ReduceWindowOp op,
                                                const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  auto result = at.allocate(x.element, windowPlaces(op, x.shape));
  if (!result)
    return result.takeError();
  fillIdentity(op.getKind(), *result);
  FoldBounds bounds(op.getKind(), *result);
  forEachWindowElement(op, x, result->shape, [&](int64_t i, int64_t from) {
    combineInto(op.getKind(), *result, i, x, from);
    bounds.add(i, x, from);
  });
  bounds.store(*result);
  return HostTensors{std::move(*result)};
}

static llvm::Expected<HostTensors> argReduceWindow(ArgReduceWindowOp op,
                                                   const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  bool greatest = op.getKind() == ReduceKind::Maximum;
  auto result = at.allocate(at.resultElement(), windowPlaces(op, x.shape));
  if (!result)
    return result.takeError();
  std::vector<int64_t> best(result->count(), -1);
  forEachWindowElement(op, x, result->shape, [&](int64_t i, int64_t from) {
    if (best[i] < 0 || preferred(greatest, x, from, best[i]))
      best[i] = from;
  });
  for (auto [to, from] : llvm::zip_equal(result->ints, best))
    to = wrapToElement(result->element, std::max<int64_t>(from, 0));
  return HostTensors{std::move(*result)};
}

llvm::Expected<HostTensors> evaluateReduction(const OpInstance &at) {
  return llvm::TypeSwitch<Operation *, llvm::Expected<HostTensors>>(at.op)
      .Case([&](ReduceOp op) { return reduce(op, at); })
      .Case([&](ArgReduceOp op) { return argReduce(op, at); })
      .Case([&](CumulativeOp op) { return cumulative(op, at); })
      .Case([&](ReduceWindowOp op) { return reduceWindow(op, at); })
      .Case([&](ArgReduceWindowOp op) { return argReduceWindow(op, at); })
      .Default([&](Operation *) {
        return at.error("the oracle does not know this op");
      });
}

} // namespace tenon
