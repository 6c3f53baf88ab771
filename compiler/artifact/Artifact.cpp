// Writes an artifact. All code is made in memory first. Files are created when
// only disk errors are left, and are renamed together when all are complete.
#include "compiler/artifact/Artifact.h"

#include "compiler/artifact/AtomicFile.h"
#include "compiler/artifact/Cubins.h"
#include "compiler/artifact/Dependencies.h"
#include "compiler/artifact/Descriptor.h"
#include "compiler/artifact/EmbeddedTexts.h"
#include "compiler/artifact/Header.h"
#include "compiler/artifact/Linker.h"
#include "compiler/artifact/ObjectFile.h"
#include "compiler/artifact/WeightEvaluator.h"
#include "compiler/artifact/WeightFile.h"
#include "compiler/codegen/DeviceCode.h"
#include "compiler/codegen/ModuleCompiler.h"
#include "compiler/report/Stopwatch.h"
#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Device.h"
#include "runtime/seal.h"
#include "runtime/tenon_abi.h"
#include "runtime/xxh64.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <deque>

using namespace mlir;

namespace tenon {
namespace {

/// Collects the names in a location, outermost first.
void collectNames(Location loc, llvm::SetVector<StringRef> &names) {
  if (auto name = dyn_cast<NameLoc>(loc))
    names.insert(name.getName().getValue());
  else if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      collectNames(part, names);
  else if (auto call = dyn_cast<CallSiteLoc>(loc))
    collectNames(call.getCallee(), names);
}

class Writer {
public:
  Writer(ArrayRef<ModuleOp> versions, const ModelFacts &facts,
         const CompileOptions &options,
         const std::vector<TargetChoice> &targets, Workers &workers,
         const DiagnosticHandler &report,
         const std::function<void(const PhaseReport &)> &onStep)
      : versions(versions), facts(facts), options(options), targets(targets),
        workers(workers), report(report), onStep(onStep),
        compiler(targets, report), stem(symbolStem(options)) {}

  CompileReport run() {
    result.output = options.output;
    result.weightBytes = facts.weightBytes;
    if (facts.functions.size() == 1)
      result.arenaBytes = facts.functions[0].arenaBytes;
    if (!write() && result.status == Status::Success)
      result.status = Status::Internal;
    return result;
  }

private:
  bool fail(Status status, const std::string &file, std::string text,
            std::string help = "") {
    Diagnostic diagnostic;
    diagnostic.file = file;
    diagnostic.text = std::move(text);
    diagnostic.help = std::move(help);
    diagnostic.status = result.status = status;
    report(diagnostic);
    return false;
  }
  bool failFile(const AtomicFile &file) {
    return fail(Status::Io, file.path(),
                std::string("cannot write: ") + strerror(file.error()));
  }

  void finishStep(const char *name, const Stopwatch &watch) {
    if (onStep)
      onStep({name, watch.seconds(), watch.cpuSeconds()});
  }

  bool isLinked() const {
    return options.emit == EmitKind::Shared ||
           options.emit == EmitKind::Executable;
  }

  bool placeWeights() {
    hasBlob = facts.weightBytes > 0 &&
              (isLinked() || options.emit == EmitKind::Object);
    external = hasBlob && !options.standalone &&
               (options.weights == WeightPlacement::External ||
                (options.weights == WeightPlacement::Auto &&
                 facts.weightBytes > options.externalWeightBytes));
    if (options.standalone && options.weights == WeightPlacement::External)
      return fail(Status::Usage, "",
                  "a standalone object cannot have its weights elsewhere",
                  "pass --weights=embed, or leave out --standalone");
    if (external) {
      llvm::SmallString<128> path(options.output);
      llvm::sys::path::replace_extension(path, "safetensors");
      weightsPath = path.str().str();
    }
    return true;
  }

