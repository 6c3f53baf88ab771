// The C header of a model: typed structs of inputs and outputs, sizes, and
// inline functions that call the model directly. C11, also C++17.
#ifndef TENON_COMPILER_ARTIFACT_HEADER_H
#define TENON_COMPILER_ARTIFACT_HEADER_H

#include "compiler/artifact/ModelFacts.h"

#include <string>

namespace tenon {

struct HeaderOptions {
  std::string stem;        ///< prefix of every declared name
  bool standalone = false; ///< declares the ABI itself; there is no runtime
  /// The weights are in a file, or no version is for CPUs alone: only the
  /// runtime can run the model.
  bool needsRuntime = false;
};

/// The text of the header.
std::string makeHeader(const ModelFacts &facts, const HeaderOptions &options);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_HEADER_H
