// `--stats`: the number of calls of each variant of a function.
#ifndef TENON_TOOLS_TENON_CALLSTATS_H
#define TENON_TOOLS_TENON_CALLSTATS_H

#include "tools/tenon/LoadedModel.h"

#include "llvm/Support/JSON.h"

namespace tenon::cli {

/// One line for each variant of the function that `model` runs; the code for
/// all sizes comes last.
std::string callStatsAsText(const LoadedModel &model);
llvm::json::Object callStatsAsJson(const LoadedModel &model);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_CALLSTATS_H