  DescriptorFacts descriptorFacts() {
    DescriptorFacts more;
    more.stem = stem;
    more.target = describe(targets);
    for (auto [target, features] :
         llvm::zip_equal(targets, compiler.featuresInUse()))
      more.versions.push_back({target.version(), compiler.versionPrefix(target),
                               features, target.hasDevice()});
    // A device's host code runs wherever the model does.
    if (more.versions.size() > 1 && targets.back().hasDevice())
      more.versions.back().cpuFeatures =
          more.versions[more.versions.size() - 2].cpuFeatures;
    more.device = &device;
    if (external)
      more.weightFile = llvm::sys::path::filename(weightsPath).str();
    // All versions share one numbering of sites and kernels.
    ModuleOp module = versions.back();
    if (ArrayOf<StringAttr> sites = annotation::sites.of(module))
      for (StringAttr site : sites.entries())
        more.sites.push_back(site.str());
    if (ArrayOf<LaunchRowAttr> launches = annotation::launches.of(module))
      collectLaunches(launches, more);
    more.note = isLinked();
    more.program = options.emit == EmitKind::Executable;
    return more;
  }

  /// Collects the launches, each a kernel symbol and a location, and the
  /// kernels.
  static void collectLaunches(ArrayOf<LaunchRowAttr> launches,
                              DescriptorFacts &more) {
    llvm::MapVector<StringRef, llvm::SetVector<StringRef>> kernels;
    for (LaunchRowAttr launch : launches.entries()) {
      StringRef kernel = launch.getKernel().getValue();
      llvm::SetVector<StringRef> names;
      collectNames(launch.getNodes(), names);
      auto place = kernels.insert({kernel, {}}).first;
      place->second.insert(names.begin(), names.end());
      more.launches.push_back({llvm::join(names.takeVector(), "\n"),
                               int32_t(place - kernels.begin())});
    }
    for (auto &[kernel, names] : kernels)
      more.kernels.push_back(
          {kernel.str(), llvm::join(names.takeVector(), "\n")});
  }

  bool makeCode() {
    if (!makeDeviceCode())
      return false;
    if (options.emit == EmitKind::Ptx)
      return true;
    Stopwatch watch;
    if (!compiler.translate(versions, stem)) {
      result.status = Status::Internal;
      return false;
    }
    DescriptorFacts more = descriptorFacts();
    std::string wrong = addDescriptor(compiler.module(), facts, more);
    if (!wrong.empty())
      return fail(Status::Internal, "", "internal error: " + wrong);
    CodeForm form = options.emit == EmitKind::Assembly ? CodeForm::Assembly
                    : options.emit == EmitKind::LlvmIr ? CodeForm::LlvmIr
                    : isLinked()                       ? CodeForm::Objects
                                                       : CodeForm::OneObject;
    bool isObject = form == CodeForm::Objects || form == CodeForm::OneObject;
    std::vector<std::string> kernels;
    for (const VersionFacts &version : more.versions)
      for (const KernelFacts &kernel : more.kernels)
        kernels.push_back(version.prefix + kernel.name);
    std::vector<std::string> ours = {weightsSymbol(stem)};
    if (!compiler.compile(form, kernels, workers, code) ||
        (isObject && !compiler.checkUndefined(code, ours))) {
      result.status = Status::Internal;
      return false;
    }
    for (auto [i, version] : llvm::enumerate(more.versions))
      if (isObject && !writeCodeSize(i, version.prefix))
        return false;
    if (isObject)
      for (const Bytes &object : code)
        result.codeBytes += object.size();
    finishStep("code", watch);
    return true;
  }

  /// Compiles the kernels of the device's version, and takes them out of its
  /// module.
  bool makeDeviceCode() {
    if (!targets.back().hasDevice())
      return true;
    ModuleOp version = versions.back();
    auto kernels = version.lookupSymbol<ModuleOp>(DeviceLaunchOp::deviceModule);
    Stopwatch watch;
    std::string wrong = compileDevice(kernels, targets.back(), workers, device);
    if (!wrong.empty())
      return fail(Status::Internal, "", "internal error: " + wrong);
    kernels->erase();
    for (const DeviceImage &image : device.images)
      result.images.push_back(
          {image.architecture.name, image.architecture.capability,
           image.architecture.exact, int64_t(image.text.size())});
    finishStep("kernels", watch);
    return !options.cubins || makeCubins();
  }

