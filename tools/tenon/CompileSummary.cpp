// What `tenon compile` prints at its end, as text or as JSON.
#include "tools/tenon/CompileSummary.h"

#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/DeviceFlags.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace tenon::cli::options;

namespace tenon::cli {

static llvm::json::Object describe(const QuantizationReport &report) {
  return llvm::json::Object{{"quantized", report.quantized},
                            {"weights", report.weights},
                            {"bytes_before", report.bytesBefore},
                            {"bytes", report.bytes},
                            {"max_error", report.maximum},
                            {"rms_error", report.rms()},
                            {"worst", llvm::json::fixUTF8(report.worst)},
                            {"worst_rms_error", report.worstRms}};
}

/// Counts of decisions by category and name.
static llvm::json::Object
describe(const std::vector<DecisionCount> &decisions) {
  llvm::json::Object all;
  for (const DecisionCount &decision : decisions) {
    llvm::json::Value &category = all[decision.category];
    if (!category.getAsObject())
      category = llvm::json::Object();
    (*category.getAsObject())[decision.name] = decision.count;
  }
  return all;
}

static llvm::json::Array
describe(const std::vector<DeviceImageReport> &images) {
  llvm::json::Array array;
  for (const DeviceImageReport &image : images)
    for (auto [kind, bytes] :
         {std::pair("ptx", image.bytes), {"cubin", image.cubinBytes}})
      if (bytes)
        array.push_back(llvm::json::Object{{"architecture", image.architecture},
                                           {"kind", kind},
                                           {"bytes", bytes}});
  return array;
}

/// Tells where an artifact with a device version runs.
static void noteDevices(Invocation &call, const CompileOptions &options,
                        const CompileReport &report) {
  if (options.emit == EmitKind::Ptx)
    return;
  std::string devices = "on NVIDIA GPUs " + coverage(report.images);
  const char *how = options.emit == EmitKind::Object
                        ? "opened with the device \"cuda\""
                        : "with --device=nvptx";
  call.talk.note(options.versionsForCpus
                     ? std::string("runs on CPUs, and ") + how + " " + devices
                     : "runs " + devices + ", " + how +
                           "; it has no version for CPUs alone");
}

/// Prints the bytes that quantization saves and the precision it costs.
static void printQuantization(const QuantizationReport &report) {
  llvm::outs() << llvm::formatv("quantized {0} of {1} weights: {2} -> {3}",
                                report.quantized, report.weights,
                                formatBytes(report.bytesBefore),
                                formatBytes(report.bytes));
  if (report.quantized)
    llvm::outs() << llvm::formatv(
        "; error rms {0:e2}, max {1:e2} of a weight's greatest element; worst "
        "'{2}', rms {3:e2}",
        report.rms(), report.maximum, escapeForTerminal(report.worst),
        report.worstRms);
  llvm::outs() << '\n';
}

void printSummary(Invocation &call, const CompileOptions &options,
                  const CompileReport &report,
                  const std::vector<PhaseReport> &phases, double seconds) {
  llvm::raw_ostream &out = llvm::outs();
  if (wantsJson(call.args)) {
    llvm::json::Array stages;
    for (const PhaseReport &phase : phases)
      stages.push_back(llvm::json::Object{
          {"name", phase.name},
          {"seconds", phase.seconds},
          {"cpu_seconds", phase.cpuSeconds},
          {"ops", phase.ops < 0 ? llvm::json::Value(nullptr) : phase.ops}});
    llvm::json::Object object{
        {"schema", 1},
        {"output", llvm::json::fixUTF8(options.output)},
        {"header", llvm::json::fixUTF8(report.header)},
        {"weights_file", llvm::json::fixUTF8(report.weightsFile)},
        {"weight_bytes", report.weightBytes},
        {"products", nameOf(report.products)},
        {"stages", std::move(stages)},
        {"peak_memory", report.peakMemory},
        {"seconds", seconds}};
    if (report.codeBytes)
      object["code_bytes"] = report.codeBytes;
    if (!report.images.empty())
      object["device_code"] = describe(report.images);
    if (options.weightFormat != WeightFormat::F32)
      object["quantization"] = describe(report.quantization);
    if (options.countDecisions)
      object["decisions"] = describe(report.decisions);
    object["arena_bytes"] = report.arenaBytes < 0
                                ? llvm::json::Value(nullptr)
                                : llvm::json::Value(report.arenaBytes);
    out << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
    return;
  }
  if (call.args.hasArg(OPT_time))
    for (const PhaseReport &phase : phases)
      out << llvm::formatv("{0,-10} {1,10}  cpu {2,10}", phase.name,
                           formatTime(phase.seconds),
                           formatTime(phase.cpuSeconds))
          << (phase.ops < 0 ? "" : "  " + std::to_string(phase.ops) + " ops")
          << '\n';
  if (call.args.hasArg(OPT_time))
    out << llvm::formatv("{0,-10} {1,10}\n", "memory",
                         formatBytes(report.peakMemory));
  for (const DecisionCount &decision : report.decisions)
    out << llvm::formatv("{0,-10} {1,-20} {2,7}\n", decision.category,
                         decision.name, decision.count);
  if (!report.images.empty())
    noteDevices(call, options, report);
  if (call.talk.isQuiet())
    return;
  out << escapeForTerminal(options.output);
  if (report.codeBytes)
    out << "  code " << formatBytes(report.codeBytes);
  for (const DeviceImageReport &image : report.images) {
    out << "  " << image.architecture << " " << formatBytes(image.bytes);
    if (image.cubinBytes)
      out << ", cubin " << formatBytes(image.cubinBytes);
  }
  out << "  weights " << formatBytes(report.weightBytes) << "  workspace "
      << (report.arenaBytes < 0 ? "by size" : formatBytes(report.arenaBytes))
      << llvm::formatv("  {0:f1} s\n", seconds);
  if (options.weightFormat != WeightFormat::F32)
    printQuantization(report.quantization);
}

} // namespace tenon::cli
