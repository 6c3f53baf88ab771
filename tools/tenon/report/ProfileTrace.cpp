// Events of one kernel and the same nodes are added up. Each event has its own
// floor, because a kernel may be called for several sizes.
#include "tools/tenon/report/ProfileTrace.h"

#include "tools/tenon/OutputFile.h"

#include <cmath>
#include <map>

using llvm::json::Object;

namespace tenon::cli {

static double numberOf(const Object &object, llvm::StringRef key) {
  return object.getNumber(key).value_or(NAN);
}

static std::string textOf(const Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

/// The reason why `other` cannot be otherData of a profile, or empty.
static std::string readCircumstances(const Object &other, ProfileTrace &trace) {
  trace.function = textOf(other, "function");
  trace.version = textOf(other, "version");
  trace.device = textOf(other, "device_name");
  trace.runs = other.getInteger("runs").value_or(0);
  trace.seconds = numberOf(other, "seconds");
  if (trace.function.empty() || trace.runs < 1 || !(trace.seconds >= 0))
    return "otherData has no function, runs and seconds";
  if (!trace.device.empty())
    return "";
  trace.peaks.threads = int(other.getInteger("threads").value_or(0));
  trace.peaks.flops = numberOf(other, "peak_flops");
  trace.peaks.cacheRead = numberOf(other, "peak_cache_read");
  trace.peaks.sharedRead = numberOf(other, "peak_shared_read");
  trace.peaks.memoryRead = numberOf(other, "peak_memory_read");
  for (double peak : {trace.peaks.flops, trace.peaks.cacheRead,
                      trace.peaks.sharedRead, trace.peaks.memoryRead})
    if (!(peak > 0))
      return "otherData has no peaks of the machine";
  return trace.peaks.threads > 0 ? "" : "otherData has no threads";
}

Status readTrace(Talk &talk, const std::string &path, ProfileTrace &trace) {
  std::string content;
  if (Status status = readWhole(talk, path, content); status != Status::Success)
    return status;
  auto invalid = [&](const std::string &why) {
    return talk.fail(Status::InvalidModel, path, why, {},
                     "expected the trace of 'tenon run --profile=TRACE.json'");
  };
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(content);
  if (!parsed)
    return invalid(llvm::toString(parsed.takeError()));
  const Object *root = parsed->getAsObject();
  const llvm::json::Array *events =
      root ? root->getArray("traceEvents") : nullptr;
  const Object *other = root ? root->getObject("otherData") : nullptr;
  if (!events || !other)
    return invalid("no traceEvents with otherData");
  if (std::string why = readCircumstances(*other, trace); !why.empty())
    return invalid(why);
  std::map<std::pair<std::string, std::string>, size_t> known;
  for (const llvm::json::Value &value : *events) {
    const Object *event = value.getAsObject();
    const Object *args = event ? event->getObject("args") : nullptr;
    std::optional<int64_t> flops =
                               args ? args->getInteger("flops") : std::nullopt,
                           bytes =
                               args ? args->getInteger("bytes") : std::nullopt;
    double microseconds = event ? numberOf(*event, "dur") : NAN;
    if (!flops || !bytes || !(microseconds >= 0))
      return invalid("an event without dur, flops and bytes");
    std::string kernel = textOf(*event, "name"), nodes = textOf(*args, "nodes");
    auto [found, isNew] =
        known.try_emplace({kernel, nodes}, trace.launches.size());
    if (isNew)
      trace.launches.push_back({kernel, nodes});
    TracedLaunch &launch = trace.launches[found->second];
    ++launch.calls;
    launch.seconds += microseconds * 1e-6;
    launch.flops += double(*flops);
    launch.bytes += double(*bytes);
    if (trace.device.empty())
      launch.floor += trace.peaks.floor(*flops, *bytes);
  }
  return Status::Success;
}

} // namespace tenon::cli
