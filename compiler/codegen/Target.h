// Resolves the user's triple, CPU and features to one target, before the first
// pass that depends on the vector width.
#ifndef TENON_COMPILER_CODEGEN_TARGET_H
#define TENON_COMPILER_CODEGEN_TARGET_H

#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace tenon {

/// An architecture of NVIDIA GPUs.
struct DeviceArchitecture {
  std::string name;   ///< "sm_80", "sm_90a"
  int capability = 0; ///< 10 times the major number and the minor one
  bool exact = false; ///< code runs on devices of this capability alone
};

/// The machine a model is compiled for.
struct TargetChoice {
  std::string triple;   ///< "x86_64-unknown-linux-gnu"
  std::string cpu;      ///< the CPU tuned for, never "native"
  std::string features; ///< the allowed instructions: "+avx,+avx2,..."
  int optLevel = 2;
  int64_t vectorBytes = 16;      ///< bytes in a vector register: 16, 32 or 64
  bool nativeHalf = false;       ///< the CPU has instructions that convert f16
  bool bf16Tiles = false;        ///< AMX multiplies tiles of bf16
  bool byteTiles = false;        ///< AMX multiplies tiles of bytes
  bool bf16Pairs = false;        ///< one instruction multiplies pairs of bf16
  bool byteQuads = false;        ///< one instruction multiplies quads of bytes
  bool readsAhead = false;       ///< MachineAttr's reads_ahead
  bool costlyBroadcasts = false; ///< MachineAttr's costly_broadcasts
  uint64_t cpuFeatures = 0;      ///< bits of tenon_cpu_feature, as `features`
  std::string description;       ///< for people: "x86-64-v4 (AVX-512)"
  /// Not empty: kernels run on a device of these architectures, and only the
  /// host code around them on the CPU.
  std::vector<DeviceArchitecture> architectures;

  bool hasDevice() const { return !architectures.empty(); }
  /// The name of the version of an artifact.
  std::string version() const { return hasDevice() ? "nvptx" : cpu; }

  bool has(uint64_t feature) const { return (cpuFeatures & feature) != 0; }
};

/// Resolves options.triple, cpu and features. Nullopt after an error was
/// reported, with its class in `status`.
std::optional<TargetChoice> chooseTarget(const CompileOptions &options,
                                         const DiagnosticHandler &report,
                                         Status &status);

/// The targets of an artifact: those of options.versions, the most demanding
/// first, or options.cpu alone. The last target runs on every CPU that another
/// one runs on. With options.devices it is followed by the device's target,
/// whose host code is for the same CPU. Empty after an error was reported.
std::vector<TargetChoice> chooseTargets(const CompileOptions &options,
                                        const DiagnosticHandler &report,
                                        Status &status);

/// One line for people: "x86_64-linux x86-64-v4 (AVX-512), x86-64-v3 (AVX2)".
std::string describe(const std::vector<TargetChoice> &targets);

/// LLVM's target machine for `target`, for position-independent code. Null only
/// if LLVM was built without the target.
std::unique_ptr<llvm::TargetMachine>
makeTargetMachine(const TargetChoice &target);

/// The names of the architectures that code can be made for.
std::vector<std::string> deviceArchitectures();

/// LLVM's target machine for the kernels of `target`. Null only if LLVM was
/// built without the target.
std::unique_ptr<llvm::TargetMachine>
makeDeviceMachine(const TargetChoice &target,
                  const DeviceArchitecture &architecture);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_TARGET_H
