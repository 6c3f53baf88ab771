// From what the user asked for (a triple, a CPU, features) to what code is made
// for, decided once before the first pass that looks at vectors.
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

/// The machine a model is compiled for.
struct TargetChoice {
  std::string triple;   ///< "x86_64-unknown-linux-gnu"
  std::string cpu;      ///< the CPU tuned for, never "native"
  std::string features; ///< the instructions allowed, "+avx,+avx2,..."
  int optLevel = 2;
  int64_t vectorBytes = 16; ///< width of a register: 16, 32 or 64
  bool nativeHalf = false;  ///< f16 is converted by instructions
  bool bf16Tiles = false;   ///< AMX multiplies tiles of bf16
  bool bf16Pairs = false;   ///< two products of bf16 by one instruction
  uint64_t cpuFeatures = 0; ///< bits of tenon_cpu_feature, as `features`
  std::string description;  ///< for people: "x86-64-v4 (AVX-512)"

  bool has(uint64_t feature) const { return (cpuFeatures & feature) != 0; }
};

/// Resolves options.triple, cpu and features; nothing after an error was
/// reported, its class in `status`.
std::optional<TargetChoice> chooseTarget(const CompileOptions &options,
                                         const DiagnosticHandler &report,
                                         Status &status);

/// The targets of an artifact: options.versions, those that need more before
/// those that need less, or options.cpu alone. The last runs wherever another
/// does. None after an error was reported.
std::vector<TargetChoice> chooseTargets(const CompileOptions &options,
                                        const DiagnosticHandler &report,
                                        Status &status);

/// One line for people: "x86_64-linux x86-64-v4 (AVX-512), x86-64-v3 (AVX2)".
std::string describe(const std::vector<TargetChoice> &targets);

/// LLVM's machine for `target`, for position-independent code; null only where
/// LLVM lacks the target.
std::unique_ptr<llvm::TargetMachine>
makeTargetMachine(const TargetChoice &target);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_TARGET_H
