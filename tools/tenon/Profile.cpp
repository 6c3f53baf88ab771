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
  version = info.version;
  device = info.device ? info.device : "";
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
  ++row.calls;
  row.seconds += took;
  ++row.works[{flops, bytes}];
  if (self.keepLaunches)
    self.launches.push_back(
        {launch, seconds(self.launched - self.began), took, flops, bytes});
}

void Profile::finish(int64_t runs, double seconds, int threads) {
  this->runs = runs;
  this->seconds = seconds;
  if (device.empty())
    peaks = measurePeaks(threads);
  llvm::erase_if(rows, [](const Row &row) { return row.calls == 0; });
  for (Row &row : rows)
    for (auto &[work, count] : row.works) {
      row.flops += double(work.first) * double(count);
      row.bytes += double(work.second) * double(count);
      if (device.empty())
        row.floor += peaks.floor(work.first, work.second) * double(count);
    }
  llvm::sort(rows, [](const Row &a, const Row &b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.kernel < b.kernel;
  });
}

void Profile::print(llvm::raw_ostream &out) const {
  double kernels = 0, floor = 0;
  for (const Row &row : rows) {
    kernels += row.seconds;
    floor += row.floor;
  }
  double each = 1 / double(runs);
  out << "code for " << escapeForTerminal(version)
      << (device.empty() ? "" : " on " + escapeForTerminal(device)) << '\n';
  out << llvm::formatv("{0} a run, {1} of it in kernels",
                       formatTime(seconds * each), formatTime(kernels * each));
  if (device.empty())
    out << llvm::formatv("; the least for them is {0}\n{1} threads reach "
                         "{2:f0} GFLOP/s and read {3:f0} GB/s from their "
                         "caches, {4:f0} from the shared one, {5:f0} from "
                         "memory",
                         formatTime(floor * each), peaks.threads,
                         peaks.flops / 1e9, peaks.cacheRead / 1e9,
                         peaks.sharedRead / 1e9, peaks.memoryRead / 1e9);
  out << "\n calls        time  share    MFLOP        MB  "
      << (device.empty() ? "     floor  reached  " : "") << "kernel  (nodes)\n";
  for (const Row &row : rows) {
    const tenon_kernel_desc &kernel = function->kernels[row.kernel];
    out << llvm::formatv(
        "{0,6:f0} {1,11} {2,5:f1}% {3,8:f1} {4,9:f2}", double(row.calls) * each,
        formatTime(row.seconds * each), 100 * row.seconds / kernels,
        row.flops * each / 1e6, row.bytes * each / 1e6);
    if (device.empty())
      out << llvm::formatv(" {0,11} {1,7:f0}%", formatTime(row.floor * each),
                           100 * row.floor / row.seconds);
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
    llvm::json::Object object{{"name", llvm::json::fixUTF8(kernel.name)},
                              {"nodes", std::move(names)},
                              {"calls", row.calls},
                              {"seconds", row.seconds},
                              {"flops", row.flops},
                              {"bytes", row.bytes}};
    if (device.empty())
      object["floor_seconds"] = row.floor;
    kernels.push_back(std::move(object));
  }
  llvm::json::Object result = circumstances();
  result["kernels"] = std::move(kernels);
  return result;
}

llvm::json::Object Profile::circumstances() const {
  llvm::json::Object result{{"version", llvm::json::fixUTF8(version)},
                            {"runs", runs},
                            {"seconds", seconds}};
  if (!device.empty()) {
    result["device_name"] = llvm::json::fixUTF8(device);
    return result;
  }
  result["threads"] = peaks.threads;
  result["peak_flops"] = peaks.flops;
  result["peak_cache_read"] = peaks.cacheRead;
  result["peak_shared_read"] = peaks.sharedRead;
  result["peak_memory_read"] = peaks.memoryRead;
  return result;
}

std::string Profile::trace() const {
  llvm::json::Array events;
  for (const Launch &launch : launches) {
    const tenon_launch_desc &desc = function->launches[launch.number];
    events.push_back(llvm::json::Object{
        {"name", llvm::json::fixUTF8(function->kernels[desc.kernel].name)},
        {"ph", "X"},
        {"pid", 1},
        {"tid", 1},
        {"ts", launch.start * 1e6},
        {"dur", launch.seconds * 1e6},
        {"args", llvm::json::Object{{"nodes", llvm::json::fixUTF8(desc.nodes)},
                                    {"flops", launch.flops},
                                    {"bytes", launch.bytes}}}});
  }
  llvm::json::Object other = circumstances();
  other["function"] = llvm::json::fixUTF8(function->name);
  return llvm::formatv("{0}\n", llvm::json::Value(llvm::json::Object{
                                    {"traceEvents", std::move(events)},
                                    {"otherData", std::move(other)}}))
      .str();
}

} // namespace tenon::cli
