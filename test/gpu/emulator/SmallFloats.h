// Floats of 16 bits as words: conversions that round once, to nearest even.
#ifndef TENON_TEST_GPU_EMULATOR_SMALLFLOATS_H
#define TENON_TEST_GPU_EMULATOR_SMALLFLOATS_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace tenon::ptx {

struct Half {
  static constexpr int exponentBits = 5, fractionBits = 10;
  uint16_t bits;
};
struct BFloat {
  static constexpr int exponentBits = 8, fractionBits = 7;
  uint16_t bits;
};
/// Two small floats in a word.
template <typename T> struct Pair {
  T low, high;
};
/// What the device returns for an operation without a value.
constexpr uint16_t smallNan = 0x7fff;
constexpr uint32_t floatNan = 0x7fffffff;

template <typename T> double widened(T small) {
  constexpr int bias = (1 << (T::exponentBits - 1)) - 1;
  int exponent = small.bits >> T::fractionBits & ((1 << T::exponentBits) - 1),
      fraction = small.bits & ((1 << T::fractionBits) - 1);
  double value;
  if (exponent == (1 << T::exponentBits) - 1)
    value = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(fraction, 1 - bias - T::fractionBits);
  else
    value = std::ldexp(fraction | 1 << T::fractionBits,
                       exponent - bias - T::fractionBits);
  return small.bits & 0x8000 ? -value : value;
}

template <typename T> T narrowed(double value) {
  constexpr int bias = (1 << (T::exponentBits - 1)) - 1;
  if (std::isnan(value))
    return {smallNan};
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  constexpr uint16_t infinity = ((1 << T::exponentBits) - 1) << T::fractionBits;
  double size = std::fabs(value);
  if (std::isinf(size))
    return {uint16_t(sign | infinity)};
  if (size == 0)
    return {sign};
  int exponent = std::max(std::ilogb(size), 1 - bias);
  // At most 2^(fractionBits + 1), exact, then rounded to nearest even.
  double steps = std::nearbyint(std::ldexp(size, T::fractionBits - exponent));
  uint32_t bits =
      uint32_t(steps) + (uint32_t(exponent + bias - 1) << T::fractionBits);
  return {uint16_t(sign | (bits >= infinity ? infinity : bits))};
}

/// a * b + c in double, rounded to odd, so that a second rounding is right.
/// The product of the operands must be exact in double.
inline double fusedToOdd(double a, double b, double c) {
  double product = a * b, sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  double part = sum - product, error = (product - (sum - part)) + (c - part);
  auto bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || bits & 1)
    return sum;
  // One step towards the exact sum makes the last bit odd.
  bool away = (error > 0) == (sum > 0);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

} // namespace tenon::ptx

#endif
