// `tenon compile` compiles a model to an artifact. Every error of the command
// line or of the output's location is reported before the compiler starts.
#include "compiler/Compiler.h"
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/Interrupts.h"
#include "tools/tenon/ObtainArtifact.h"
#include "tools/tenon/OutputFile.h"
#include "tools/tenon/PhaseProgress.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <utility>

using namespace tenon::cli::options;
using llvm::opt::Arg;

namespace tenon::cli {

static const char *extensionOf(EmitKind kind) {
  switch (kind) {
  case EmitKind::Object:
    return ".o";
  case EmitKind::Shared:
    return ".so";
  case EmitKind::Executable:
    return "";
  case EmitKind::Assembly:
    return ".s";
  case EmitKind::LlvmIr:
    return ".ll";
  case EmitKind::Mlir:
    return ".mlir";
  }
  return "";
}

/// Sets `kind` to the kind that the flags name; leaves it unset if there is no
/// such flag. Conflicting flags are a usage error.
static Status readEmitFlags(Invocation &call, std::optional<EmitKind> &kind) {
  std::string first;
  auto choose = [&](const char *flag, EmitKind wanted) {
    if (kind && *kind != wanted)
      return call.talk.usage(std::string(flag) + " contradicts " + first);
    first = flag;
    kind = wanted;
    return Status::Success;
  };
  Status status = Status::Success;
  auto also = [&](bool given, const char *flag, EmitKind wanted) {
    if (given && status == Status::Success)
      status = choose(flag, wanted);
  };
  bool llvmIr = call.args.hasArg(OPT_emit_llvm);
  if (llvmIr && !call.args.hasArg(OPT_S))
    return call.talk.usage("-emit-llvm needs -S");
  also(call.args.hasArg(OPT_c), "-c", EmitKind::Object);
  also(call.args.hasArg(OPT_shared), "-shared", EmitKind::Shared);
  also(call.args.hasArg(OPT_S), "-S",
       llvmIr ? EmitKind::LlvmIr : EmitKind::Assembly);
  if (const Arg *arg = call.args.getLastArg(OPT_emit)) {
    std::vector<std::string> known = {"obj", "shared", "exe",
                                      "asm", "llvm",   "mlir"};
    std::string name;
    if (Status bad = readChoice(call, OPT_emit, known, "", name);
        bad != Status::Success)
      return bad;
    also(true, arg->getSpelling().data(),
         llvm::StringSwitch<EmitKind>(name)
             .Case("obj", EmitKind::Object)
             .Case("shared", EmitKind::Shared)
             .Case("exe", EmitKind::Executable)
             .Case("asm", EmitKind::Assembly)
             .Case("llvm", EmitKind::LlvmIr)
             .Default(EmitKind::Mlir));
  }
  if (call.args.hasArg(OPT_stop_after))
    also(true, "--stop-after", EmitKind::Mlir);
  return status;
}

/// The kind that the extension of the output's name stands for.
static std::optional<EmitKind> kindOfName(const std::string &output) {
  return llvm::StringSwitch<std::optional<EmitKind>>(
             llvm::sys::path::extension(output))
      .Case(".o", EmitKind::Object)
      .Case(".so", EmitKind::Shared)
      .Case("", EmitKind::Executable)
      .Case(".s", EmitKind::Assembly)
      .Case(".ll", EmitKind::LlvmIr)
      .Case(".mlir", EmitKind::Mlir)
      .Default(std::nullopt);
}

/// Handles --cache: refuses flags about the output, because the cache chooses
/// its name.
static Status readCacheFlag(Invocation &call, CompileOptions &options) {
  for (unsigned id : {OPT_o, OPT_c, OPT_S, OPT_emit, OPT_stop_after,
                      OPT_standalone, OPT_header, OPT_MD, OPT_dump_to})
    if (const Arg *arg = call.args.getLastArg(id))
      return call.talk.usage(
          arg->getAsString(call.args) +
          " is not for --cache, which makes a shared object in its own place");
  for (unsigned id : {OPT_remarks, OPT_stats})
    if (const Arg *arg = call.args.getLastArg(id))
      return call.talk.usage(arg->getAsString(call.args) +
                             " is not for --cache, which compiles only what it "
                             "does not have");
  options.emit = EmitKind::Shared;
  return Status::Success;
}

static Status readOutput(Invocation &call, CompileOptions &options) {
  if (call.args.hasArg(OPT_cache))
    return readCacheFlag(call, options);
  std::optional<EmitKind> kind;
  if (Status status = readEmitFlags(call, kind); status != Status::Success)
    return status;
  options.output = call.args.getLastArgValue(OPT_o).str();
  bool named = call.args.hasArg(OPT_o);
  if (named)
    if (Status status = checkOutput(call.talk, options.output, options.input);
        status != Status::Success)
      return status;
  if (!kind && named && options.output != "-") {
    kind = kindOfName(options.output);
    if (!kind)
      return call.talk.usage("cannot tell from '" + options.output +
                                 "' what to emit",
                             "pass --emit=obj, shared, exe, asm, llvm or mlir");
  }
  if (!kind && named)
    return call.talk.usage("-o - needs a flag that says what to emit",
                           "pass -S, or --emit=asm, llvm or mlir");
  options.emit = kind.value_or(EmitKind::Shared);
  if (!named) {
    llvm::StringRef stem =
        llvm::sys::path::stem(llvm::StringRef(options.input).rtrim('/'));
    options.output = options.emit == EmitKind::Mlir
                         ? "-"
                         : stem.str() + extensionOf(options.emit);
  }
  if (options.standalone && options.emit != EmitKind::Object)
    return call.talk.usage("--standalone is for objects", "pass -c");
  return checkOutput(call.talk, options.output, options.input);
}

static Status readStage(Invocation &call, CompileOptions &options) {
  if (!call.args.hasArg(OPT_stop_after))
    return Status::Success;
  std::vector<std::string> stages;
  for (const PhaseInfo &phase : Compiler::phases())
    stages.push_back(phase.name);
  return readChoice(call, OPT_stop_after, stages, "", options.stopAfter);
}

static Status readOptions(Invocation &call, CompileOptions &options) {
  std::string weights;
  Status status = readOnePositional(call, "a model", options.input);
  auto then = [&](auto step) {
    if (status == Status::Success)
      status = step();
  };
  then([&] { return readCodeFlags(call, options); });
  then([&] { return readShapeFlags(call, options); });
  then([&] { return readVariantFlags(call, options); });
  then([&] { return readEntryFlags(call, options.tensorflow); });
  then([&] { return readRemarkFlags(call, options); });
  then([&] {
    return readChoice(call, OPT_weights, {"auto", "embed", "external"}, "auto",
                      weights);
  });
  then([&] {
    std::string format;
    return readChoice(call, OPT_format, {"text", "json"}, "text", format);
  });
  then([&] { return readStage(call, options); });
  then([&] {
    int64_t jobs = 0;
    Status status = readNumber(call, OPT_jobs, 1, 1024, jobs);
    options.jobs = int(jobs);
    return status;
  });
  options.weights = llvm::StringSwitch<WeightPlacement>(weights)
                        .Case("embed", WeightPlacement::Embed)
                        .Case("external", WeightPlacement::External)
                        .Default(WeightPlacement::Auto);
  options.name = call.args.getLastArgValue(OPT_name).str();
  options.triple = call.args.getLastArgValue(OPT_target).str();
  options.header = call.args.getLastArgValue(OPT_header).str();
  options.dumpDir = call.args.getLastArgValue(OPT_dump_to).str();
  options.standalone = call.args.hasArg(OPT_standalone);
  options.countDecisions = call.args.hasArg(OPT_stats);
  then([&] { return readOutput(call, options); });
  then([&] {
    return options.header.empty()
               ? Status::Success
               : checkOutput(call.talk, options.header, options.input);
  });
  return status;
}

/// The path of the file that -MD writes.
static std::string dependencyPath(Invocation &call,
                                  const CompileOptions &options) {
  std::string path = call.args.getLastArgValue(OPT_MF).str();
  if (!path.empty())
    return path;
  llvm::SmallString<256> derived(options.output);
  llvm::sys::path::replace_extension(derived, "d");
  return derived.str().str();
}

static Status readDependencyFlags(Invocation &call, CompileOptions &options) {
  if (call.args.hasArg(OPT_MF) && !call.args.hasArg(OPT_MD))
    return call.talk.usage("-MF needs -MD");
  if (!call.args.hasArg(OPT_MD))
    return Status::Success;
  if (options.emit == EmitKind::Mlir)
    return call.talk.usage("-MD is for what is compiled, not for --emit=mlir");
  if (isStream(options.output))
    return call.talk.usage("-MD names the output's file, and the output is a "
                           "stream",
                           "pass -o FILE");
  options.dependencyFile = dependencyPath(call, options);
  return checkOutput(call.talk, options.dependencyFile, options.input);
}

/// Refuses an output that would overwrite another output or the model, also if
/// no flag names that output.
static Status checkOutputs(Invocation &call, const CompileOptions &options) {
  std::vector<NamedOutput> outputs = {{"the output", options.output}};
  auto beside = [&](const char *extension) {
    llvm::SmallString<256> path(options.output);
    llvm::sys::path::replace_extension(path, extension);
    return path.str().str();
  };
  if (!options.header.empty())
    outputs.push_back({"the header", options.header});
  else if (options.emit == EmitKind::Object)
    outputs.push_back({"the header", beside("h")});
  if (!options.dependencyFile.empty())
    outputs.push_back({"the dependency file", options.dependencyFile});
  if (options.weights != WeightPlacement::Embed && !options.standalone &&
      options.emit != EmitKind::Mlir)
    outputs.push_back({"the weight file", beside("safetensors")});
  return checkDistinct(call.talk, outputs, options.input);
}

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

static void printReport(Invocation &call, const CompileOptions &options,
                        const CompileReport &report,
                        llvm::ArrayRef<PhaseReport> phases, double seconds) {
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
  if (call.talk.isQuiet())
    return;
  out << escapeForTerminal(options.output);
  if (report.codeBytes)
    out << "  code " << formatBytes(report.codeBytes);
  out << "  weights " << formatBytes(report.weightBytes) << "  workspace "
      << (report.arenaBytes < 0 ? "by size" : formatBytes(report.arenaBytes))
      << llvm::formatv("  {0:f1} s\n", seconds);
  if (options.weightFormat != WeightFormat::F32)
    printQuantization(report.quantization);
}

static Status compileModel(Invocation &call, CompileOptions options) {
  auto start = std::chrono::steady_clock::now();
  std::vector<PhaseReport> phases;
  Compiler compiler(call.talk.handler());
  showPhases(call, compiler, options.emit);
  compiler.onPhase = [&, show = compiler.onPhase](const PhaseReport &phase) {
    phases.push_back(phase);
    show(phase);
  };
  llvm::StringRef folder = llvm::sys::path::parent_path(options.output);
  setOutputFolder(folder.empty() ? "." : folder.str());

  if (options.emit == EmitKind::Mlir) {
    Status status = Status::Success;
    std::string text = compiler.printStage(options, status);
    return status == Status::Success
               ? writeOutput(call.talk, options.output, text)
               : status;
  }

  std::string output = options.output;
  TemporaryDirectory directory;
  if (isStream(output)) {
    if (std::string why = directory.create(); !why.empty())
      return call.talk.fail(Status::Io, "tenon", why);
    options.output = directory.getPath() + "/" +
                     llvm::sys::path::stem(options.input).str() +
                     extensionOf(options.emit);
    // A stream carries one file only, so the weights must be in it.
    options.weights = WeightPlacement::Embed;
  }
  // A stream cannot be renamed, so it is written separately.
  std::string dependencies;
  if (!options.dependencyFile.empty() && isStream(options.dependencyFile))
    dependencies = std::exchange(options.dependencyFile, "");
  call.talk.detail(
      "compiling " + options.input + " for " +
      (options.versions.empty() ? options.cpu
                                : llvm::join(options.versions, ", ")) +
      " at -O" + std::to_string(options.optLevel) + " into " + options.output);
  CompileReport report = compiler.compile(options);
  if (report.status == Status::Success && output != options.output) {
    report.status = copyToStream(call.talk, options.output, output);
    options.output = output;
  }
  if (report.status == Status::Success && !dependencies.empty())
    report.status = writeOutput(call.talk, dependencies, report.dependencies);
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (report.status == Status::Success && output != "-")
    printReport(call, options, report, phases, seconds);
  return report.status;
}

/// Compiles into the cache unless the artifact is there, and prints its path.
static Status compileIntoCache(Invocation &call,
                               const CompileOptions &options) {
  Artifact artifact;
  if (Status status = obtainCompiled(call, options, artifact);
      status != Status::Success)
    return status;
  if (!artifact.isCached)
    return call.talk.fail(Status::Io, options.input,
                          "the cache has not taken the compiled model", {},
                          "set TENON_CACHE_DIR to a folder of yours, or pass "
                          "-o FILE instead of --cache");
  if (wantsJson(call.args))
    llvm::outs() << llvm::formatv(
        "{0:2}\n", llvm::json::Value(llvm::json::Object{
                       {"schema", 1},
                       {"output", llvm::json::fixUTF8(artifact.path)},
                       {"seconds", artifact.seconds}}));
  else
    llvm::outs() << artifact.path << '\n';
  return Status::Success;
}

Status compileVerb(Invocation &call) {
  if (call.args.hasArg(OPT_list_stages)) {
    for (const PhaseInfo &phase : Compiler::phases())
      llvm::outs() << llvm::formatv("{0,-10} {1}\n", phase.name, phase.rule);
    return Status::Success;
  }
  CompileOptions options;
  if (Status status = readOptions(call, options); status != Status::Success)
    return status;
  if (Status status = readDependencyFlags(call, options);
      status != Status::Success)
    return status;
  if (call.args.hasArg(OPT_cache))
    return compileIntoCache(call, options);
  if (Status status = checkOutputs(call, options); status != Status::Success)
    return status;
  if (options.cpu == "native" && options.emit != EmitKind::Mlir &&
      !call.args.hasArg(OPT_mcpu) && options.versions.empty())
    call.talk.note(
        llvm::formatv("tuned for this CPU ({0}); pass -mcpu=x86-64-v3 for "
                      "portable code",
                      llvm::sys::getHostCPUName()));
  return compileModel(call, std::move(options));
}

} // namespace tenon::cli
