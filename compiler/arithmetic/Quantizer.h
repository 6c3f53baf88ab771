// Quantization of weights: computes scales for groups of a column, and divides
// and rounds the elements. The input is f32 in the layout panels x depth x
// width. The rules are those of tenon.group_scales and tenon.quantize; the bits
// are equal on every machine.
#ifndef TENON_COMPILER_ARITHMETIC_QUANTIZER_H
#define TENON_COMPILER_ARITHMETIC_QUANTIZER_H

#include <cstdint>
#include <vector>

namespace tenon {

/// A weight in panels with groups of `group` elements along the depth; the last
/// group may be shorter.
struct GroupedPanels {
  int64_t panels, depth, width, group;

  int64_t groups() const { return (depth + group - 1) / group; }
  int64_t scales() const { return panels * groups() * width; }
  int64_t scaleOf(int64_t panel, int64_t k, int64_t column) const {
    return (panel * groups() + k / group) * width + column;
  }
};

/// The scale of each panel, group and column, for 8 or 4 bits, in the order of
/// scaleOf. Scales for 4 bits are rounded to bf16. All weights must be finite.
std::vector<float> chooseScales(const GroupedPanels &form, int64_t bits,
                                const float *weights);

/// Writes i8 elements to `stored`, in the order of the weights.
void quantizeToBytes(const GroupedPanels &form, const float *weights,
                     const float *scales, int8_t *stored);

/// Writes 4-bit elements to `stored`; a word holds eight neighbours along the
/// depth.
void quantizeToWords(const GroupedPanels &form, const float *weights,
                     const float *scales, uint32_t *stored);

/// Write the values that the stored integers represent.
void dequantizeBytes(const GroupedPanels &form, const int8_t *stored,
                     const float *scales, float *weights);
void dequantizeWords(const GroupedPanels &form, const uint32_t *stored,
                     const float *scales, float *weights);

} // namespace tenon

#endif // TENON_COMPILER_ARITHMETIC_QUANTIZER_H
