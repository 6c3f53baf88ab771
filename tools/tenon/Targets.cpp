// `tenon targets` prints this machine's CPU, and the CPUs and devices that code
// can be generated for.
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/DeviceFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>

using namespace tenon::cli::options;

namespace tenon::cli {

/// Prints `words` in lines of at most 80 columns, indented by two.
static void printWrapped(llvm::raw_ostream &out,
                         const std::vector<std::string> &words) {
  size_t column = 0;
  for (const std::string &word : words) {
    if (column > 0 && column + 1 + word.size() > 80) {
      out << '\n';
      column = 0;
    }
    out << (column == 0 ? "  " : " ") << word;
    column += word.size() + (column == 0 ? 2 : 1);
  }
  out << '\n';
}

Status targetsVerb(Invocation &call) {
  if (call.args.hasArg(OPT_INPUT))
    return call.talk.usage("targets takes no arguments");
  std::string format;
  if (Status status =
          readChoice(call, OPT_format, {"text", "json"}, "text", format);
      status != Status::Success)
    return status;
  std::vector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (feature.second)
      features.push_back(feature.first().str());
  llvm::sort(features);
  std::string triple = llvm::sys::getDefaultTargetTriple();
  std::string cpu = llvm::sys::getHostCPUName().str();
  std::vector<std::string> cpus = knownCpus();

  llvm::raw_ostream &out = llvm::outs();
  if (format == "json") {
    llvm::json::Object object{
        {"schema", 1},
        {"host", llvm::json::Object{{"triple", triple},
                                    {"cpu", cpu},
                                    {"features", llvm::json::Array(features)}}},
        {"cpus", llvm::json::Array(cpus)},
        {"devices", llvm::json::Array(knownDevices())}};
    out << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
    return Status::Success;
  }
  out << "host      " << triple << "\ncpu       " << cpu << "\nfeatures\n";
  printWrapped(out, features);
  out << "cpus for -mcpu= (x86-64)\n";
  printWrapped(out, cpus);
  out << "devices for --device=\n";
  printWrapped(out, knownDevices());
  return Status::Success;
}

} // namespace tenon::cli
