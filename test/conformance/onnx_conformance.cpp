// Runs ONNX test cases as native code. Reads paths of case folders from stdin,
// one per line. For each it prints a line: folder, tab, `pass` or the error.
//
// Every case runs in a forked child, so that a crash or an endless loop fails
// only that case. The child copies only the model into an empty folder and
// compiles it there: the compiler cannot see the case's data. Then the artifact
// runs every `test_data_set_*` of the case, and of the folder of that name
// under --extra. With --device it is run on the device too, which must give the
// CPU's bits.
#include "compiler/Compiler.h"
#include "runtime/tenon.h"
#include "test/conformance/TensorFile.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace tenon;
using namespace tenon::conformance;

namespace {

struct Settings {
  std::string cpu = "native";
  std::string device; ///< "sm_80"; empty: none
  std::string extra;
  std::string scratch = "/tmp";
  int jobs = 1;
  int timeout = 60;
  int threads = 2;
  int optLevel = 2;
  double rtol = 1e-3;
  double atol = 1e-7;
};

std::vector<fs::path> dataSets(const fs::path &folder) {
  std::vector<fs::path> sets;
  std::error_code none;
  for (const auto &entry : fs::directory_iterator(folder, none))
    if (entry.path().filename().string().rfind("test_data_set_", 0) == 0)
      sets.push_back(entry.path());
  std::sort(sets.begin(), sets.end());
  return sets;
}

bool readAll(const fs::path &set, const char *stem, size_t count,
             std::vector<TensorFile> &tensors, std::string &error) {
  tensors.resize(count);
  for (size_t i = 0; i < count; ++i)
    if (!readTensorFile(set / (stem + std::to_string(i) + ".pb"), tensors[i],
                        error))
      return false;
  return true;
}

/// Compares the outputs of the device with the CPU's, bit by bit; any NaN
/// equals any other.
std::string compareBits(const std::vector<tenon_tensor> &cpu,
                        const std::vector<tenon_tensor> &device) {
  for (size_t i = 0; i < cpu.size(); ++i) {
    TensorFile want;
    want.dtype = tenon_dtype(cpu[i].dtype);
    want.dims.assign(cpu[i].dims, cpu[i].dims + cpu[i].rank);
    auto *bytes = static_cast<const uint8_t *>(cpu[i].data);
    want.bytes.assign(bytes, bytes + cpu[i].bytes);
    std::vector<int64_t> dims(device[i].dims, device[i].dims + device[i].rank);
    std::string found =
        differenceInBits(want, device[i].dtype, dims, device[i].data);
    if (!found.empty())
      return "output " + std::to_string(i) + " on the device: " + found;
  }
  return "";
}

/// Runs one data set; with `device`, a context on a device, there too. Returns
/// the error, or an empty string.
std::string runDataSet(tenon_context *context, tenon_context *device,
                       const tenon_function_desc &function, const fs::path &set,
                       const Settings &settings) {
  std::vector<TensorFile> inputs, wanted;
  std::string error;
  if (!readAll(set, "input_", function.num_inputs, inputs, error) ||
      !readAll(set, "output_", function.num_outputs, wanted, error))
    return error;
  if (fs::exists(set / ("input_" + std::to_string(inputs.size()) + ".pb")) ||
      fs::exists(set / ("output_" + std::to_string(wanted.size()) + ".pb")))
    return "the case has more inputs or outputs than the compiled model";

  for (size_t i = 0; i < inputs.size(); ++i)
    reconcile(inputs[i], function.inputs[i]);
  for (size_t i = 0; i < wanted.size(); ++i)
    reconcile(wanted[i], function.outputs[i]);

  std::vector<tenon_tensor> ins(inputs.size()), outs(wanted.size());
  for (size_t i = 0; i < ins.size(); ++i) {
    ins[i] = tenon_tensor{};
    ins[i].struct_size = sizeof(tenon_tensor);
    ins[i].dtype = inputs[i].dtype;
    ins[i].rank = int32_t(inputs[i].dims.size());
    ins[i].dims = inputs[i].dims.data();
    ins[i].data = inputs[i].bytes.data();
    ins[i].bytes = inputs[i].bytes.size();
  }
  for (auto &out : outs) {
    out = tenon_tensor{};
    out.struct_size = sizeof(tenon_tensor);
  }
  tenon_status status = tenon_run(context, nullptr, ins.data(), ins.size(),
                                  outs.data(), outs.size());
  if (status != TENON_OK)
    return "run: status " + std::to_string(status) + ": " +
           tenon_context_text(context);
  // The suite's outputs are compared as they are. Other outputs were computed
  // in double precision: zeros among sums of large terms may differ by
  // rounding.
  bool other = set.filename().string().rfind("test_data_set_other", 0) == 0;
  double share = other ? 1e-6 : 0;
  for (size_t i = 0; i < outs.size(); ++i) {
    std::vector<int64_t> dims(outs[i].dims, outs[i].dims + outs[i].rank);
    std::string found = difference(wanted[i], outs[i].dtype, dims, outs[i].data,
                                   settings.rtol, settings.atol, share);
    if (!found.empty())
      return "output " + std::to_string(i) + ": " + found;
  }
  if (!device)
    return "";
  std::vector<tenon_tensor> there(outs.size());
  for (auto &out : there) {
    out = tenon_tensor{};
    out.struct_size = sizeof(tenon_tensor);
  }
  status = tenon_run(device, nullptr, ins.data(), ins.size(), there.data(),
                     there.size());
  if (status != TENON_OK)
    return "run on the device: status " + std::to_string(status) + ": " +
           tenon_context_text(device);
  return compareBits(outs, there);
}

/// A model and a context of it.
struct Opened {
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;

