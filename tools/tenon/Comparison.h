// Compares two tensors within tolerances and reports where they differ.
#ifndef TENON_TOOLS_TENON_COMPARISON_H
#define TENON_TOOLS_TENON_COMPARISON_H

#include "tools/tenon/Tensor.h"

namespace tenon::cli {

/// Elements agree if |a - e| <= atol + rtol * |e|. If unset, rtol is 1e-3 and
/// atol 1e-7 for floats (rtol 1e-2 for f16, 2e-2 for bf16); integers must be
/// equal.
struct Tolerance {
  std::optional<double> rtol;
  std::optional<double> atol;
};

/// The default relative tolerance for elements of a type.
double defaultRelative(int32_t dtype);

struct Difference {
  bool same = true;
  std::string text; ///< the cause: types, or the number of elements that differ
  std::vector<std::string> details;
  double maxAbsolute = 0;
  double maxRelative = 0;
};

/// Compares two tensors. Two NaN agree, and so do two infinities of one sign.
Difference compareTensors(const Tensor &actual, const Tensor &expected,
                          const Tolerance &tolerance);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_COMPARISON_H
