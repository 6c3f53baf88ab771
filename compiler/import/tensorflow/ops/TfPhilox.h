// TensorFlow's random words, by ordinary integer ops: Philox4x32-10 (Salmon et
// al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011). A block of four
// words is a function of a key and a counter.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFPHILOX_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFPHILOX_H

#include "compiler/import/graph/GraphBuilder.h"

#include <array>

namespace tenon::tf {

/// Scalars of u64: the key, and the counter of the first block in two halves.
struct Philox {
  mlir::Value key, low, high;
};

/// Four tensors of u64, each with one 32-bit word of the blocks.
using Words = std::array<mlir::Value, 4>;

/// The blocks at the distances `places` (u64) from the first one; the words
/// have the shape of `places`.
Words blocksAt(GraphBuilder &g, const Philox &first, mlir::Value places);

/// The number with the 32-bit halves `low` and `high`.
mlir::Value joinWords(GraphBuilder &g, mlir::Value low, mlir::Value high);

/// The generator of stateless ops, from two seeds that are scalars of u64.
Philox philoxOfSeeds(GraphBuilder &g, mlir::Value first, mlir::Value second);

mlir::Type wordType(GraphBuilder &g); ///< u64

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFPHILOX_H
