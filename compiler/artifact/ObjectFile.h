// What is done to a relocatable ELF object after LLVM has written it: a section
// with the weights, which so never pass through LLVM, is appended, and numbers
// that are known only then are filled in.
#ifndef TENON_COMPILER_ARTIFACT_OBJECTFILE_H
#define TENON_COMPILER_ARTIFACT_OBJECTFILE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

/// An object in memory with room left for the weights: in the file stands
/// `head`, then the blob, then `tail`.
struct SplitObject {
  llvm::SmallVector<char, 0> head, tail;
};

/// Splits `object`: its open symbol `symbol` becomes the start of a new section
/// of `weightBytes` bytes: TENON_WEIGHTS_SECTION where we link it; else a large
/// one is called what linkers know to lay far from code. Returns what is wrong
/// with the object, or nothing.
std::string makeRoomForWeights(llvm::ArrayRef<char> object,
                               const std::string &symbol, uint64_t weightBytes,
                               bool linkedByUs, SplitObject &split);

/// The place in the file of the 8 bytes at `offset` of the data `symbol`, or 0.
uint64_t placeInData(llvm::ArrayRef<char> object, const std::string &symbol,
                     uint64_t offset);

/// The bytes of all functions whose names start with `prefix`.
uint64_t countCode(llvm::ArrayRef<char> object, llvm::StringRef prefix);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_OBJECTFILE_H
