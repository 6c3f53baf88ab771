// The time of each kernel of a run, beside the least time this machine needs.
#ifndef TENON_TOOLS_TENON_PROFILE_H
#define TENON_TOOLS_TENON_PROFILE_H

#include "tools/tenon/LoadedModel.h"
#include "tools/tenon/report/ProfileJson.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace tenon::cli {

/// Receives the launches of a model's runs and sums their times by kernel.
class Profile {
public:
  /// Starts to record runs of `model`. With `keepLaunches` each launch is kept
  /// for trace().
  void listen(LoadedModel &model, bool keepLaunches);

  /// Ends the recording: `runs` runs took `seconds` in total. Then measures the
  /// machine's peaks, unless a device ran the kernels.
  void finish(int64_t runs, double seconds, int threads);

  /// Prints one row for each kernel with times per run, the slowest first.
  void print(llvm::raw_ostream &out) const;
  llvm::json::Value asJson() const;

  /// The launches in the trace format of chrome://tracing and Perfetto. Its
  /// otherData has what was run, and the machine's peaks.
  std::string trace() const;

private:
  using Clock = std::chrono::steady_clock;

  struct Row {
    int32_t kernel = 0;
    LaunchCost cost;
    /// Counts the launches for each pair of flops and bytes: each pair has its
    /// own least time.
    std::map<std::pair<int64_t, int64_t>, int64_t> works;
  };
  struct Launch {
    int32_t number;
    double start, seconds;
    int64_t flops, bytes;
  };

  static void hear(void *state, int32_t launch, int32_t ended, int64_t flops,
                   int64_t bytes);

  const tenon_function_desc *function = nullptr;
  ProfiledRun run;
  std::vector<Row> rows;
  std::vector<Launch> launches;
  bool keepLaunches = false;
  Clock::time_point began, launched;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_PROFILE_H
