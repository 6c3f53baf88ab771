// The trace that `tenon run --profile=TRACE.json` has written.
#ifndef TENON_TOOLS_TENON_REPORT_PROFILETRACE_H
#define TENON_TOOLS_TENON_REPORT_PROFILETRACE_H

#include "tools/tenon/report/ProfileJson.h"

#include <string>
#include <vector>

namespace tenon::cli {

/// The launches of one kernel for the same nodes, over all runs.
struct TracedLaunch {
  std::string kernel, nodes; ///< nodes are separated by newlines
  LaunchCost cost;
};

struct ProfileTrace {
  ProfiledRun run;
  std::vector<TracedLaunch> launches; ///< in the order of their first call
};

/// Reads the file `path`. A file that is no such trace is InvalidModel.
Status readTrace(Talk &talk, const std::string &path, ProfileTrace &trace);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_REPORT_PROFILETRACE_H
