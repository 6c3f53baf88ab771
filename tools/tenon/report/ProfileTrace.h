// The trace that `tenon run --profile=TRACE.json` has written.
#ifndef TENON_TOOLS_TENON_REPORT_PROFILETRACE_H
#define TENON_TOOLS_TENON_REPORT_PROFILETRACE_H

#include "tools/tenon/MachinePeaks.h"
#include "tools/tenon/Talk.h"

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace tenon::cli {

/// The launches of one kernel for the same nodes, over all runs.
struct TracedLaunch {
  std::string kernel, nodes; ///< nodes are separated by newlines
  int64_t calls = 0;
  double seconds = 0, flops = 0, bytes = 0, floor = 0; ///< sums
};

struct ProfileTrace {
  std::string function, version;
  std::string device; ///< empty: the CPU
  int64_t runs = 1;
  double seconds = 0;                 ///< of all runs
  MachinePeaks peaks;                 ///< zero for a device
  std::vector<TracedLaunch> launches; ///< in the order of their first call
};

/// Reads the file `path`. A file that is no such trace is InvalidModel.
Status readTrace(Talk &talk, const std::string &path, ProfileTrace &trace);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_REPORT_PROFILETRACE_H
