// `tenon compile` compiles a model to an artifact. Every error of the command
// line or of the output's location is reported before the compiler starts.
#include "compiler/Compiler.h"
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/CompileSummary.h"
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
  case EmitKind::Ptx:
    return ".ptx";
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
    std::vector<std::string> known = {"obj",  "shared", "exe", "asm",
                                      "llvm", "ptx",    "mlir"};
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
             .Case("ptx", EmitKind::Ptx)
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
      .Case(".ptx", EmitKind::Ptx)
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

/// Refuses kinds of output that cannot have the versions of --device.
static Status checkDevices(Invocation &call, const CompileOptions &options) {
  if (options.standalone && !options.devices.empty())
    return call.talk.usage("--standalone: a device version needs the runtime",
                           "leave out --standalone, or pass --device=cpu");
  if (options.cubins &&
      (options.emit == EmitKind::Ptx || options.emit == EmitKind::Mlir))
    return call.talk.usage("--cubins: cubins are a part of artifacts",
                           "leave out --cubins, or pass --emit=shared");
  if (options.emit != EmitKind::Ptx)
    return Status::Success;
  if (options.devices.empty())
    return call.talk.usage("PTX is for NVIDIA GPUs",
                           "pass --device=nvptx:sm_80 too");
  if (options.devices.size() > 1 || options.versionsForCpus)
    return call.talk.usage(
        call.args.getLastArg(OPT_device)->getAsString(call.args) +
            ": a file of PTX is for one architecture",
        "pass --device=nvptx:" + options.devices.back());
  if (!options.header.empty())
    return call.talk.usage("--header is not for PTX");
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
      return call.talk.usage(
          "cannot tell from '" + options.output + "' what to emit",
          "pass --emit=obj, shared, exe, asm, llvm, ptx or mlir");
  }
  if (!kind && named)
    return call.talk.usage("-o - needs a flag that says what to emit",
                           "pass -S, or --emit=asm, llvm, ptx or mlir");
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
  if (Status status = checkDevices(call, options); status != Status::Success)
    return status;
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
      options.emit != EmitKind::Mlir && options.emit != EmitKind::Ptx)
    outputs.push_back({"the weight file", beside("safetensors")});
  return checkDistinct(call.talk, outputs, options.input);
}

static Status compileModel(Invocation &call, CompileOptions options) {
  auto start = std::chrono::steady_clock::now();
  std::vector<PhaseReport> phases;
  Compiler compiler(call.talk.handler());
  showPhases(call, compiler, Compiler::countSteps(options));
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
    printSummary(call, options, report, phases, seconds);
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
      options.emit != EmitKind::Ptx && !call.args.hasArg(OPT_mcpu) &&
      options.versions.empty())
    call.talk.note(
        llvm::formatv("tuned for this CPU ({0}); pass -mcpu=x86-64-v3 for "
                      "portable code",
                      llvm::sys::getHostCPUName()));
  return compileModel(call, std::move(options));
}

} // namespace tenon::cli
