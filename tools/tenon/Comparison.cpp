// Compares as NumPy's allclose does, element by element in double. 64-bit
// integers are compared as integers.
#include "tools/tenon/Comparison.h"

#include <cmath>

namespace tenon::cli {

double defaultRelative(int32_t dtype) {
  switch (dtype) {
  case TENON_F16:
    return 1e-2;
  case TENON_BF16:
    return 2e-2;
  default:
    return isFloat(dtype) ? 1e-3 : 0;
  }
}

/// The index as text like "[1,0,3]"; `index` is linear.
static std::string positionText(const Tensor &tensor, int64_t index) {
  std::string text;
  for (size_t d = tensor.dims.size(); d-- > 0;) {
    text = std::to_string(index % tensor.dims[d]) + (text.empty() ? "" : ",") +
           text;
    index /= tensor.dims[d];
  }
  return "[" + text + "]";
}

/// Raises `largest` to `value`; true if it was less. NaN is above all numbers.
static bool raise(double &largest, double value) {
  if (std::isnan(largest) || value <= largest)
    return false;
  largest = value;
  return true;
}

Difference compareTensors(const Tensor &actual, const Tensor &expected,
                          const Tolerance &tolerance) {
  Difference result;
  if (actual.dtype != expected.dtype || actual.dims != expected.dims) {
    result.same = false;
    result.text = "expected " + typeText(expected.dtype, expected.dims) +
                  ", got " + typeText(actual.dtype, actual.dims);
    return result;
  }
  bool floats = isFloat(actual.dtype);
  double rtol = tolerance.rtol.value_or(defaultRelative(actual.dtype));
  double atol = tolerance.atol.value_or(floats ? 1e-7 : 0);
  int64_t count = actual.getNumElements(), wrong = 0, first = -1, worst = -1;
  for (int64_t i = 0; i < count; ++i) {
    if (!floats && elementAsBits(actual, i) == elementAsBits(expected, i))
      continue;
    double a = elementAsDouble(actual, i), e = elementAsDouble(expected, i);
    if (floats && (a == e || (std::isnan(a) && std::isnan(e))))
      continue;
    double distance = std::fabs(a - e);
    if (raise(result.maxAbsolute, distance))
      worst = i;
    if (e != 0)
      raise(result.maxRelative, distance / std::fabs(e));
    // The condition is false for a NaN distance, so that NaN counts as a
    // difference. So does an infinity if the other element is finite.
    if (std::isfinite(a) && std::isfinite(e) &&
        distance <= atol + rtol * std::fabs(e) &&
        (floats || rtol > 0 || atol > 0))
      continue;
    ++wrong;
    if (first < 0)
      first = i;
  }
  if (wrong == 0)
    return result;
  result.same = false;
  result.text = std::to_string(wrong) + " of " + std::to_string(count) +
                " elements differ";
  char tolerances[96];
  snprintf(tolerances, sizeof tolerances, "tolerance %g + %g * |expected|",
           atol, rtol);
  auto detail = [&](const char *which, int64_t i) {
    result.details.push_back(
        std::string(which) + " at " + positionText(actual, i) + ": expected " +
        elementText(expected, i) + ", got " + elementText(actual, i));
  };
  detail("first", first);
  if (worst >= 0 && worst != first)
    detail("largest", worst);
  result.details.push_back(tolerances);
  return result;
}

} // namespace tenon::cli
