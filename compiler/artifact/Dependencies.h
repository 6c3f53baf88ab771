// What an artifact was made of, as Make and Ninja read it.
#ifndef TENON_COMPILER_ARTIFACT_DEPENDENCIES_H
#define TENON_COMPILER_ARTIFACT_DEPENDENCIES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tenon {

/// A rule with `output` as its target and `files` as what it needs.
std::string dependencyRule(llvm::StringRef output,
                           llvm::ArrayRef<std::string> files);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_DEPENDENCIES_H
