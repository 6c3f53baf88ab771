// Weights beside the artifact: a safetensors file whose data section is the
// blob (runtime/tenon_note.h).
#ifndef TENON_COMPILER_ARTIFACT_WEIGHTFILE_H
#define TENON_COMPILER_ARTIFACT_WEIGHTFILE_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <map>
#include <string>

namespace tenon {

class WeightOp;

/// The weights of the blob by their offsets in it. Those of no bytes may share
/// an offset and stay in the module's order.
std::multimap<uint64_t, WeightOp> placedWeights(mlir::ModuleOp weights);

/// All before the blob: the length, and the header padded so that the data
/// starts at a multiple of TENON_WEIGHT_ALIGNMENT. `placeOfHash` is the offset
/// of the 16 digits to be filled in.
std::string weightFileHeader(mlir::ModuleOp weights, uint64_t total,
                             uint64_t &placeOfHash);

/// `hash` as the header holds it.
std::string hashDigits(uint64_t hash);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_WEIGHTFILE_H
