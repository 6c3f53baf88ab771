// The tables of a model (runtime/tenon_abi.h) as constants of its module.
#ifndef TENON_COMPILER_ARTIFACT_DESCRIPTOR_H
#define TENON_COMPILER_ARTIFACT_DESCRIPTOR_H

#include "compiler/artifact/ModelFacts.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace tenon {

struct KernelFacts {
  std::string name;
  std::string nodes; ///< separated by newlines
};

struct LaunchFacts {
  std::string nodes; ///< separated by newlines
  int32_t kernel;    ///< index into the kernels
};

/// Code of the model for one CPU.
struct VersionFacts {
  std::string name;         ///< the CPU's
  std::string prefix;       ///< of the names of its functions
  uint64_t cpuFeatures = 0; ///< it needs
};

/// What the descriptor says beyond the model's facts.
struct DescriptorFacts {
  std::string stem;   ///< the descriptor is `tenon_model_<stem>`
  std::string target; ///< for people
  std::vector<VersionFacts> versions; ///< at least one, the least last
  std::string
      weightFile; ///< empty: the weights are embedded, or there are none
  std::vector<std::string> sites;
  std::vector<KernelFacts> kernels;
  std::vector<LaunchFacts> launches;
  bool note = false;    ///< for a linked file: adds `.note.tenon`
  bool program = false; ///< adds the name by which a program finds the model
};

inline constexpr const char *compilerName = "tenon 0.1.0";

/// The symbols an artifact has beside its code.
std::string descriptorSymbol(const std::string &stem);
inline constexpr const char *versionsSymbol = "tenon.versions";
std::string weightsSymbol(const std::string &stem);

/// Adds the descriptor, the only exported symbol of `module`; weights that are
/// embedded stay an open, hidden symbol. Its weight_hash is 0 for now, see
/// setWeightHash in ObjectFile.h. Returns what is wrong, or nothing.
std::string addDescriptor(llvm::Module &module, const ModelFacts &facts,
                          const DescriptorFacts &more);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_DESCRIPTOR_H
