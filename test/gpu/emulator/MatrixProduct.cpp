// Sums are made in double, and the error of each addition is computed beside
// them (Knuth's TwoSum). If all errors are zero, which is usual, the sum is
// exact. Otherwise it is made again as an expansion (Shewchuk, 1997).
#include "test/gpu/emulator/MatrixProduct.h"

#include "test/gpu/emulator/SmallFloats.h"

#include <bit>
#include <cmath>
#include <vector>

namespace tenon::ptx {

static double halfValue(uint32_t bits) {
  uint32_t size = bits & 0x7fff;
  if (size >= 0x7c00)
    return widened(Half{uint16_t(bits)});
  // Exponents of f16 moved to those of f32; denormals become right too.
  float value = std::bit_cast<float>(size << 13) * 0x1p112f;
  return bits & 0x8000 ? -value : value;
}

double valueOf(Factor factor, uint32_t bits) {
  switch (factor) {
  case Factor::F16:
    return halfValue(bits);
  case Factor::BF16:
    return std::bit_cast<float>(bits << 16);
  case Factor::TF32:
    return std::bit_cast<float>(bits);
  case Factor::S8:
    return int8_t(bits);
  case Factor::U8:
    return uint8_t(bits);
  }
  return 0;
}

/// One step from `sum` towards the exact value if that makes its last bit odd.
static double roundedToOdd(double sum, double error) {
  auto bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || bits & 1)
    return sum;
  if (sum == 0)
    return error;
  bool away = (error > 0) == (sum > 0);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

/// Parts that do not overlap, the smallest first, whose sum is exact.
class Expansion {
public:
  void add(double x) {
    size_t kept = 0;
    for (double part : parts) {
      double sum = x + part, other = sum - x,
             error = (x - (sum - other)) + (part - other);
      if (error != 0)
        parts[kept++] = error;
      x = sum;
    }
    parts.resize(kept);
    parts.push_back(x);
  }
  double toOdd() const {
    if (parts.empty())
      return 0;
    double sum = parts.back();
    for (size_t i = parts.size() - 1; i-- > 0;) {
      double before = sum, error;
      sum = before + parts[i];
      error = parts[i] - (sum - before);
      if (error != 0)
        return roundedToOdd(sum, error);
    }
    return sum;
  }

private:
  std::vector<double> parts;
};

static double exactSum(const double *a, const double (*b)[8], int column,
                       int depth, double first) {
  double plain = first;
  Expansion expansion;
  expansion.add(first);
  for (int i = 0; i < depth; ++i) {
    double product = a[i] * b[i][column];
    plain += product;
    expansion.add(product);
  }
  return std::isfinite(plain) ? expansion.toOdd() : plain;
}

void addProducts(const double *a, const double (*b)[8], int depth,
                 double (&sums)[8]) {
  double made[8], lost[8] = {};
  for (int column = 0; column < 8; ++column)
    made[column] = sums[column];
  for (int i = 0; i < depth; ++i)
    for (int column = 0; column < 8; ++column) {
      double product = a[i] * b[i][column], before = made[column],
             sum = before + product, other = sum - before;
      lost[column] += std::fabs((before - (sum - other)) + (product - other));
      made[column] = sum;
    }
  for (int column = 0; column < 8; ++column) {
    // A NaN is a sum that is not finite.
    bool isExact = lost[column] == 0;
    sums[column] =
        isExact ? made[column] : exactSum(a, b, column, depth, sums[column]);
  }
}

float roundedToFloat(double sum) {
  return sum == sum ? float(sum) : std::bit_cast<float>(floatNan);
}

} // namespace tenon::ptx