  bool makeCubins() {
    Stopwatch watch;
    if (!addCubins(device, workers.getMaxConcurrency(), report, result.status))
      return false;
    for (auto [image, told] : llvm::zip_equal(device.images, result.images))
      told.cubinBytes = int64_t(image.cubin.size());
    finishStep("cubins", watch);
    return true;
  }

  /// Writes the code size of each version into the descriptor.
  bool writeCodeSize(size_t version, StringRef prefix) {
    uint64_t bytes = 0;
    for (const Bytes &object : code)
      bytes += countCode(object, prefix);
    uint64_t place = placeInData(code[0], versionsSymbol,
                                 version * sizeof(tenon_version_desc) +
                                     offsetof(tenon_version_desc, code_bytes));
    if (!place)
      return fail(Status::Internal, "",
                  "internal error: the object has no versions");
    memcpy(code[0].data() + place, &bytes, sizeof bytes);
    return true;
  }

  /// Writes the blob to `file`; `hash` becomes the blob's hash.
  bool streamWeights(AtomicFile &file, uint64_t &hash) {
    WeightEvaluator evaluator(*facts.weights, facts.files, report);
    tenon_xxh64 state;
    tenon_xxh64_begin(&state, 0);
    bool done = writeBlob(*facts.weights, facts.weightBytes, evaluator,
                          [&](StringRef bytes) {
                            tenon_xxh64_add(&state, bytes.data(), bytes.size());
                            return file.write(bytes);
                          });
    hash = tenon_xxh64_end(&state);
    result.quantization = evaluator.quantization();
    if (done)
      return true;
    if (evaluator.status() == Status::Success)
      return failFile(file);
    result.status = evaluator.status();
    return false;
  }

  bool writeWeightFile(OutputFiles &outputs, uint64_t &hash) {
    AtomicFile &file = outputs.add(weightsPath);
    uint64_t place = 0;
    std::string header =
        weightFileHeader(*facts.weights, facts.weightBytes, place);
    if (file.error() || !file.write(header))
      return failFile(file);
    if (!streamWeights(file, hash))
      return false;
    if (!file.writeAt(place, hashDigits(hash)) || !file.finish())
      return failFile(file);
    file.setKey(hashDigits(hash));
    result.weightsFile = weightsPath;
    return true;
  }

  /// Writes the first object, with the weights, to `file` and leaves it open.
  bool writeObject(AtomicFile &file, OutputFiles &outputs) {
    Stopwatch watch;
    bool written = writeFirstObject(file, outputs);
    finishStep("weights", watch);
    return written;
  }
  bool writeFirstObject(AtomicFile &file, OutputFiles &outputs) {
    if (file.error())
      return failFile(file);
    const Bytes &object = code[0];
    StringRef bytes(object.data(), object.size());
    if (!hasBlob)
      return file.write(bytes) || failFile(file);
    uint64_t hash = 0,
             place = placeInData(object, descriptorSymbol(stem),
                                 offsetof(tenon_model_desc, weight_hash));
    if (!place)
      return fail(Status::Internal, "",
                  "internal error: the object has no descriptor");
    if (external) {
      if (!writeWeightFile(outputs, hash))
        return false;
      if (!file.write(bytes))
        return failFile(file);
    } else {
      SplitObject split;
      std::string wrong = makeRoomForWeights(
          object, weightsSymbol(stem), facts.weightBytes, isLinked(), split);
      if (!wrong.empty())
        return fail(Status::Internal, "", "internal error: " + wrong);
      if (!file.write(StringRef(split.head.data(), split.head.size())))
        return failFile(file);
      if (!streamWeights(file, hash))
        return false;
      if (!file.write(StringRef(split.tail.data(), split.tail.size())))
        return failFile(file);
    }
    StringRef number(reinterpret_cast<const char *>(&hash), sizeof hash);
    return file.writeAt(place, number) || failFile(file);
  }

