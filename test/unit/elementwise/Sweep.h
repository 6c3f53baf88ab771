// Common parts of the float tests: the inputs, and the error of a result.
#ifndef TENON_TEST_UNIT_ELEMENTWISE_SWEEP_H
#define TENON_TEST_UNIT_ELEMENTWISE_SWEEP_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tenon {

/// The step through the f32 bit patterns; `--stride=1` on the command line
/// tries all of them.
extern uint64_t sweepStride;

/// The number of random f64 of each kind; `--doubles=` sets it.
extern size_t doublesOfAKind;

/// Zeros, infinities, NaN, the ends of every range, and points where functions
/// change.
inline std::vector<float> specialFloats() {
  std::vector<float> values{0,
                            0x1p-149f,
                            0x1p-127f,
                            0x1.fffffcp-127f,
                            0x1p-126f,
                            1e-20f,
                            0x1p-24f,
                            0x1p-12f,
                            0.25f,
                            0.3f,
                            0.5f,
                            0.703125f,
                            1.125f,
                            1,
                            1.5f,
                            2,
                            2.5f,
                            3,
                            4,
                            5,
                            9.02f,
                            10,
                            16,
                            17.5f,
                            87.3f,
                            88.72283f,
                            88.8f,
                            103.97f,
                            104.5f,
                            127,
                            128,
                            255,
                            256,
                            32767,
                            32768,
                            65519,
                            65520,
                            65535,
                            65536,
                            8388607.5f,
                            8388608,
                            16777215,
                            16777216,
                            0x1p31f,
                            0x1.fffffep30f,
                            0x1p32f,
                            0x1.fffffep31f,
                            0x1p63f,
                            0x1p64f,
                            1e20f,
                            0x1.fffffep127f,
                            INFINITY,
                            NAN};
  for (size_t i = 0, n = values.size(); i < n; ++i)
    values.push_back(-values[i]);
  for (size_t i = 0, n = values.size(); i < n; ++i) {
    values.push_back(std::nextafter(values[i], INFINITY));
    values.push_back(std::nextafter(values[i], -INFINITY));
  }
  return values;
}

/// Pads `values` to a multiple of 16.
template <typename T> void padToSixteen(std::vector<T> &values) {
  while (values.size() % 16)
    values.push_back(values[0]);
}

/// The distance of `got` from `exact` in units in the last place of f32 at
/// `exact`. Infinite if the sign differs or only one is NaN.
inline double ulpError(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : INFINITY;
  if (std::signbit(got) != std::signbit(exact))
    return INFINITY;
  // An infinity counts as the next float after the greatest.
  double value = std::isinf(got) ? std::copysign(0x1p128, got) : double(got);
  exact = std::clamp(exact, -0x1p128, 0x1p128);
  int exponent = exact == 0 ? -126 : std::max(std::ilogb(exact), -126);
  return std::abs(value - exact) / std::ldexp(1.0, exponent - 23);
}

} // namespace tenon

#endif // TENON_TEST_UNIT_ELEMENTWISE_SWEEP_H
