// Random words as TensorFlow draws them, by ordinary integer ops: Philox4x32-10
// (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011), whose
// blocks of four words are a function of a key and a counter.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFPHILOX_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFPHILOX_H

#include "compiler/import/graph/GraphBuilder.h"

#include <array>

namespace tenon::tf {

/// Scalars of u64: the key, and the number of the first block in two halves.
struct Philox {
  mlir::Value key, low, high;
};

/// Words of 32 bits in tensors of u64.
using Words = std::array<mlir::Value, 4>;

/// The blocks that stand `places` (u64) behind the first, in the shape of
/// `places`.
Words blocksAt(GraphBuilder &g, const Philox &first, mlir::Value places);

/// `low` and `high` words as one number.
mlir::Value joinWords(GraphBuilder &g, mlir::Value low, mlir::Value high);

/// The generator of stateless ops: two seeds, scalars of u64, mixed.
Philox philoxOfSeeds(GraphBuilder &g, mlir::Value first, mlir::Value second);

mlir::Type wordType(GraphBuilder &g); ///< u64

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFPHILOX_H
