// Each key is written and read here.
#include "tools/tenon/report/ProfileJson.h"

using llvm::json::fixUTF8;
using llvm::json::Object;

namespace tenon::cli {

static constexpr std::pair<const char *, double MachinePeaks::*> rates[] = {
    {"peak_flops", &MachinePeaks::flops},
    {"peak_cache_read", &MachinePeaks::cacheRead},
    {"peak_shared_read", &MachinePeaks::sharedRead},
    {"peak_memory_read", &MachinePeaks::memoryRead}};

Object asJson(const ProfiledRun &run) {
  Object object{{"function", fixUTF8(run.function)},
                {"version", fixUTF8(run.version)},
                {"runs", run.runs},
                {"seconds", run.seconds}};
  if (!run.device.empty()) {
    object["device_name"] = fixUTF8(run.device);
    return object;
  }
  object["threads"] = run.peaks.threads;
  for (auto [key, rate] : rates)
    object[key] = run.peaks.*rate;
  return object;
}

ProfiledRun readRun(const JsonReader &object) {
  ProfiledRun run;
  run.function = object.member("function").text();
  run.version = object.member("version").text();
  run.runs = object.member("runs").integer(1);
  run.seconds = object.member("seconds").number(0);
  if (JsonReader device = object.member("device_name"); device.isThere()) {
    run.device = device.text();
    return run;
  }
  run.peaks.threads = int(object.member("threads").integer(1, INT32_MAX));
  // From 1 on, so that no floor is infinite.
  for (auto [key, rate] : rates)
    run.peaks.*rate = object.member(key).number(1);
  return run;
}

Object asJson(const LaunchCost &cost) {
  Object object{{"calls", cost.calls},
                {"seconds", cost.seconds},
                {"flops", cost.flops},
                {"bytes", cost.bytes}};
  if (cost.floor)
    object["floor_seconds"] = *cost.floor;
  return object;
}

Object asJson(const LaunchEvent &event) {
  return Object{{"name", fixUTF8(event.kernel)},
                {"ph", "X"},
                {"pid", 1},
                {"tid", 1},
                {"ts", event.start * 1e6},
                {"dur", event.seconds * 1e6},
                {"args", Object{{"nodes", fixUTF8(event.nodes)},
                                {"flops", event.flops},
                                {"bytes", event.bytes}}}};
}

LaunchEvent readEvent(const JsonReader &object) {
  JsonReader args = object.member("args");
  LaunchEvent event;
  event.kernel = object.member("name").text();
  event.start = object.member("ts").number(0) * 1e-6;
  event.seconds = object.member("dur").number(0) * 1e-6;
  event.nodes = args.member("nodes").text();
  event.flops = args.member("flops").integer();
  event.bytes = args.member("bytes").integer();
  return event;
}

} // namespace tenon::cli
