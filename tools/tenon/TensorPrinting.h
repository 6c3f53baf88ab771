// Prints outputs for people and programs: one line of statistics, the largest
// values, the first values.
#ifndef TENON_TOOLS_TENON_TENSORPRINTING_H
#define TENON_TOOLS_TENON_TENSORPRINTING_H

#include "tools/tenon/Tensor.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::cli {

struct PrintOptions {
  int64_t top = 0;                 ///< number of largest values along the last
                                   ///< axis
  std::vector<std::string> labels; ///< names of the indices that `top` shows
  int64_t values = -1;             ///< values printed; -1: all if there are at
                                   ///< most 16
};

/// Prints `logits f32[1,1000] min -6.21 max 14.02 mean 0.00`, then the
/// requested values.
void printTensor(llvm::raw_ostream &out, const Tensor &tensor,
                 const PrintOptions &options);

/// The printed data as an object; numbers that JSON cannot represent are
/// strings.
llvm::json::Object tensorAsJson(const Tensor &tensor,
                                const PrintOptions &options);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TENSORPRINTING_H
