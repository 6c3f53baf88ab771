// Rotary position embedding: element i of the first half of a head and element
// i of the second half are rotated by an angle that grows with the position.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_ROTARY_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_ROTARY_H

#include "compiler/import/graph/GraphBuilder.h"
#include "compiler/import/huggingface/reader/Config.h"

#include <vector>

namespace tenon::hf {

/// The angle per position of each pair of elements, with the configuration's
/// scaling.
std::vector<double> rotaryFrequencies(const RopeConfig &rope, int64_t headDim);

/// The rotations of the positions of one call, computed once for all layers.
class Rotary {
public:
  /// `positions` is [positions], or [rows, positions].
  Rotary(GraphBuilder &g, const RopeConfig &rope, int64_t headDim,
         mlir::Value positions);

  /// Rotates `x`, which is rows x positions x heads x depth.
  mlir::Value rotate(mlir::Value x) const;

private:
  GraphBuilder &g;
  mlir::Value cosines; ///< [.., positions, 1, 1, depth / 2]
  mlir::Value sines;   ///< the same for both halves, [.., 2, ..]; first negated
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_ROTARY_H
