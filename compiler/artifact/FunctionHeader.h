// What a model's header says of one of its functions: typed structs of inputs
// and outputs, sizes, and inline functions that call it.
#ifndef TENON_COMPILER_ARTIFACT_FUNCTIONHEADER_H
#define TENON_COMPILER_ARTIFACT_FUNCTIONHEADER_H

#include "compiler/artifact/Header.h"

#include "llvm/Support/raw_ostream.h"

namespace tenon {

/// Writes what concerns function number `index` of the model; every name it
/// declares starts with `prefix`. `only`: the model has no other.
void writeFunctionHeader(llvm::raw_ostream &out, const FunctionFacts &function,
                         size_t index, const std::string &prefix,
                         const HeaderOptions &options, bool only);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_FUNCTIONHEADER_H
