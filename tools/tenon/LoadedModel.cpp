// The runtime for the verbs: open, run, copy. The tensors of a call are set up
// once and reused while the inputs stay, so that a measured run includes little
// else.
#include "tools/tenon/LoadedModel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::cli {

bool isArtifact(const std::string &path) {
  if (llvm::sys::path::extension(path) == ".so")
    return true;
  // O_NONBLOCK, because the path may name a pipe that nobody writes to.
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0)
    return false;
  char magic[4] = {};
  ssize_t n = read(file, magic, sizeof magic);
  close(file);
  return n == 4 && memcmp(magic, "\177ELF", 4) == 0;
}

Diagnostic fromRuntime(const std::string &file, tenon_status status,
                       llvm::StringRef text) {
  Diagnostic d;
  d.file = file;
  d.status = status == TENON_NO_DEVICE ? Status::BadArtifact
                                       : static_cast<Status>(status);
  llvm::SmallVector<llvm::StringRef, 8> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  d.text = lines.empty() ? tenon_status_name(status) : lines[0].str();
  for (llvm::StringRef line :
       llvm::ArrayRef(lines).drop_front(!lines.empty())) {
    line = line.trim();
    if (line.consume_front("help: "))
      d.help = line.str();
    else
      d.details.push_back(line.str());
  }
  return d;
}

/// Warns if other users could have changed the artifact: it is code.
static void warnOfOthers(Talk &talk, const std::string &artifact,
                         const std::string &shownAs) {
  struct stat info;
  if (stat(artifact.c_str(), &info) != 0)
    return;
  const char *why = nullptr;
  if (info.st_mode & S_IWOTH)
    why = "everybody may change this file, and it is a program";
  else if (info.st_uid != geteuid() && info.st_uid != 0)
    why = "this file, a program, belongs to another user";
  if (!why)
    return;
  Diagnostic warning;
  warning.severity = Severity::Warning;
  warning.file = shownAs;
  warning.text = why;
  talk.say(warning);
}

std::string functionName(const Invocation &call) {
  // With several flags the first names the artifact's first function.
  for (const llvm::opt::Arg *arg :
       call.args.filtered(options::OPT_signature, options::OPT_function))
    return arg->getValue();
  return "";
}

std::string weightsPath(const Invocation &call) {
  if (const llvm::opt::Arg *arg =
          call.args.getLastArg(options::OPT_weights_file))
    return arg->getValue();
  const char *folder = std::getenv("TENON_WEIGHTS_PATH");
  return folder ? folder : "";
}

std::vector<std::string> nodesOf(const tenon_kernel_desc &kernel) {
  llvm::SmallVector<llvm::StringRef, 8> nodes;
  llvm::StringRef(kernel.nodes).split(nodes, '\n', -1, /*KeepEmpty=*/false);
  return {nodes.begin(), nodes.end()};
}

/// What to pass instead if the artifact has no version for `device`; empty if
/// it has one.
static std::string deviceHelp(const std::string &artifact,
                              const std::string &device) {
  tenon_open_options opening = {};
  opening.struct_size = sizeof opening;
  opening.describe_only = true;
  tenon_model *opened = nullptr;
  if (tenon_open(artifact.c_str(), &opening, &opened) != TENON_OK)
    return "";
  const tenon_model_desc *desc = tenon_describe(opened);
  bool forCpus = !desc->versions[0].device;
  bool forDevices = desc->versions[desc->num_versions - 1].device;
  tenon_close(opened);
  if (device.empty())
    return forCpus ? "" : "pass --device=nvptx";
  return forDevices ? ""
                    : "leave out --device, or compile the model with "
                      "--device=cpu,nvptx";
}

Status LoadedModel::open(Talk &talk, const std::string &artifact,
                         const std::string &shownAs, const Options &options) {
  this->shownAs = shownAs;
  this->options = options;
  char text[4096] = "";
  tenon_open_options opening = {};
  opening.struct_size = sizeof opening;
  opening.error_text = text;
  opening.error_text_bytes = sizeof text;
  opening.threads = options.threads;
  opening.describe_only = options.describeOnly;
  if (!options.describeOnly)
    warnOfOthers(talk, artifact, shownAs);
  if (!options.weightsPath.empty())
    opening.weights_path = options.weightsPath.c_str();
  opening.weights_mode = options.weights;
  opening.verify_weights = options.verifyWeights;
  opening.cpu_feature_mask = options.cpuMask;
  opening.device = options.device.c_str();
  tenon_model *opened = nullptr;
  tenon_status status = tenon_open(artifact.c_str(), &opening, &opened);
  if (status != TENON_OK) {
    Diagnostic failure = fromRuntime(shownAs, status, text);
    if (std::string help = deviceHelp(artifact, options.device); !help.empty())
      failure.help = help;
    return talk.say(failure);
  }
  model.reset(opened);
  desc = tenon_describe(opened);
  tenon_model_info info = getInfo();
  if (info.device)
    talk.detail(shownAs + ": runs the version " + info.version + " on " +
                info.device);
  else if (!options.describeOnly && desc->num_versions > 1)
    talk.detail(shownAs + ": runs the version " + info.version);
  return Status::Success;
}

Status LoadedModel::find(Talk &talk, const std::string &name,
                         const tenon_function_desc *&found) const {
  found =
      tenon_find_function(model.get(), name.empty() ? nullptr : name.c_str());
  if (found)
    return Status::Success;
  std::vector<std::string> names;
  for (int32_t i = 0; i < desc->num_functions; ++i)
    names.push_back(desc->functions[i].name);
  return talk.fail(Status::Usage, shownAs, "it has no function '" + name + "'",
                   {},
                   "choose one with --function=: " + llvm::join(names, ", "));
}

