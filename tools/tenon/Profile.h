// What each kernel of a run cost, beside the least this machine could take.
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

/// Hears of the launches of a model's runs and adds them up by kernel.
class Profile {
public:
  /// From now on the runs of `model` are heard, and counted as `runs`. With
  /// `keepLaunches` each launch is kept for trace().
  void listen(LoadedModel &model, bool keepLaunches);

  /// Says that the runs heard of, `runs` of them, took `seconds` in all, and
  /// measures the machine.
  void finish(int64_t runs, double seconds, int threads);

  /// A row for each kernel, the dearest first, per run.
  void print(llvm::raw_ostream &out) const;
  llvm::json::Value asJson() const;

  /// The launches as a trace that chrome://tracing and Perfetto read.
  std::string trace() const;

private:
  using Clock = std::chrono::steady_clock;

  struct Row {
    int32_t kernel = 0;
    int64_t calls = 0;
    double flops = 0, bytes = 0, seconds = 0, floor = 0;
    /// How often which flops and bytes: each launch has a floor of its own.
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
  std::string version; ///< of the code
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
