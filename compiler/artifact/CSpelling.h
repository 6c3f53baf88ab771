// Spelling of types, names and literals in C, for the headers of models.
#ifndef TENON_COMPILER_ARTIFACT_CSPELLING_H
#define TENON_COMPILER_ARTIFACT_CSPELLING_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <cstdint>
#include <string>

namespace tenon {

/// The C type of elements of a tenon_dtype, and the name of its enumerator.
const char *cType(int32_t dtype);
const char *dtypeMacro(int32_t dtype);

/// `text` for use in a comment: it cannot end or open one.
std::string cComment(llvm::StringRef text);

/// `text` as a C string literal.
std::string cString(llvm::StringRef text);

std::string cNumber(int64_t value);

/// Unique names of the members of one struct.
class CNames {
public:
  /// An identifier like `wanted` that no earlier call has returned.
  std::string make(llvm::StringRef wanted);

private:
  llvm::StringSet<> used;
};

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_CSPELLING_H
