// The time of each kernel of a run, beside the least time this machine needs.
#ifndef TENON_TOOLS_TENON_PROFILE_H
#define TENON_TOOLS_TENON_PROFILE_H

#include "tools/tenon/LoadedModel.h"
#include "tools/tenon/MachinePeaks.h"

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
    int64_t calls = 0;
    double flops = 0, bytes = 0, seconds = 0, floor = 0;
    /// Counts the launches for each pair of flops and bytes: each pair has its
    /// own least time.
    std::map<std::pair<int64_t, int64_t>, int64_t> works;
  };
  struct Launch {
    int32_t number;
    double start, seconds;
    int64_t flops, bytes;
  };

  /// The version, the runs and the machine, without kernels.
  llvm::json::Object circumstances() const;

  static void hear(void *state, int32_t launch, int32_t ended, int64_t flops,
                   int64_t bytes);

  const tenon_function_desc *function = nullptr;
  std::string version; ///< name of the code version that ran
  std::string device;  ///< name of the device; empty: the CPU
  std::vector<Row> rows;
  std::vector<Launch> launches;
  bool keepLaunches = false;
  Clock::time_point began, launched;
  MachinePeaks peaks;
  int64_t runs = 1;
  double seconds = 0;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_PROFILE_H
