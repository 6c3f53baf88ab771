// Sums of products as the emulated matrix units compute them: exactly, with one
// rounding of the result.
//
// A device adds in an order that is not specified and may round or truncate in
// between. Its result differs from the emulated one by at most
// (terms + 1) * 2^-22 * (|c| + sum of |a b|) with accumulators of f32;
// `deviceError` is this bound.
#ifndef TENON_TEST_GPU_EMULATOR_MATRIXPRODUCT_H
#define TENON_TEST_GPU_EMULATOR_MATRIXPRODUCT_H

#include <cstdint>

namespace tenon::ptx {

/// The types of multiplicands.
enum class Factor : uint8_t { F16, BF16, TF32, S8, U8 };

constexpr int bitsOf(Factor factor) {
  return factor == Factor::TF32                            ? 32
         : factor == Factor::F16 || factor == Factor::BF16 ? 16
                                                           : 8;
}
constexpr bool isInteger(Factor factor) {
  return factor == Factor::S8 || factor == Factor::U8;
}

/// The value of a multiplicand with these bits.
double valueOf(Factor factor, uint32_t bits);

/// Adds a[i] * b[i][column] for all i < depth to each of eight sums. Products
/// must be exact in double. The sum is exact but for one rounding to odd, so
/// that rounding it to f32 or f16 rounds once.
void addProducts(const double *a, const double (*b)[8], int depth,
                 double (&sums)[8]);

/// `sum`, rounded to odd by addProducts, as a float; NaN as devices write it.
float roundedToFloat(double sum);

/// What a device's result may differ by from the emulated one, with
/// accumulators of f32. `sizes`: |c| and all |a b|, added.
constexpr double deviceError(int terms, double sizes) {
  return (terms + 1) * 0x1p-22 * sizes;
}

} // namespace tenon::ptx

#endif
