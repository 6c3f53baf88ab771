// Quantized weights. The oracle computes the values that stored integers
// represent. It does not choose the integers: the artifact writer does, and any
// near ones are correct.
#include "compiler/oracle/OpInstance.h"

#include "compiler/arithmetic/ElementArithmetic.h"
#include "compiler/arithmetic/Quantizer.h"
#include "dialects/tenon/Quantization.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon {

static GroupedPanels formOf(Indices shape, int64_t group) {
  return {shape[0], shape[1], shape[2], group};
}

static std::vector<float> asFloats(const HostTensor &x) {
  return std::vector<float>(x.floats.begin(), x.floats.end());
}

static llvm::Expected<HostTensors> groupScales(GroupScalesOp op,
                                               const OpInstance &at) {
  auto result = at.allocate(at.resultElement(), op.getType().getShape());
  if (!result)
    return result.takeError();
  std::vector<float> weights = asFloats(*at.in[0]);
  std::vector<float> scales = chooseScales(
      formOf(at.in[0]->shape, op.getGroup()), op.getBits(), weights.data());
  std::copy(scales.begin(), scales.end(), result->floats.begin());
  return HostTensors{std::move(*result)};
}

static llvm::Expected<HostTensors> quantize(QuantizeOp op,
                                            const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  auto result = at.allocate(at.resultElement(),
                            op.getScales() ? Indices(op.getType().getShape())
                                           : Indices(x.shape));
  if (!result)
    return result.takeError();
  std::vector<float> weights = asFloats(x);
  if (!op.getScales()) {
    bool isHalf = result->element.isF16();
    for (auto [to, from] : llvm::zip(result->floats, weights))
      to = isHalf ? halfToFloat(floatToHalf(from))
                  : bfloatToFloat(floatToBfloat(from));
    return HostTensors{std::move(*result)};
  }
  std::vector<float> scales = asFloats(*at.in[1]);
  GroupedPanels form = formOf(x.shape, *op.getGroup());
  if (result->element.isInteger(8)) {
    std::vector<int8_t> stored(result->ints.size());
    quantizeToBytes(form, weights.data(), scales.data(), stored.data());
    std::copy(stored.begin(), stored.end(), result->ints.begin());
  } else {
    std::vector<uint32_t> stored(result->ints.size());
    quantizeToWords(form, weights.data(), scales.data(), stored.data());
    for (auto [to, from] : llvm::zip(result->ints, stored))
      to = int32_t(from);
  }
  return HostTensors{std::move(*result)};
}

/// The four bits number `which` of a word, as a signed integer.
static int64_t nibbleOf(int64_t word, int64_t which) {
  int64_t bits = word >> (4 * which) & 15;
  return bits < 8 ? bits : bits - 16;
}

static llvm::Expected<HostTensors> dequantize(DequantizeOp op,
                                              const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  if (!op.getScales()) {
    HostTensor same = at.copyOf(x);
    same.element = at.resultElement();
    return HostTensors{std::move(same)};
  }
  ArrayRef<int64_t> shape = op.getType().getShape();
  auto result = at.allocate(at.resultElement(), shape);
  if (!result)
    return result.takeError();
  bool words = x.element.isInteger(32);
  SmallVector<int64_t> stored = rowMajorStrides(x.shape),
                       scales = rowMajorStrides(at.in[1]->shape);
  forEachIndex(shape, [&](Indices index, int64_t i) {
    int64_t k = index[1], step = words ? nibblesPerWord : 1;
    int64_t integer =
        x.ints[linearIndex({index[0], k / step, index[2]}, stored)];
    double scale = at.in[1]->floats[linearIndex(
        {index[0], k / int64_t(*op.getGroup()), index[2]}, scales)];
    result->floats[i] =
        double(words ? nibbleOf(integer, k % nibblesPerWord) : integer) * scale;
  });
  return HostTensors{std::move(*result)};
}

llvm::Expected<HostTensors> evaluateQuantization(const OpInstance &at) {
  return llvm::TypeSwitch<Operation *, llvm::Expected<HostTensors>>(at.op)
      .Case([&](GroupScalesOp op) { return groupScales(op, at); })
      .Case([&](QuantizeOp op) { return quantize(op, at); })
      .Case([&](DequantizeOp op) { return dequantize(op, at); })
      .Default([&](Operation *) {
        return at.error("the oracle does not know this op");
      });
}

} // namespace tenon