  /// Writes the objects to files, which exist until the linker is done, and
  /// links them.
  bool link(AtomicFile &file, OutputFiles &outputs) {
    if (file.error())
      return failFile(file);
    AtomicFile object(options.output, /*executable=*/false);
    object.create();
    if (!writeObject(object, outputs))
      return false;
    Stopwatch watch;
    LinkJob job;
    job.objects = {object.temporaryPath()};
    std::deque<AtomicFile> others;
    for (const Bytes &part : llvm::drop_begin(code)) {
      AtomicFile &file = others.emplace_back(options.output, false);
      if (!file.create() || !file.write(StringRef(part.data(), part.size())))
        return failFile(file);
      job.objects.push_back(file.temporaryPath());
    }
    AtomicFile program(options.output, /*executable=*/false);
    if (options.emit == EmitKind::Executable) {
      StringRef bytes(reinterpret_cast<const char *>(tenon_artifact_program),
                      tenon_artifact_program_size);
      if (!program.create() || !program.write(bytes))
        return failFile(program);
      job.objects.push_back(program.temporaryPath());
    }
    job.output = file.temporaryPath();
    auto named = [&](Diagnostic diagnostic) {
      diagnostic.file = options.output;
      report(diagnostic);
    };
    bool linked = options.emit == EmitKind::Shared
                      ? linkShared(job, named, result.status)
                      : linkExecutable(job, named, result.status);
    if (!linked)
      return false;
    if (!file.reopen())
      return failFile(file);
    char reason[256];
    if (tenon_seal_fd(file.descriptor(), reason, sizeof reason) != 0)
      return fail(Status::Io, options.output, reason);
    finishStep("link", watch);
    return true;
  }

  bool writeHeader(OutputFiles &outputs) {
    std::string path = options.header;
    if (path.empty() && options.emit == EmitKind::Object) {
      llvm::SmallString<128> beside(options.output);
      llvm::sys::path::replace_extension(beside, "h");
      path = beside.str().str();
    }
    if (path.empty())
      return true;
    bool needsRuntime = external || targets.front().hasDevice();
    AtomicFile &file = outputs.add(path);
    if (file.error() ||
        !file.write(
            makeHeader(facts, {stem, options.standalone, needsRuntime})) ||
        !file.finish())
      return failFile(file);
    result.header = path;
    return true;
  }

  bool writeDependencies(OutputFiles &outputs) {
    result.dependencies = dependencyRule(options.output, facts.filesRead);
    if (options.dependencyFile.empty())
      return true;
    AtomicFile &file = outputs.add(options.dependencyFile);
    return (!file.error() && file.write(result.dependencies) &&
            file.finish()) ||
           failFile(file);
  }

  /// The output of a kind that is a text.
  StringRef text() const {
    if (options.emit == EmitKind::Ptx)
      return device.images.front().text;
    return StringRef(code[0].data(), code[0].size());
  }

  bool write() {
    if (!placeWeights() || !makeCode())
      return false;
    OutputFiles outputs;
    AtomicFile &file = outputs.add(options.output, isLinked());
    bool written = false;
    if (isLinked())
      written = link(file, outputs);
    else if (options.emit == EmitKind::Object)
      written = writeObject(file, outputs);
    else
      written = (!file.error() && file.write(text())) || failFile(file);
    if (!written || !writeHeader(outputs) || !writeDependencies(outputs))
      return false;
    if (!file.finish())
      return failFile(file);
    if (AtomicFile *failed = outputs.commit())
      return failFile(*failed);
    return true;
  }

  ArrayRef<ModuleOp> versions;
  const ModelFacts &facts;
  const CompileOptions &options;
  const std::vector<TargetChoice> &targets;
  Workers &workers;
  const DiagnosticHandler &report;
  const std::function<void(const PhaseReport &)> &onStep;
  ModuleCompiler compiler;
  std::string stem;
  DeviceCode device;
  std::vector<Bytes> code; ///< one object, or several to link
  bool hasBlob = false, external = false;
  std::string weightsPath;
  CompileReport result;
};
} // namespace

CompileReport
writeArtifact(ArrayRef<ModuleOp> versions, const ModelFacts &facts,
              const CompileOptions &options,
              const std::vector<TargetChoice> &targets, Workers &workers,
              const DiagnosticHandler &report,
              const std::function<void(const PhaseReport &)> &onStep) {
  return Writer(versions, facts, options, targets, workers, report, onStep)
      .run();
}

} // namespace tenon
