// Two things done to a relocatable ELF object after LLVM has written it, so
// that weights never pass through LLVM: a section with the blob is appended,
// and the hash that is known only then is filled in.
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

/// The place in the file of the 8 bytes of weight_hash in the descriptor
/// `symbol`, or 0.
uint64_t placeOfWeightHash(llvm::ArrayRef<char> object,
                           const std::string &symbol);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_OBJECTFILE_H
