// Quantization of weights: scales for groups of a column, and the elements
// divided by them and rounded. Plain arithmetic on panels x depth x width of
// f32, as tenon.group_scales and tenon.quantize define it. The bits are equal
// on every machine.
#ifndef TENON_COMPILER_ARITHMETIC_QUANTIZER_H
#define TENON_COMPILER_ARITHMETIC_QUANTIZER_H

#include <cstdint>
#include <vector>

namespace tenon {

/// Groups of `group` elements along the depth; the last group may be shorter.
struct GroupedPanels {
  int64_t panels, depth, width, group;

  int64_t groups() const { return (depth + group - 1) / group; }
  int64_t scales() const { return panels * groups() * width; }
  int64_t scaleOf(int64_t panel, int64_t k, int64_t column) const {
    return (panel * groups() + k / group) * width + column;
  }
};

/// The scale of each panel, group and column, for 8 or 4 bits. Scales for 4
/// bits are rounded to bf16. All weights must be finite.
std::vector<float> chooseScales(const GroupedPanels &form, int64_t bits,
                                const float *weights);

/// Writes i8 elements to `stored`, in the weights' order.
void quantizeToBytes(const GroupedPanels &form, const float *weights,
                     const float *scales, int8_t *stored);

/// Writes four-bit elements to `stored`, eight along the depth in one word.
void quantizeToWords(const GroupedPanels &form, const float *weights,
                     const float *scales, uint32_t *stored);

/// Writes the values that the stored integers represent.
void dequantizeBytes(const GroupedPanels &form, const int8_t *stored,
                     const float *scales, float *weights);
void dequantizeWords(const GroupedPanels &form, const uint32_t *stored,
                     const float *scales, float *weights);

} // namespace tenon

#endif // TENON_COMPILER_ARITHMETIC_QUANTIZER_H
