// Whether two tensors are the same within tolerances, and where they are not.
#ifndef TENON_TOOLS_TENON_COMPARISON_H
#define TENON_TOOLS_TENON_COMPARISON_H

#include "tools/tenon/Tensor.h"

namespace tenon::cli {

/// Elements agree when |a - e| <= atol + rtol * |e|. Unset: rtol 1e-3 and atol
/// 1e-7 for floats (rtol 1e-2 for f16, 2e-2 for bf16), exactness for integers.
struct Tolerance {
  std::optional<double> rtol;
  std::optional<double> atol;
};

/// The relative tolerance of elements of a type where none is given.
double defaultRelative(int32_t dtype);

struct Difference {
  bool same = true;
  std::string text; ///< why not: types, or how many elements
  std::vector<std::string> details;
  double maxAbsolute = 0;
  double maxRelative = 0;
};

/// Compares; two NaN agree, infinities of one sign agree.
Difference compareTensors(const Tensor &actual, const Tensor &expected,
                          const Tolerance &tolerance);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_COMPARISON_H
