// How types, names and literals are spelled in C, for the headers of models.
#ifndef TENON_COMPILER_ARTIFACT_CSPELLING_H
#define TENON_COMPILER_ARTIFACT_CSPELLING_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <cstdint>
#include <string>

namespace tenon {

/// The C type of elements of a tenon_dtype, and the enumerator's name.
const char *cType(int32_t dtype);
const char *dtypeMacro(int32_t dtype);

/// `text` for a comment: nothing in it ends or opens one.
std::string cComment(llvm::StringRef text);

/// `text` as a string literal.
std::string cString(llvm::StringRef text);

std::string cNumber(int64_t value);

/// Names of one struct, each used once.
class CNames {
public:
  /// An identifier like `wanted` that has not been given out before.
  std::string make(llvm::StringRef wanted);

private:
  llvm::StringSet<> used;
};

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_CSPELLING_H
