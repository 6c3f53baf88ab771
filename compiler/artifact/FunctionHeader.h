// The part of a model's header for one function: typed structs of inputs and
// outputs, sizes, and inline functions that call it.
#ifndef TENON_COMPILER_ARTIFACT_FUNCTIONHEADER_H
#define TENON_COMPILER_ARTIFACT_FUNCTIONHEADER_H

#include "compiler/artifact/StateHeader.h"

#include "llvm/Support/raw_ostream.h"

namespace tenon {

/// Writes the declarations for function number `index` of the model; their
/// names start with `prefix`. `only` is true if the model has no other
/// function.
void writeFunctionHeader(llvm::raw_ostream &out, const FunctionFacts &function,
                         size_t index, const std::string &prefix,
                         const HeaderOptions &options, const StateHeader &state,
                         bool only);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_FUNCTIONHEADER_H
