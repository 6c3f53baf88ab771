// A problem with the cache is never an error: it gives one warning, and the
// model is compiled without the cache.
#include "tools/tenon/ObtainArtifact.h"

#include "compiler/Compiler.h"
#include "compiler/Fingerprint.h"
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/DeviceFlags.h"
#include "tools/tenon/LoadedModel.h"
#include "tools/tenon/PhaseProgress.h"

#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <cstdlib>
#include <sys/file.h>

namespace tenon::cli {

static constexpr uint64_t defaultLimit = uint64_t(5) << 30;

Status readCacheLimit(Invocation &call, uint64_t &bytes) {
  const char *text = getenv("TENON_CACHE_LIMIT");
  std::optional<uint64_t> limit =
      text && *text ? parseSize(text) : defaultLimit;
  if (!limit)
    return call.talk.usage("TENON_CACHE_LIMIT: expected a size such as 512M or "
                           "2G, or 0, got '" +
                           std::string(text) + "'");
  bytes = *limit;
  return Status::Success;
}

namespace {
/// Obtains the artifact of one model.
class Obtaining {
public:
  Obtaining(Invocation &call, CompileOptions options, Artifact &artifact)
      : call(call), options(std::move(options)), artifact(artifact) {}

  Status run() {
    uint64_t limit = 0;
    if (Status status = readCacheLimit(call, limit); status != Status::Success)
      return status;
    cache = CacheFolder::ofUser();
    if (limit == 0 || cache.getPath().empty())
      return compileElsewhere();
    fingerprint = takeFingerprint(options);
    if (!fingerprint)
      return compileElsewhere();
    if (std::string why = cache.open(); !why.empty()) {
      warn("the cache is not used: " + why);
      return compileElsewhere();
    }
    if (find())
      return Status::Success;
    MakingLock lock = cache.lock(fingerprint->text, [&] {
      call.talk.detail("waiting for another process that compiles this model");
    });
    // Another process may have made the entry meanwhile.
    if (find())
      return Status::Success;
    if (!damage.empty())
      warn("a damaged entry of the cache is made again: " + damage);
    Status status = compileIntoCache();
    if (status == Status::Success && artifact.isCached)
      cache.prune(limit);
    return status;
  }

private:
  /// Warns once: later problems have the first one's cause.
  void warn(std::string text) {
    if (warned)
      return;
    warned = true;
    Diagnostic warning;
    warning.severity = Severity::Warning;
    warning.file = "tenon";
    warning.text = std::move(text);
    call.talk.say(warning);
  }

  bool find() {
    HeldEntry held = cache.find(fingerprint->text, damage);
    if (held.artifact.empty())
      return false;
    call.talk.detail("found in the cache: " + held.artifact);
    artifact.path = held.artifact;
    artifact.held = std::move(held);
    artifact.isCached = true;
    return true;
  }

  CompileReport compileTo(const std::string &folder,
                          const DiagnosticHandler &report) {
    auto start = std::chrono::steady_clock::now();
    options.emit = EmitKind::Shared;
    options.output = folder + "/" + artifactName;
    Compiler compiler(report);
    showPhases(call, compiler, Compiler::countSteps(options));
    call.talk.detail("compiling " + options.input + " into " + options.output);
    CompileReport result = compiler.compile(options);
    artifact.path = options.output;
    artifact.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    return result;
  }

  Status compileElsewhere() {
    artifact.directory = std::make_unique<TemporaryDirectory>();
    if (std::string why = artifact.directory->create(); !why.empty())
      return call.talk.fail(Status::Io, "tenon", why);
    return compileTo(artifact.directory->getPath(), call.talk.handler()).status;
  }

  Status compileIntoCache() {
    artifact.directory = std::make_unique<TemporaryDirectory>();
    std::string made;
    if (std::string why =
            cache.makeWorkFolder(*artifact.directory, artifact.lock, made);
        !why.empty()) {
      warn("the cache is not used: " + why);
      return compileElsewhere();
    }
    // An I/O error on files of the cache is not an error of the model.
    std::string unwritable;
    CompileReport report = compileTo(made, [&](const Diagnostic &said) {
      if (said.status == Status::Io && said.severity == Severity::Error &&
          llvm::StringRef(said.file).starts_with(made))
        unwritable = said.text;
      else
        call.talk.say(said);
    });
    if (!unwritable.empty()) {
      warn("the cache is not used: '" + cache.getPath() + "': " + unwritable);
      return compileElsewhere();
    }
    if (report.status != Status::Success)
      return report.status;
    // If the model changed meanwhile, the artifact is run but not stored under
    // the old fingerprint.
    std::string why =
        fingerprint->isStillTrue(report.filesRead)
            ? cache.publish(made, fingerprint->text, artifact.held)
            : "the model changed while it was compiled";
    if (!why.empty()) {
      warn("the compiled model is not cached: " + why);
      return Status::Success;
    }
    artifact.path = artifact.held.artifact;
    artifact.isCached = true;
    artifact.directory.reset();
    call.talk.note(
        llvm::formatv("compiled in {0:f1} s, cached", artifact.seconds));
    return Status::Success;
  }

  Invocation &call;
  CompileOptions options;
  Artifact &artifact;
  CacheFolder cache;
  std::optional<Fingerprint> fingerprint;
  std::string damage; ///< the problem of the entry that was found
  bool warned = false;
};
} // namespace

Status obtainCompiled(Invocation &call, CompileOptions options,
                      Artifact &artifact) {
  return Obtaining(call, std::move(options), artifact).run();
}

Status obtainArtifact(Invocation &call, const std::string &path,
                      Artifact &artifact) {
  if (isArtifact(path)) {
    artifact.path = path;
    return checkDevice(call, path);
  }
  CompileOptions options;
  options.input = path;
  if (Status status = readCodeFlags(call, options); status != Status::Success)
    return status;
  if (Status status = readEntryFlags(call, options.tensorflow);
      status != Status::Success)
    return status;
  if (Status status = readShapes(call, options); status != Status::Success)
    return status;
  if (Status status = readVariantFlags(call, options);
      status != Status::Success)
    return status;
  Status status = obtainCompiled(call, std::move(options), artifact);
  setCurrentStage("run");
  return status;
}

} // namespace tenon::cli
