// The dependency file of an artifact, for Make and Ninja.
#ifndef TENON_COMPILER_ARTIFACT_DEPENDENCIES_H
#define TENON_COMPILER_ARTIFACT_DEPENDENCIES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tenon {

/// A rule with `output` as target and `files` as prerequisites.
std::string dependencyRule(llvm::StringRef output,
                           llvm::ArrayRef<std::string> files);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_DEPENDENCIES_H
