// The forms in which the weights of contractions are stored. The command line,
// the pipeline and the passes share this list.
#ifndef TENON_DIALECTS_TENON_WEIGHTFORMAT_H
#define TENON_DIALECTS_TENON_WEIGHTFORMAT_H

namespace tenon {

/// f32, two formats of 16 bits, or integers with a scale for each group of a
/// column's elements.
enum class WeightFormat { F32, F16, Bf16, Int8, Int4 };

/// The bits of one element, without scales.
constexpr int bitsOf(WeightFormat format) {
  constexpr int bits[] = {32, 16, 16, 8, 4};
  return bits[int(format)];
}

} // namespace tenon

#endif // TENON_DIALECTS_TENON_WEIGHTFORMAT_H
