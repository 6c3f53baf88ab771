// `--stats`: how often each variant of a function was taken.
#ifndef TENON_TOOLS_TENON_CALLSTATS_H
#define TENON_TOOLS_TENON_CALLSTATS_H

#include "tools/tenon/LoadedModel.h"

#include "llvm/Support/JSON.h"

namespace tenon::cli {

/// A line for each variant of the function `model` runs, the code for every
/// size last.
std::string callStatsAsText(const LoadedModel &model);
llvm::json::Object callStatsAsJson(const LoadedModel &model);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_CALLSTATS_H
