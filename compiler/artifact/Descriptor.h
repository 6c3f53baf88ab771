// Builds the tables of a model (runtime/tenon_abi.h) as constants of its
// module.
#ifndef TENON_COMPILER_ARTIFACT_DESCRIPTOR_H
#define TENON_COMPILER_ARTIFACT_DESCRIPTOR_H

#include "compiler/artifact/ModelFacts.h"
#include "compiler/codegen/DeviceCode.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace tenon {

struct KernelFacts {
  std::string name;
  std::string nodes; ///< node names separated by newlines
};

struct LaunchFacts {
  std::string nodes; ///< node names separated by newlines
  int32_t kernel;    ///< index into the kernels
};

/// Code of the model for one CPU, or for a device and the CPU beside it.
struct VersionFacts {
  std::string name;         ///< the CPU's name, or the kind of device
  std::string prefix;       ///< prefix of the names of its functions
  uint64_t cpuFeatures = 0; ///< features that it needs
  bool hasDevice = false;   ///< its kernels are DescriptorFacts::device
};

/// Facts for the descriptor beyond those of the model.
struct DescriptorFacts {
  std::string stem;   ///< the descriptor is `tenon_model_<stem>`
  std::string target; ///< target text for people
  std::vector<VersionFacts> versions; ///< at least one, the least demanding
                                      ///< last, and then the device's
  const DeviceCode *device = nullptr; ///< of the version that has a device
  std::string weightFile; ///< empty: the weights are embedded or absent
  std::vector<std::string> sites;
  std::vector<KernelFacts> kernels;
  std::vector<LaunchFacts> launches;
  bool note = false;    ///< adds `.note.tenon`, for a linked file
  bool program = false; ///< adds the symbol by which a program finds the model
};

inline constexpr const char *compilerName = "tenon 0.1.0";

/// Names of an artifact's symbols other than its code.
std::string descriptorSymbol(const std::string &stem);
inline constexpr const char *versionsSymbol = "tenon.versions";
std::string weightsSymbol(const std::string &stem);

/// Adds the descriptor, the only exported symbol of `module`. Embedded weights
/// stay an undefined hidden symbol. The descriptor's weight_hash stays 0 until
/// setWeightHash of ObjectFile.h. Returns an error text, or an empty string.
std::string addDescriptor(llvm::Module &module, const ModelFacts &facts,
                          const DescriptorFacts &more);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_DESCRIPTOR_H
