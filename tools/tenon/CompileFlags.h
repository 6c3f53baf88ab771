// Converts flags to CompileOptions, for all verbs that compile a model.
#ifndef TENON_TOOLS_TENON_COMPILEFLAGS_H
#define TENON_TOOLS_TENON_COMPILEFLAGS_H

#include "compiler/options/CompileOptions.h"
#include "runtime/tenon.h"
#include "tools/tenon/Verbs.h"

#include <map>

namespace tenon::cli {

/// Reads -mcpu, -mattr, --device and -O, and checks the names of CPUs.
Status readCodeFlags(Invocation &call, CompileOptions &options);

/// The name that --matmul-precision uses.
const char *nameOf(MatmulPrecision precision);

/// Reads --shape.
Status readShapes(Invocation &call, CompileOptions &options);

/// Reads --shape and --dim as bounds for the compiler.
Status readShapeFlags(Invocation &call, CompileOptions &options);

/// Reads --specialize and --pad.
Status readVariantFlags(Invocation &call, CompileOptions &options);

/// Reads --remarks.
Status readRemarkFlags(Invocation &call, CompileOptions &options);

/// Reads --signature, --tag, --feeds and --fetches.
Status readEntryFlags(Invocation &call, TensorFlowOptions &options);

/// Reads --dim=NAME=N as sizes for a run.
Status readDimSizes(Invocation &call, std::map<std::string, int64_t> &sizes);

/// Reads --context=NAME=N,NAME=N as sizes of context extents.
Status readContextExtents(Invocation &call,
                          std::map<std::string, int64_t> &extents);

/// Reads the only positional argument; a model from a pipe becomes a file. A
/// usage error names `what` if there is no argument or more than one.
Status readOnePositional(Invocation &call, const char *what,
                         std::string &value);

/// The value of the flag `id`, which must be in `known`; `otherwise` if the
/// flag is absent.
Status readChoice(Invocation &call, unsigned id, std::vector<std::string> known,
                  llvm::StringRef otherwise, std::string &value);

/// The value of the flag `id` as a number in [low, high]; unchanged if the flag
/// is absent.
Status readNumber(Invocation &call, unsigned id, int64_t low, int64_t high,
                  int64_t &value);

/// The value of the flag `id` as a duration ("500ms", "2s", "1.5") in seconds.
Status readDuration(Invocation &call, unsigned id, double &seconds);

/// "512M", "2GiB" or "1000" as a number of bytes.
std::optional<uint64_t> parseSize(llvm::StringRef text);

/// The value of the flag `id` as a number of bytes above 0.
Status readSize(Invocation &call, unsigned id, uint64_t &bytes);

/// Reads --cpu as a mask for tenon_open_options.cpu_feature_mask.
Status readCpuMask(Invocation &call, uint64_t &mask);

/// Reads --load-weights.
Status readLoadWeights(Invocation &call, tenon_weights_mode &mode);

/// The value of the flag `id` as a finite number not below zero.
Status readTolerance(Invocation &call, unsigned id,
                     std::optional<double> &value);

/// The names of all CPUs of x86-64, in LLVM's order.
std::vector<std::string> knownCpus();

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_COMPILEFLAGS_H
