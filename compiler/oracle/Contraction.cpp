// dot_general and convolution computed as the sums that define them, one result
// element at a time.
#include "compiler/oracle/ErrorBounds.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tenon {

namespace {
/// One factor of a product, and the bound on its error.
struct Factor {
  double value, error;
};

/// A running sum of products. Floats are summed in double, each product added
/// unrounded; products of f64 could overflow otherwise. Integers are summed
/// modulo the result's width.
struct ProductSum {
  const HostTensor &lhs, &rhs;
  Products products;
  const OracleOptions &options;
  double floatSum = 0;
  uint64_t intSum = 0;
  FoldBound bound{ReduceKind::Add};

  double asDouble(const HostTensor &t, int64_t i) const {
    if (t.isFloat())
      return t.floats[i];
    return isUnsignedElement(t.element) ? double(uint64_t(t.ints[i]))
                                        : double(t.ints[i]);
  }
  /// The operand as `products pairs` reads it: rounded to bf16, denormals as
  /// zeros.
  static double asBfloat(const HostTensor &t, double x) {
    x = roundToElement(BFloat16Type::get(t.element.getContext()), x);
    return std::fabs(x) < leastNormal ? std::copysign(0.0, x) : x;
  }
  bool mayBePairs() const {
    auto isComputedInF32 = [](Type type) {
      return type.isF32() || type.isF16();
    };
    return products == Products::Pairs ||
           (options.bf16Products && isComputedInF32(lhs.element) &&
            isComputedInF32(rhs.element));
  }
  Factor factor(const HostTensor &t, int64_t i) const {
    double x = t.floats[i], error = t.errorAt(i);
    double exact = products == Products::Pairs ? asBfloat(t, x) : x;
    if (options.bounds && mayBePairs())
      error = std::max({error, difference(asBfloat(t, x - error), exact),
                        difference(asBfloat(t, x + error), exact)});
    return {exact, error};
  }
  void add(int64_t i, int64_t j) {
    if (lhs.isFloat() && rhs.isFloat()) {
      Factor a = factor(lhs, i), b = factor(rhs, j);
      floatSum = std::fma(a.value, b.value, floatSum);
      if (options.bounds)
        bound.add(a.value * b.value, std::fabs(a.value) * b.error +
                                         std::fabs(b.value) * a.error +
                                         a.error * b.error);
    } else if (lhs.isFloat() || rhs.isFloat())
      floatSum = std::fma(asDouble(lhs, i), asDouble(rhs, j), floatSum);
    else
      intSum += uint64_t(lhs.ints[i]) * uint64_t(rhs.ints[j]);
  }
  void store(HostTensor &result, int64_t at) const {
    bool summedInts = !lhs.isFloat() && !rhs.isFloat();
    if (!result.isFloat())
      result.ints[at] = summedInts ? wrapToElement(result.element, intSum)
                                   : floatToInt(floatSum, result.element);
    else
      result.floats[at] = summedInts ? double(int64_t(intSum)) : floatSum;
    if (result.errors.empty())
      return;
    result.errors[at] = bound.of(result.floats[at], result.element);
    if (mayBePairs())
      result.errors[at] += bound.count() * leastNormal;
  }

  /// The least normal float: `products pairs` turns smaller values into zeros.
  static constexpr double leastNormal = 0x1p-126;
};
} // namespace

static SmallVector<int64_t> pick(Indices from, Indices dims) {
  SmallVector<int64_t> picked;
  for (int64_t dim : dims)
    picked.push_back(from[dim]);
  return picked;
}

