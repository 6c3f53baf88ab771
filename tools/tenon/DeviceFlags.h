// Reads --device: what an artifact has versions for, or where a command runs a
// model.
#ifndef TENON_TOOLS_TENON_DEVICEFLAGS_H
#define TENON_TOOLS_TENON_DEVICEFLAGS_H

#include "compiler/options/CompileOptions.h"
#include "compiler/report/CompileReport.h"
#include "tools/tenon/Verbs.h"

namespace tenon::cli {

/// Reads --device as the versions to compile. Without the flag there are
/// versions for CPUs alone.
Status readDevices(Invocation &call, CompileOptions &options);

/// Reads --device of a command that runs models on one device or on several, as
/// values of tenon_open_options.device: "cuda", or an empty text for the CPU.
Status readDevices(Invocation &call, bool several,
                   std::vector<std::string> &devices);
Status readDevice(Invocation &call, std::string &device);

/// Refuses a --device that names an architecture, because the artifact `path`
/// has its own.
Status checkDevice(Invocation &call, const std::string &path);

/// The values of --device that name an architecture.
std::vector<std::string> knownDevices();

/// The NVIDIA GPUs that run one of the images: "of capability 8.0 or later".
std::string coverage(const std::vector<DeviceImageReport> &images);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_DEVICEFLAGS_H
