// Composites computed from their mathematical definitions, not from their
// decompositions: a test compares the two.
#include "compiler/oracle/OpInstance.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace tenon {

/// Softmax or log_softmax (`logarithm`) along `dim`.
static void softmaxRows(const HostTensor &x, int64_t dim, bool logarithm,
                        HostTensor &result) {
  SmallVector<int64_t> strides = rowMajorStrides(x.shape), lines(x.shape);
  int64_t extent = x.shape[dim], step = strides[dim];
  lines[dim] = std::min<int64_t>(extent, 1);
  forEachIndex(lines, [&](Indices index, int64_t) {
    int64_t first = linearIndex(index, strides);
    double greatest = floatIdentity(ReduceKind::Maximum), sum = 0;
    for (int64_t k = 0; k < extent; ++k)
      greatest = maximumOf(greatest, x.floats[first + k * step]);
    for (int64_t k = 0; k < extent; ++k)
      sum += std::exp(x.floats[first + k * step] - greatest);
    for (int64_t k = 0; k < extent; ++k) {
      double shifted = x.floats[first + k * step] - greatest;
      result.floats[first + k * step] =
          logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum;
    }
  });
}

static llvm::Error layerNorm(LayerNormOp op, const OpInstance &at,
                             HostTensor &result) {
  const HostTensor &x = *at.in[0], &scale = *at.in[1], &bias = *at.in[2];
  Indices normalized = Indices(x.shape).drop_front(op.getAxis());
  if (Indices(scale.shape) != normalized || Indices(bias.shape) != normalized)
    return at.error("expected scale and bias of extents " +
                    shapeText(normalized) + ", got " + shapeText(scale.shape) +
                    " and " + shapeText(bias.shape));
  int64_t row = checkedCount(normalized);
  double epsilon = op.getEpsilon().convertToDouble();
  for (int64_t first = 0; first < x.count(); first += row) {
    double mean = 0, variance = 0;
    for (int64_t k = 0; k < row; ++k)
      mean += x.floats[first + k];
    mean /= double(row);
    for (int64_t k = 0; k < row; ++k)
      variance += std::pow(x.floats[first + k] - mean, 2);
    variance /= double(row);
    for (int64_t k = 0; k < row; ++k)
      result.floats[first + k] = (x.floats[first + k] - mean) /
                                     std::sqrt(variance + epsilon) *
                                     scale.floats[k] +
                                 bias.floats[k];
  }
  return llvm::Error::success();
}

static llvm::Error batchNorm(BatchNormOp op, const OpInstance &at,
                             HostTensor &result) {
  const HostTensor &x = *at.in[0];
  int64_t dim = op.getDim();
  for (const HostTensor *vector : at.in.drop_front())
    if (vector->count() != x.shape[dim])
      return at.error("expected vectors of extent " + Twine(x.shape[dim]) +
                      ", got " + shapeText(vector->shape));
  double epsilon = op.getEpsilon().convertToDouble();
  forEachIndex(x.shape, [&](Indices index, int64_t i) {
    int64_t c = index[dim];
    double scale = at.in[1]->floats[c], offset = at.in[2]->floats[c];
    double mean = at.in[3]->floats[c], variance = at.in[4]->floats[c];
    result.floats[i] =
        (x.floats[i] - mean) * (scale / std::sqrt(variance + epsilon)) + offset;
  });
  return llvm::Error::success();
}

static double gelu(double x, bool byTanh) {
  if (byTanh)
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / std::numbers::pi) *
                          (x + 0.044715 * x * x * x)));
  return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
}

llvm::Expected<HostTensors> evaluateComposite(const OpInstance &at) {
  if (at.options.bounds)
    return at.error("errors are bounded in its decomposition alone");
  if (isa<AttentionOp>(at.op))
    return evaluateAttention(at);
  const HostTensor &x = *at.in[0];
  auto result = at.allocate(x.element, x.shape);
  if (!result)
    return result.takeError();
  llvm::Error failed =
      llvm::TypeSwitch<Operation *, llvm::Error>(at.op)
          .Case([&](SoftmaxOp op) {
            softmaxRows(x, op.getDim(), false, *result);
            return llvm::Error::success();
          })
          .Case([&](LogSoftmaxOp op) {
            softmaxRows(x, op.getDim(), true, *result);
            return llvm::Error::success();
          })
          .Case([&](GeluOp op) {
            for (auto [to, from] : llvm::zip_equal(result->floats, x.floats))
              to = gelu(from, op.getTanh());
            return llvm::Error::success();
          })
          .Case([&](LayerNormOp op) { return layerNorm(op, at, *result); })
          .Case([&](BatchNormOp op) { return batchNorm(op, at, *result); })
          .Default([&](Operation *) {
            return at.error("the oracle does not know this op");
          });
  if (failed)
    return std::move(failed);
  return HostTensors{std::move(*result)};
}

} // namespace tenon
