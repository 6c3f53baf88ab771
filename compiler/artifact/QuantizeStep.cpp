// Converts tensor bytes to arrays of numbers; the arithmetic is in Quantizer.
#include "compiler/artifact/QuantizeStep.h"

#include "compiler/arithmetic/ElementArithmetic.h"
#include "compiler/arithmetic/Quantizer.h"
#include "runtime/tenon_abi.h"

#include <cstring>

using namespace mlir;

namespace tenon {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static GroupedPanels formOf(RankedTensorType panels, int64_t group) {
  ArrayRef<int64_t> shape = panels.getShape();
  return {shape[0], shape[1], shape[2], group};
}

/// Reads scales of f32 or bf16 as floats.
static std::vector<float> readScales(RankedTensorType type, const char *bytes) {
  std::vector<float> scales(type.getNumElements());
  convertElements(type.getElementType().isF32() ? TENON_F32 : TENON_BF16,
                  TENON_F32, int64_t(scales.size()), bytes,
                  reinterpret_cast<char *>(scales.data()));
  return scales;
}

void runGroupScales(GroupScalesOp op, const char *weights, char *scales) {
  RankedTensorType type = typeOf(op.getResult());
  std::vector<float> chosen =
      chooseScales(formOf(typeOf(op.getOperand()), op.getGroup()), op.getBits(),
                   reinterpret_cast<const float *>(weights));
  convertElements(TENON_F32,
                  type.getElementType().isF32() ? TENON_F32 : TENON_BF16,
                  int64_t(chosen.size()),
                  reinterpret_cast<const char *>(chosen.data()), scales);
}

/// Stores `count` weights as `dtype`, f16 or bf16, in parts: a table of tokens
/// has hundreds of megabytes. Numbers that were `dtype` before lose nothing:
/// they may be of any kind, and count as not quantized.
static void runNarrow(const float *weights, int64_t count, int32_t dtype,
                      char *stored, QuantizationLoss &loss) {
  constexpr int64_t part = 1 << 16;
  QuantizationLoss all = loss;
  bool exact = true;
  std::vector<float> meant(std::min(count, part));
  for (int64_t begin = 0; begin < count; begin += part) {
    int64_t size = std::min(part, count - begin);
    const float *from = weights + begin;
    char *to = stored + 2 * begin;
    auto *back = reinterpret_cast<char *>(meant.data());
    convertElements(TENON_F32, dtype, size,
                    reinterpret_cast<const char *>(from), to);
    convertElements(dtype, TENON_F32, size, to, back);
    exact &= std::memcmp(from, back, size_t(size) * sizeof(float)) == 0;
    for (int64_t i = 0; i < size; ++i)
      all.add(from[i], meant[i]);
  }
  if (!exact)
    loss = all;
}

void runQuantize(QuantizeOp op, const char *bytes, const char *scaleBytes,
                 char *stored, QuantizationLoss &loss) {
  RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op.getResult());
  int64_t count = from.getNumElements();
  auto *weights = reinterpret_cast<const float *>(bytes);
  if (!op.getScales())
    return runNarrow(weights, count,
                     to.getElementType().isF16() ? TENON_F16 : TENON_BF16,
                     stored, loss);
  std::vector<float> meant(count);
  GroupedPanels form = formOf(from, *op.getGroup());
  std::vector<float> scales = readScales(typeOf(op.getScales()), scaleBytes);
  if (to.getElementType().isInteger(8)) {
    auto *elements = reinterpret_cast<int8_t *>(stored);
    quantizeToBytes(form, weights, scales.data(), elements);
    dequantizeBytes(form, elements, scales.data(), meant.data());
  } else {
    auto *words = reinterpret_cast<uint32_t *>(stored);
    quantizeToWords(form, weights, scales.data(), words);
    dequantizeWords(form, words, scales.data(), meant.data());
  }
  for (int64_t i = 0; i < count; ++i)
    loss.add(weights[i], meant[i]);
}

} // namespace tenon