  /// Opens the version for `device`, null for the CPU. Returns the error, or an
  /// empty string.
  std::string open(const fs::path &artifact, const char *device,
                   const Settings &settings) {
    char text[1024] = "";
    tenon_open_options options{};
    options.struct_size = sizeof options;
    options.error_text = text;
    options.error_text_bytes = sizeof text;
    options.threads = settings.threads;
    options.device = device;
    tenon_status status = tenon_open(artifact.c_str(), &options, &model);
    if (status != TENON_OK)
      return "open: status " + std::to_string(status) + ": " + text;
    status = tenon_context_create(model, nullptr, &context);
    return status == TENON_OK ? ""
                              : "context: status " + std::to_string(status);
  }
  ~Opened() {
    tenon_context_destroy(context);
    tenon_close(model);
  }
};

/// Compiles and runs one case, inside the child.
std::string runCase(const fs::path &folder, const fs::path &scratch,
                    const Settings &settings) {
  fs::path model = scratch / "model.onnx", artifact = scratch / "model.so";
  std::error_code failed;
  fs::copy_file(folder / "model.onnx", model, failed);
  if (failed)
    return "the model cannot be copied: " + failed.message();

  std::string said;
  Compiler compiler([&](const Diagnostic &d) {
    if (d.severity == Severity::Error && said.empty()) {
      said = (d.place.empty() ? "" : d.place + ": ") + d.text;
      for (const std::string &detail : d.details)
        said += " | " + detail;
    }
  });
  CompileOptions options;
  options.input = model;
  options.output = artifact;
  options.cpu = settings.cpu;
  options.optLevel = settings.optLevel;
  if (!settings.device.empty()) {
    options.devices = {settings.device};
    options.matmulPrecision = MatmulPrecision::Strict;
  }
  CompileReport report = compiler.compile(options);
  if (report.status != Status::Success)
    return "compile: status " + std::to_string(int(report.status)) + ": " +
           said;

  Opened cpu, device;
  std::string wrong = cpu.open(artifact, nullptr, settings);
  if (wrong.empty() && !settings.device.empty())
    wrong = device.open(artifact, "cuda", settings);
  if (!wrong.empty())
    return wrong;
  const tenon_function_desc *function = tenon_find_function(cpu.model, nullptr);

  std::vector<fs::path> sets = dataSets(folder);
  if (sets.empty())
    return "the case has no data";
  if (!settings.extra.empty())
    for (fs::path &set : dataSets(fs::path(settings.extra) / folder.filename()))
      sets.push_back(set);
  for (const fs::path &set : sets) {
    wrong = runDataSet(cpu.context, device.context, *function, set, settings);
    if (!wrong.empty())
      return set.filename().string() + ": " + wrong;
  }
  return "";
}

std::string oneLine(std::string text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 32)
      c = ' ';
  return text.substr(0, 400);
}

