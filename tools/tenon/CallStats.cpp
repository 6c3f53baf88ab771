// The runtime counts the calls. It contains no compiler, so there are no
// compilations to count.
#include "tools/tenon/CallStats.h"

#include "llvm/Support/FormatVariadic.h"

namespace tenon::cli {

std::string callStatsAsText(const LoadedModel &model) {
  const tenon_function_desc &function = model.getFunction();
  std::vector<uint64_t> calls = model.countCalls();
  std::string text = "calls  variant\n";
  for (size_t i = 1; i < calls.size(); ++i)
    text += llvm::formatv("{0,5}  {1}\n", calls[i],
                          escapeForTerminal(function.variants[i - 1].name));
  text += llvm::formatv("{0,5}  any size\n", calls[0]);
  return text + "compilations at run time: 0\n";
}

llvm::json::Object callStatsAsJson(const LoadedModel &model) {
  const tenon_function_desc &function = model.getFunction();
  std::vector<uint64_t> calls = model.countCalls();
  llvm::json::Array variants;
  for (size_t i = 1; i < calls.size(); ++i) {
    const tenon_variant_desc &variant = function.variants[i - 1];
    llvm::json::Object sizes;
    for (int32_t s = 0; s < variant.num_sizes; ++s)
      sizes[llvm::json::fixUTF8(variant.sizes[s].dim)] = variant.sizes[s].size;
    variants.push_back(
        llvm::json::Object{{"name", llvm::json::fixUTF8(variant.name)},
                           {"sizes", std::move(sizes)},
                           {"calls", int64_t(calls[i])}});
  }
  return llvm::json::Object{{"variants", std::move(variants)},
                            {"any_size_calls", int64_t(calls[0])},
                            {"compilations", 0}};
}

} // namespace tenon::cli
