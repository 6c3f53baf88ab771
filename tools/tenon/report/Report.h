// The page of `tenon inspect --html`: one file with its style, its code and its
// data.
#ifndef TENON_TOOLS_TENON_REPORT_REPORT_H
#define TENON_TOOLS_TENON_REPORT_REPORT_H

#include "compiler/report/ModelGraph.h"
#include "runtime/tenon_abi.h"
#include "tools/tenon/Verbs.h"

#include "llvm/Support/JSON.h"

namespace tenon::cli {

/// Refuses flags that have a meaning only with --html, and a page that cannot
/// be written. `input` is the model or artifact.
Status checkReportFlags(Invocation &call, const std::string &input);

/// The launches of an artifact, as nodes without edges: it has no graph.
ModelGraph launchesOf(const tenon_model_desc &desc);

/// Writes the page to the file of --html, with the profile of --profile and the
/// errors of --verify. `summary` is the result of --format=json.
Status writeReport(Invocation &call, llvm::json::Object summary,
                   const ModelGraph &graph);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_REPORT_REPORT_H
