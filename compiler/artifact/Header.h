// The C header of a model: typed structs of inputs and outputs, sizes, and
// inline functions that call the model without a detour. C11, also C++17.
#ifndef TENON_COMPILER_ARTIFACT_HEADER_H
#define TENON_COMPILER_ARTIFACT_HEADER_H

#include "compiler/artifact/ModelFacts.h"

#include <string>

namespace tenon {

struct HeaderOptions {
  std::string stem;        ///< of every name declared
  bool standalone = false; ///< declares the ABI itself, has no runtime
  bool external = false;   ///< the weights stand in a file: only the runtime
                           ///< can run it
};

/// The text of the header.
std::string makeHeader(const ModelFacts &facts, const HeaderOptions &options);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_HEADER_H
