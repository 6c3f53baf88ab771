// The JSON of a profile: `tenon run` writes it, `tenon inspect --html` reads it
// and writes it into the page.
#ifndef TENON_TOOLS_TENON_REPORT_PROFILEJSON_H
#define TENON_TOOLS_TENON_REPORT_PROFILEJSON_H

#include "tools/tenon/MachinePeaks.h"
#include "tools/tenon/report/JsonFile.h"

#include "llvm/Support/JSON.h"
#include <optional>

namespace tenon::cli {

/// What was run, and where.
struct ProfiledRun {
  std::string function;
  std::string version; ///< name of the code version that ran
  std::string device;  ///< name of the device; empty: the CPU
  int64_t runs = 1;
  double seconds = 0; ///< of all runs
  MachinePeaks peaks; ///< zero for a device
};

/// Sums over launches.
struct LaunchCost {
  int64_t calls = 0;
  double seconds = 0, flops = 0, bytes = 0;
  std::optional<double> floor; ///< unset for a device
};

/// One launch, as an event of a trace.
struct LaunchEvent {
  std::string kernel, nodes;     ///< nodes are separated by newlines
  double start = 0, seconds = 0; ///< from the begin of the recording
  int64_t flops = 0, bytes = 0;
};

llvm::json::Object asJson(const ProfiledRun &run);
llvm::json::Object asJson(const LaunchCost &cost);
llvm::json::Object asJson(const LaunchEvent &event);

ProfiledRun readRun(const JsonReader &run);
LaunchEvent readEvent(const JsonReader &event);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_REPORT_PROFILEJSON_H
