// The weight file beside an artifact: a safetensors file whose data section is
// the blob (runtime/tenon_note.h).
#ifndef TENON_COMPILER_ARTIFACT_WEIGHTFILE_H
#define TENON_COMPILER_ARTIFACT_WEIGHTFILE_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <map>
#include <string>

namespace tenon {

class WeightOp;

/// The weights of the blob by offset. Weights without bytes may share an offset
/// and keep the module's order.
std::multimap<uint64_t, WeightOp> placedWeights(mlir::ModuleOp weights);

/// The part of the file before the blob: the header's length, and the header
/// padded so that the data starts at a multiple of TENON_WEIGHT_ALIGNMENT.
/// `placeOfHash` becomes the offset of the 16 hash digits, which are filled in
/// later.
std::string weightFileHeader(mlir::ModuleOp weights, uint64_t total,
                             uint64_t &placeOfHash);

/// `hash` as 16 hex digits, as the header holds it.
std::string hashDigits(uint64_t hash);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_WEIGHTFILE_H
