// The hook only reads the clock twice and adds up times. Everything else is
// computed after the runs.
#include "tools/tenon/Profile.h"

#include "tools/tenon/Talk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tenon::cli {

void Profile::listen(LoadedModel &model, bool keepLaunches) {
  function = &model.getFunction();
  tenon_model_info info = model.getInfo();
  run.function = function->name;
  run.version = info.version;
  run.device = info.device ? info.device : "";
  this->keepLaunches = keepLaunches;
  rows.assign(function->num_kernels, {});
  for (auto [i, row] : llvm::enumerate(rows))
    row.kernel = int32_t(i);
  launches.clear();
  began = Clock::now();
  model.setProfile(hear, this);
}

void Profile::hear(void *state, int32_t launch, int32_t ended, int64_t flops,
                   int64_t bytes) {
  auto &self = *static_cast<Profile *>(state);
  if (!ended) {
    self.launched = Clock::now();
    return;
  }
  auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  double took = seconds(Clock::now() - self.launched);
  Row &row = self.rows[self.function->launches[launch].kernel];
  ++row.cost.calls;
  row.cost.seconds += took;
  ++row.works[{flops, bytes}];
  if (self.keepLaunches)
    self.launches.push_back(
        {launch, seconds(self.launched - self.began), took, flops, bytes});
}

void Profile::finish(int64_t runs, double seconds, int threads) {
  run.runs = runs;
  run.seconds = seconds;
  bool isHost = run.device.empty();
  if (isHost)
    run.peaks = measurePeaks(threads);
  llvm::erase_if(rows, [](const Row &row) { return row.cost.calls == 0; });
  for (Row &row : rows)
    for (auto &[work, count] : row.works) {
      row.cost.flops += double(work.first) * double(count);
      row.cost.bytes += double(work.second) * double(count);
      if (isHost)
        row.cost.floor =
            row.cost.floor.value_or(0) +
            run.peaks.floor(work.first, work.second) * double(count);
    }
  llvm::sort(rows, [](const Row &a, const Row &b) {
    return a.cost.seconds != b.cost.seconds ? a.cost.seconds > b.cost.seconds
                                            : a.kernel < b.kernel;
  });
}

void Profile::print(llvm::raw_ostream &out) const {
  double kernels = 0, floor = 0;
  for (const Row &row : rows) {
    kernels += row.cost.seconds;
    floor += row.cost.floor.value_or(0);
  }
  const MachinePeaks &peaks = run.peaks;
  double each = 1 / double(run.runs);
  out << "code for " << escapeForTerminal(run.version)
      << (run.device.empty() ? "" : " on " + escapeForTerminal(run.device))
      << '\n';
  out << llvm::formatv("{0} a run, {1} of it in kernels",
                       formatTime(run.seconds * each),
                       formatTime(kernels * each));
  if (run.device.empty())
    out << llvm::formatv("; the least for them is {0}\n{1} threads reach "
                         "{2:f0} GFLOP/s and read {3:f0} GB/s from their "
                         "caches, {4:f0} from the shared one, {5:f0} from "
                         "memory",
                         formatTime(floor * each), peaks.threads,
                         peaks.flops / 1e9, peaks.cacheRead / 1e9,
                         peaks.sharedRead / 1e9, peaks.memoryRead / 1e9);
  out << "\n calls        time  share    MFLOP        MB  "
      << (run.device.empty() ? "     floor  reached  " : "")
      << "kernel  (nodes)\n";
  for (const Row &row : rows) {
    const tenon_kernel_desc &kernel = function->kernels[row.kernel];
    const LaunchCost &cost = row.cost;
    out << llvm::formatv("{0,6:f0} {1,11} {2,5:f1}% {3,8:f1} {4,9:f2}",
                         double(cost.calls) * each,
                         formatTime(cost.seconds * each),
                         100 * cost.seconds / kernels, cost.flops * each / 1e6,
                         cost.bytes * each / 1e6);
    if (cost.floor)
      out << llvm::formatv(" {0,11} {1,7:f0}%", formatTime(*cost.floor * each),
                           100 * *cost.floor / cost.seconds);
    out << "  " << escapeForTerminal(kernel.name) << "  ("
        << escapeForTerminal(llvm::join(nodesOf(kernel), ", ")) << ")\n";
  }
}

llvm::json::Value Profile::asJson() const {
  llvm::json::Array kernels;
  for (const Row &row : rows) {
    const tenon_kernel_desc &kernel = function->kernels[row.kernel];
    llvm::json::Array names;
    for (const std::string &node : nodesOf(kernel))
      names.push_back(llvm::json::fixUTF8(node));
    llvm::json::Object object = cli::asJson(row.cost);
    object["name"] = llvm::json::fixUTF8(kernel.name);
    object["nodes"] = std::move(names);
    kernels.push_back(std::move(object));
  }
  llvm::json::Object result = cli::asJson(run);
  result["kernels"] = std::move(kernels);
  return result;
}

std::string Profile::trace() const {
  llvm::json::Array events;
  for (const Launch &launch : launches) {
    const tenon_launch_desc &desc = function->launches[launch.number];
    events.push_back(cli::asJson(
        LaunchEvent{function->kernels[desc.kernel].name, desc.nodes,
                    launch.start, launch.seconds, launch.flops, launch.bytes}));
  }
  return llvm::formatv("{0}\n", llvm::json::Value(llvm::json::Object{
                                    {"traceEvents", std::move(events)},
                                    {"otherData", cli::asJson(run)}}))
      .str();
}

} // namespace tenon::cli