Status LoadedModel::admitState(Talk &talk) {
  // The driver refuses what the device's memory does not hold.
  if (!options.device.empty())
    return Status::Success;
  std::vector<int64_t> sizes;
  for (int32_t i = 0; i < desc->num_extents; ++i) {
    auto chosen = options.contextExtents.find(desc->extents[i].name);
    sizes.push_back(chosen == options.contextExtents.end()
                        ? desc->extents[i].initial
                        : chosen->second);
  }
  std::vector<uint64_t> offsets(desc->num_states);
  uint64_t bytes = tenon_lay_out_states(desc, sizes.data(), offsets.data());
  // The runtime says which extent is wrong.
  if (bytes == UINT64_MAX)
    return Status::Success;
  return options.memory.admit(talk, shownAs, "the state of the model", bytes);
}

Status LoadedModel::choose(Talk &talk, const std::string &name) {
  if (Status status = find(talk, name, function); status != Status::Success)
    return status;
  // Free the old context first: its states would need memory beside the new
  // ones. The results are in its memory.
  results.clear();
  context.reset();
  if (Status status = admitState(talk); status != Status::Success)
    return status;
  char text[4096] = "";
  std::vector<tenon_extent> extents;
  for (const auto &[extent, size] : options.contextExtents)
    extents.push_back({extent.c_str(), size});
  tenon_context_options making = {};
  making.extents = extents.data();
  making.num_extents = extents.size();
  making.struct_size = sizeof making;
  making.error_text = text;
  making.error_text_bytes = sizeof text;
  making.memory_limit = options.memoryLimit;
  making.timeout_ns = static_cast<int64_t>(options.deadline * 1e9);
  tenon_context *made = nullptr;
  tenon_status status = tenon_context_create(model.get(), &making, &made);
  if (status != TENON_OK)
    return talk.say(fromRuntime(shownAs, status, text));
  context.reset(made);
  return Status::Success;
}

tenon_model_info LoadedModel::getInfo() const {
  tenon_model_info info = {};
  info.struct_size = sizeof info;
  tenon_get_model_info(model.get(), &info);
  return info;
}

void LoadedModel::bind(const std::vector<Tensor> &inputs) {
  given.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    tenon_tensor &tensor = given[i];
    tensor = {};
    tensor.struct_size = sizeof tensor;
    tensor.dtype = inputs[i].dtype;
    tensor.rank = inputs[i].dims.size();
    tensor.dims = const_cast<int64_t *>(inputs[i].dims.data());
    tensor.data = const_cast<uint8_t *>(inputs[i].bytes.data());
    tensor.bytes = inputs[i].bytes.size();
  }
  results.resize(getFunction().num_outputs);
  for (tenon_tensor &tensor : results) {
    tensor = {};
    tensor.struct_size = sizeof tensor;
  }
}

Status LoadedModel::admit(Talk &talk, const std::vector<Tensor> &inputs) {
  bind(inputs);
  uint64_t needed = 0, outputs = 0;
  tenon_status status =
      tenon_plan(context.get(), function->name, given.data(), given.size(),
                 results.data(), results.size(), &needed);
  if (status != TENON_OK)
    return talk.say(
        fromRuntime(shownAs, status, tenon_context_text(context.get())));
  // On a device the workspace is in its memory.
  if (!options.device.empty())
    needed = 0;
  std::vector<std::string> details = {"workspace " + formatBytes(needed)};
  const tenon_tensor *largest = nullptr;
  for (const tenon_tensor &result : results) {
    outputs = llvm::SaturatingAdd<uint64_t>(outputs, result.bytes);
    if (!largest || result.bytes > largest->bytes)
      largest = &result;
  }
  if (largest)
    details[0] += ", outputs " + formatBytes(outputs) +
                  " and a copy of them; output '" +
                  function->outputs[largest - results.data()].name + "' is " +
                  typeText(largest->dtype,
                           {largest->dims, largest->dims + largest->rank});
  needed = llvm::SaturatingMultiplyAdd<uint64_t>(outputs, 2, needed);
  // The next run reuses the memory of the last one.
  uint64_t held = tenon_context_memory(context.get());
  held -= std::min(held, tenon_context_state_bytes(context.get()));
  return options.memory.admit(talk, shownAs, "the run",
                              needed - std::min(needed, held),
                              std::move(details));
}

Status LoadedModel::run(Talk &talk, const std::vector<Tensor> &inputs) {
  bind(inputs);
  tenon_status status = tenon_run(context.get(), function->name, given.data(),
                                  given.size(), results.data(), results.size());
  if (status == TENON_OK)
    return Status::Success;
  return talk.say(
      fromRuntime(shownAs, status, tenon_context_text(context.get())));
}

std::vector<uint64_t> LoadedModel::countCalls() const {
  std::vector<uint64_t> calls(1 + getFunction().num_variants);
  tenon_get_calls(model.get(), function->name, calls.data(), calls.size());
  return calls;
}

void LoadedModel::setProfile(tenon_profile_fn profile, void *state) {
  tenon_context_set_profile(context.get(), profile, state);
}

std::vector<Tensor> LoadedModel::copyOutputs() const {
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    const tenon_tensor &result = results[i];
    Tensor tensor;
    tensor.name = getFunction().outputs[i].name;
    tensor.dtype = result.dtype;
    tensor.dims.assign(result.dims, result.dims + result.rank);
    auto *data = static_cast<const uint8_t *>(result.data);
    size_t bytes = tensorBytes(tensor.dtype, tensor.dims).value_or(0);
    tensor.bytes.assign(data, data + bytes);
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

} // namespace tenon::cli
