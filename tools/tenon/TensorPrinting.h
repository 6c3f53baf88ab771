// Outputs for people and for programs: one line of statistics, the largest
// values, the first values.
#ifndef TENON_TOOLS_TENON_TENSORPRINTING_H
#define TENON_TOOLS_TENON_TENSORPRINTING_H

#include "tools/tenon/Tensor.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::cli {

struct PrintOptions {
  int64_t top = 0;                 ///< largest values along the last axis
  std::vector<std::string> labels; ///< names of the indices of `top`
  int64_t values = -1;             ///< -1: all of outputs of up to 16
};

/// `logits  f32[1,1000]  min -6.21 max 14.02 mean 0.00`, then what is asked.
void printTensor(llvm::raw_ostream &out, const Tensor &tensor,
                 const PrintOptions &options);

/// The same as an object; numbers that JSON cannot say are strings.
llvm::json::Object tensorAsJson(const Tensor &tensor,
                                const PrintOptions &options);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TENSORPRINTING_H
