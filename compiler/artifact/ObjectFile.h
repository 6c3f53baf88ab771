// Edits a relocatable ELF object that LLVM has written. A section with the
// weights is appended, so that they never pass through LLVM, and numbers that
// become known only then are filled in.
#ifndef TENON_COMPILER_ARTIFACT_OBJECTFILE_H
#define TENON_COMPILER_ARTIFACT_OBJECTFILE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

/// An object in memory, split where the weights belong: the file is `head`, the
/// blob, then `tail`.
struct SplitObject {
  llvm::SmallVector<char, 0> head, tail;
};

/// Splits `object` for a new section of `weightBytes` bytes; its undefined
/// symbol `symbol` becomes the section's start. The section is
/// TENON_WEIGHTS_SECTION if `linkedByUs`. Otherwise a large one gets a name
/// that makes linkers place it far from code. Returns an error text for a
/// damaged object, or an empty string.
std::string makeRoomForWeights(llvm::ArrayRef<char> object,
                               const std::string &symbol, uint64_t weightBytes,
                               bool linkedByUs, SplitObject &split);

/// The file offset of the 8 bytes at `offset` of the data `symbol`, or 0.
uint64_t placeInData(llvm::ArrayRef<char> object, const std::string &symbol,
                     uint64_t offset);

/// The size in bytes of all functions whose names start with `prefix`.
uint64_t countCode(llvm::ArrayRef<char> object, llvm::StringRef prefix);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_OBJECTFILE_H