struct Child {
  std::string folder;
  fs::path scratch;
  int pipe = -1;
  std::string said;
  std::chrono::steady_clock::time_point deadline;
  bool late = false;
};

bool startChild(const std::string &folder, const Settings &settings,
                std::map<pid_t, Child> &children) {
  std::string pattern = settings.scratch + "/tenon-case-XXXXXX";
  int ends[2];
  if (!mkdtemp(pattern.data()) || pipe(ends) != 0)
    return false;
  pid_t pid = fork();
  if (pid < 0)
    return false;
  if (pid == 0) {
    close(ends[0]);
    setpgid(0, 0);
    // Messages of the case go to the pipe; stdout is only for the report.
    dup2(STDERR_FILENO, STDOUT_FILENO);
    std::string wrong = oneLine(runCase(folder, pattern, settings));
    std::string line = wrong.empty() ? "pass" : wrong;
    ssize_t written = write(ends[1], line.data(), line.size());
    _exit(written == ssize_t(line.size()) ? 0 : 1);
  }
  close(ends[1]);
  children[pid] = {folder, pattern, ends[0], "",
                   std::chrono::steady_clock::now() +
                       std::chrono::seconds(settings.timeout)};
  return true;
}

/// Waits for an event, kills children that are late, reports those that ended.
void tend(std::map<pid_t, Child> &children) {
  std::vector<pollfd> polls;
  for (auto &entry : children)
    polls.push_back({entry.second.pipe, POLLIN, 0});
  poll(polls.data(), polls.size(), 200);
  auto now = std::chrono::steady_clock::now();
  for (auto it = children.begin(); it != children.end();) {
    Child &child = it->second;
    if (!child.late && now > child.deadline) {
      child.late = true;
      kill(-it->first, SIGKILL);
      kill(it->first, SIGKILL);
    }
    int status = 0;
    if (waitpid(it->first, &status, WNOHANG) != it->first) {
      ++it;
      continue;
    }
    char buffer[512];
    for (ssize_t n; (n = read(child.pipe, buffer, sizeof buffer)) > 0;)
      child.said.append(buffer, size_t(n));
    close(child.pipe);
    if (child.late)
      child.said = "takes too long";
    else if (WIFSIGNALED(status))
      child.said = std::string("dies by signal ") + strsignal(WTERMSIG(status));
    else if (child.said.empty() || WEXITSTATUS(status) != 0)
      child.said = "ends with status " + std::to_string(WEXITSTATUS(status));
    std::printf("%s\t%s\n", child.folder.c_str(), child.said.c_str());
    std::fflush(stdout);
    std::error_code ignored;
    fs::remove_all(child.scratch, ignored);
    it = children.erase(it);
  }
}

bool parse(int argc, char **argv, Settings &settings) {
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    size_t equals = argument.find('=');
    if (equals == std::string::npos)
      return false;
    std::string key = argument.substr(0, equals);
    std::string value = argument.substr(equals + 1);
    if (key == "--cpu")
      settings.cpu = value;
    else if (key == "--device")
      settings.device = value;
    else if (key == "--extra")
      settings.extra = value;
    else if (key == "--scratch")
      settings.scratch = value;
    else if (key == "--jobs")
      settings.jobs = std::max(1, std::stoi(value));
    else if (key == "--timeout")
      settings.timeout = std::stoi(value);
    else if (key == "--threads")
      settings.threads = std::stoi(value);
    else if (key == "--opt")
      settings.optLevel = std::stoi(value);
    else
      return false;
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) {
    std::fputs(
        "usage: onnx_conformance [--cpu=C] [--device=ARCH] [--extra=DIR] "
        "[--scratch=DIR]"
        " [--jobs=N] [--timeout=S] [--threads=N] [--opt=0..3] <folders\n",
        stderr);
    return 2;
  }
  std::map<pid_t, Child> children;
  std::string folder;
  while (std::getline(std::cin, folder)) {
    while (int(children.size()) >= settings.jobs)
      tend(children);
    if (!startChild(folder, settings, children)) {
      std::perror("onnx_conformance");
      return 1;
    }
  }
  while (!children.empty())
    tend(children);
  return 0;
}
