// Events of one kernel and the same nodes are added up. Each event has its own
// floor, because a kernel may be called for several sizes.
#include "tools/tenon/report/ProfileTrace.h"

#include <map>

namespace tenon::cli {

Status readTrace(Talk &talk, const std::string &path, ProfileTrace &trace) {
  std::map<std::pair<std::string, std::string>, size_t> known;
  auto add = [&](const LaunchEvent &event) {
    auto [found, isNew] =
        known.try_emplace({event.kernel, event.nodes}, trace.launches.size());
    if (isNew)
      trace.launches.push_back({event.kernel, event.nodes, {}});
    LaunchCost &cost = trace.launches[found->second].cost;
    ++cost.calls;
    cost.seconds += event.seconds;
    cost.flops += double(event.flops);
    cost.bytes += double(event.bytes);
    if (trace.run.device.empty())
      cost.floor = cost.floor.value_or(0) +
                   trace.run.peaks.floor(event.flops, event.bytes);
  };
  return readJson(
      talk, path, "the trace of 'tenon run --profile=TRACE.json'",
      [&](const JsonReader &root) {
        trace.run = readRun(root.member("otherData"));
        root.member("traceEvents").each([&](const JsonReader &event) {
          add(readEvent(event));
        });
      });
}

} // namespace tenon::cli
