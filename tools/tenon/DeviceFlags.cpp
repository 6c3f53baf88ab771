// A device is a kind, `cpu` or `nvptx`, and for nvptx an architecture. A device
// version never replaces one for CPUs silently, nor the other way round.
#include "tools/tenon/DeviceFlags.h"

#include "compiler/codegen/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <climits>

using namespace tenon::cli::options;
using llvm::opt::Arg;

namespace tenon::cli {

/// Every device that code can be made for loads its PTX.
static constexpr const char *leastArchitecture = "sm_75";

std::vector<std::string> knownDevices() {
  std::vector<std::string> known;
  for (const std::string &name : deviceArchitectures())
    known.push_back("nvptx:" + name);
  return known;
}

/// Parses `cpu`, `nvptx` or `nvptx:sm_80`; `architecture` is empty for the CPU.
static Status parseDevice(Invocation &call, llvm::StringRef text,
                          std::string &architecture) {
  auto [kind, name] = text.split(':');
  std::vector<std::string> known = deviceArchitectures();
  if (text == "cpu") {
    architecture.clear();
    return Status::Success;
  }
  std::string help = "pass cpu, nvptx, or nvptx: and one of " +
                     llvm::join(known, ", ") + ", such as nvptx:sm_80";
  if (kind != "nvptx")
    return call.talk.usage("--device: unknown device '" + text.str() + "'" +
                               didYouMean(kind, {"cpu", "nvptx"}),
                           help);
  architecture = text.contains(':') ? name.str() : leastArchitecture;
  if (llvm::is_contained(known, architecture))
    return Status::Success;
  return call.talk.usage("--device: unknown architecture '" + architecture +
                             "'" + didYouMean(architecture, known),
                         help);
}

static Status parseList(Invocation &call, const Arg *arg,
                        std::vector<std::string> &architectures) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  llvm::StringRef(arg->getValue()).split(parts, ',');
  for (llvm::StringRef part : parts) {
    std::string architecture;
    if (Status status = parseDevice(call, part, architecture);
        status != Status::Success)
      return status;
    if (llvm::is_contained(architectures, architecture))
      return call.talk.usage("--device: '" + part.str() + "' is given twice");
    architectures.push_back(std::move(architecture));
  }
  return Status::Success;
}

Status readDevices(Invocation &call, CompileOptions &options) {
  const Arg *arg = call.args.getLastArg(OPT_device);
  options.cubins = call.args.hasArg(OPT_cubins);
  if (options.cubins &&
      (!arg || !llvm::StringRef(arg->getValue()).contains(':')))
    return call.talk.usage("--cubins: expected architectures of NVIDIA GPUs",
                           "pass --device=nvptx:sm_80 too");
  if (!arg)
    return Status::Success;
  if (Status status = parseList(call, arg, options.devices);
      status != Status::Success)
    return status;
  options.versionsForCpus = llvm::is_contained(options.devices, "");
  llvm::erase(options.devices, "");
  // The order has no meaning: equal lists find one entry of the cache.
  llvm::sort(options.devices);
  return Status::Success;
}

Status readDevices(Invocation &call, bool several,
                   std::vector<std::string> &devices) {
  const Arg *arg = call.args.getLastArg(OPT_device);
  devices.assign(1, "");
  if (!arg)
    return Status::Success;
  std::vector<std::string> architectures;
  if (Status status = parseList(call, arg, architectures);
      status != Status::Success)
    return status;
  devices.clear();
  for (const std::string &architecture : architectures)
    devices.push_back(architecture.empty() ? "" : "cuda");
  if (devices.size() == 1 ||
      (several && devices.size() == 2 && devices[0] != devices[1]))
    return Status::Success;
  return call.talk.usage(arg->getAsString(call.args) +
                             ": expected one device to run on",
                         several ? "pass --device=cpu,nvptx to compare them"
                                 : "pass --device=cpu or --device=nvptx");
}

Status readDevice(Invocation &call, std::string &device) {
  std::vector<std::string> devices;
  Status status = readDevices(call, /*several=*/false, devices);
  if (status == Status::Success)
    device = devices[0];
  return status;
}

Status checkDevice(Invocation &call, const std::string &path) {
  const Arg *arg = call.args.getLastArg(OPT_device);
  if (!arg || !llvm::StringRef(arg->getValue()).contains(':'))
    return Status::Success;
  return call.talk.usage(arg->getAsString(call.args) + ": '" + path +
                             "' is an artifact, and has its architectures",
                         "pass --device=nvptx");
}

/// "8.0" for 80.
static std::string capabilityText(int capability) {
  return llvm::formatv("{0}.{1}", capability / 10, capability % 10);
}

std::string coverage(const std::vector<DeviceImageReport> &images) {
  int least = INT_MAX;
  for (const DeviceImageReport &image : images)
    if (!image.exact)
      least = std::min(least, image.capability);
  std::vector<std::string> parts;
  for (const DeviceImageReport &image : images)
    if (image.exact && image.capability < least)
      parts.push_back(capabilityText(image.capability));
  if (least != INT_MAX)
    parts.push_back(capabilityText(least) + " or later");
  return "of capability " + llvm::join(parts, ", ");
}

} // namespace tenon::cli