static llvm::Expected<HostTensors> dotGeneral(DotGeneralOp op,
                                              const OpInstance &at) {
  const HostTensor &lhs = *at.in[0], &rhs = *at.in[1];
  SmallVector<int64_t> batch = pick(lhs.shape, op.getLhsBatch());
  SmallVector<int64_t> sum = pick(lhs.shape, op.getLhsContract());
  if (batch != pick(rhs.shape, op.getRhsBatch()) ||
      sum != pick(rhs.shape, op.getRhsContract()))
    return at.error("expected batch and contracting extents to agree, got " +
                    shapeText(lhs.shape) + " and " + shapeText(rhs.shape));
  SmallVector<int64_t> lhsFree = op.getLhsFree(), rhsFree = op.getRhsFree();
  SmallVector<int64_t> shape = batch;
  llvm::append_range(shape, pick(lhs.shape, lhsFree));
  llvm::append_range(shape, pick(rhs.shape, rhsFree));
  auto result = at.allocate(at.resultElement(), shape);
  if (!result)
    return result.takeError();

  // Return early: the sum may have 2^62 terms even if the result is empty.
  if (result->count() == 0)
    return HostTensors{std::move(*result)};

  SmallVector<int64_t> lhsStrides = rowMajorStrides(lhs.shape);
  SmallVector<int64_t> rhsStrides = rowMajorStrides(rhs.shape);
  // Offsets in each operand of the terms of a result element, relative to its
  // first term; equal for all result elements.
  SmallVector<int64_t> lhsTerms, rhsTerms;
  SmallVector<int64_t> lhsSum = pick(lhsStrides, op.getLhsContract());
  SmallVector<int64_t> rhsSum = pick(rhsStrides, op.getRhsContract());
  forEachIndex(sum, [&](Indices index, int64_t) {
    lhsTerms.push_back(linearIndex(index, lhsSum));
    rhsTerms.push_back(linearIndex(index, rhsSum));
  });
  SmallVector<int64_t> lhsStep = pick(lhsStrides, op.getLhsBatch());
  llvm::append_range(lhsStep, pick(lhsStrides, lhsFree));
  lhsStep.append(rhsFree.size(), 0);
  SmallVector<int64_t> rhsStep = pick(rhsStrides, op.getRhsBatch());
  rhsStep.append(lhsFree.size(), 0);
  llvm::append_range(rhsStep, pick(rhsStrides, rhsFree));
  forEachIndex(shape, [&](Indices index, int64_t i) {
    int64_t l = linearIndex(index, lhsStep), r = linearIndex(index, rhsStep);
    ProductSum total{lhs, rhs, op.getProducts(), at.options};
    for (auto [lt, rt] : llvm::zip_equal(lhsTerms, rhsTerms))
      total.add(l + lt, r + rt);
    total.store(*result, i);
  });
  return HostTensors{std::move(*result)};
}

/// The number of window positions; never negative.
static int64_t places(int64_t padded, int64_t span, int64_t stride) {
  return padded < span ? 0 : (padded - span) / stride + 1;
}

static llvm::Expected<HostTensors> convolution(ConvolutionOp op,
                                               const OpInstance &at) {
  const HostTensor &x = *at.in[0], &w = *at.in[1];
  size_t spatial = op.getStrides().size();
  int64_t groups = op.getGroups(), features = x.shape.back(),
          outputs = w.shape.back(), perGroup = w.shape[spatial];
  if (features != groups * perGroup || outputs % groups != 0)
    return at.error("expected features to be groups times the kernel's, got " +
                    shapeText(x.shape) + " and " + shapeText(w.shape));
  SmallVector<int64_t> shape = {x.shape[0]};
  for (size_t d = 0; d < spatial; ++d) {
    int64_t size = x.shape[d + 1], window = w.shape[d];
    int64_t dilated = size ? (size - 1) * op.getLhsDilation()[d] + 1 : 0;
    int64_t span = window ? (window - 1) * op.getRhsDilation()[d] + 1 : 0;
    shape.push_back(
        places(dilated + op.getPadding()[2 * d] + op.getPadding()[2 * d + 1],
               span, op.getStrides()[d]));
  }
  shape.push_back(outputs);
  auto result = at.allocate(at.resultElement(), shape);
  if (!result)
    return result.takeError();

  SmallVector<int64_t> xStrides = rowMajorStrides(x.shape);
  SmallVector<int64_t> wStrides = rowMajorStrides(w.shape);
  SmallVector<int64_t> window(ArrayRef(w.shape).take_front(spatial));
  int64_t outputsPerGroup = std::max<int64_t>(outputs / groups, 1);
  forEachIndex(shape, [&](Indices index, int64_t i) {
    int64_t out = index.back(), group = out / outputsPerGroup;
    ProductSum total{x, w, op.getProducts(), at.options};
    forEachIndex(window, [&](Indices tap, int64_t) {
      int64_t from = index[0] * xStrides[0] + group * perGroup, kernel = out;
      for (size_t d = 0; d < spatial; ++d) {
        int64_t place = index[d + 1] * op.getStrides()[d] +
                        tap[d] * op.getRhsDilation()[d] -
                        op.getPadding()[2 * d];
        int64_t step = op.getLhsDilation()[d];
        if (place < 0 || place % step != 0 || place / step >= x.shape[d + 1])
          return;
        from += place / step * xStrides[d + 1];
        kernel += tap[d] * wStrides[d];
      }
      for (int64_t f = 0; f < perGroup; ++f)
        total.add(from + f, kernel + f * outputs);
    });
    total.store(*result, i);
  });
  return HostTensors{std::move(*result)};
}

llvm::Expected<HostTensors> evaluateContraction(const OpInstance &at) {
  if (auto dot = dyn_cast<DotGeneralOp>(at.op))
    return dotGeneral(dot, at);
  return convolution(cast<ConvolutionOp>(at.op), at);
}

} // namespace tenon
