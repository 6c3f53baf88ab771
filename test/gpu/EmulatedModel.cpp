// The stand-in for the driver reads its settings once, so each run on a device
// has a process of its own.
#include "test/gpu/EmulatedModel.h"

#include "compiler/Compiler.h"
#include "runtime/seal.h"
#include "test/ChildProcess.h"
#include "test/gpu/DroppedTransfer.h"
#include "test/gpu/ModelRun.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/resource.h>

namespace fs = std::filesystem;

namespace tenon::test {
namespace {
/// The dynamic extents of each run: few rows have other kernels than many. The
/// runs share a context, so that states are compared too.
constexpr int64_t extents[] = {70, 3};
/// Many times what a run takes.
constexpr rlim_t processorSeconds = 4;

std::string textOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const fs::path &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Appends the dims and bytes of each output of each run. Returns an error's
/// text, or "".
std::string runAll(const std::string &path, const char *device,
                   std::vector<std::string> &outputs) {
  OpenedModel opened;
  if (!opened.open(path, device, 1))
    return opened.text;
  std::mt19937 draws(1);
  for (int64_t extent : extents) {
    auto inputs = randomInputs(opened.model, extent, draws);
    std::vector<tenon_tensor> made;
    if (!runOnce(opened, inputs, made))
      return tenon_context_text(opened.context);
    for (const tenon_tensor &output : made) {
      outputs.emplace_back(reinterpret_cast<const char *>(output.dims),
                           size_t(output.rank) * sizeof(int64_t));
      outputs.emplace_back(static_cast<const char *>(output.data),
                           output.bytes);
    }
  }
  return "";
}
} // namespace

std::vector<std::string> EmulatedModel::names() {
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(TENON_GPU_MODELS))
    names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

const EmulatedModel &EmulatedModel::of(const std::string &name) {
  static std::map<std::string, EmulatedModel> models;
  return models.try_emplace(name, name).first->second;
}

EmulatedModel::EmulatedModel(const std::string &name) {
  folder = (fs::temp_directory_path() / "tenon-XXXXXX").string();
  if (!mkdtemp(folder.data())) {
    complaint = "no temporary folder";
    return;
  }
  Compiler compiler(
      [&](const Diagnostic &d) { complaint += formatDiagnostic(d); });
  CompileOptions options;
  options.input = std::string(TENON_GPU_MODELS) + "/" + name + ".mlir";
  options.output = folder + "/model.so";
  options.devices = {"sm_80"};
  options.matmulPrecision = MatmulPrecision::Strict;
  transferFault().count = 0;
  if (compiler.compile(options).status != Status::Success)
    return;
  numTransfers = transferFault().count;
  artifact = textOf(options.output);
  textStart = artifact.find(".version ");
  if (textStart == std::string::npos) {
    complaint = "no PTX in the artifact";
    return;
  }
  textBytes = artifact.find('\0', textStart) - textStart;
  complaint = runAll(options.output, nullptr, expected);
}

EmulatedModel::~EmulatedModel() { fs::remove_all(folder); }

int EmulatedModel::runHere(const std::string &path, std::string &said) const {
  if (!dlopen(TENON_STAND_IN, RTLD_NOW)) {
    said = dlerror();
    return int(DeviceRun::End::Error);
  }
  std::vector<std::string> outputs;
  said = runAll(path, "cuda", outputs);
  if (!said.empty())
    return int(DeviceRun::End::Error);
  return int(outputs == expected ? DeviceRun::End::SameBits
                                 : DeviceRun::End::OtherBits);
}

DeviceRun EmulatedModel::run(const std::string &bytes, uint64_t seed) const {
  std::string path = folder + "/device.so", report = folder + "/report",
              text = folder + "/text";
  write(path, bytes);
  DeviceRun made;
  char why[256] = "";
  if (tenon_seal_artifact(path.c_str(), why, sizeof why) != 0) {
    made.said = why;
    return made;
  }
  fs::remove(report);
  fs::remove(text);
  int status = inChild([&] {
    setenv("TENON_GPU_SEED", std::to_string(seed).c_str(), 1);
    setenv("TENON_GPU_REPORT", report.c_str(), 1);
    // A condition that is stale for ever ends no loop.
    rlimit seconds = {processorSeconds, processorSeconds};
    setrlimit(RLIMIT_CPU, &seconds);
    std::string said;
    int end = runHere(path, said);
    write(text, said);
    return end;
  });
  made.end = status < 0 || status > int(DeviceRun::End::Error)
                 ? DeviceRun::End::Killed
                 : DeviceRun::End(status);
  made.said = textOf(text);
  std::istringstream lines(textOf(report));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("finding: ") && made.finding.empty())
      made.finding = line.substr(9);
  return made;
}

} // namespace tenon::test
