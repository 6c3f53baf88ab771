// The position bias of T5: a number for each head and each bucket of distances
// between a query and a key, which is added to their score. All layers of a
// stack share one table.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_POSITIONBIAS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_POSITIONBIAS_H

#include "compiler/import/huggingface/blocks/Part.h"

#include <vector>

namespace tenon::hf {

struct DistanceBuckets {
  int64_t buckets, farthest;
  bool bothDirections; ///< else keys after a query are in bucket 0

  /// The bucket of the distance from a query to a key `ahead` positions after
  /// it.
  int64_t of(int64_t ahead) const;
  /// The distance from which on all keys are in one bucket.
  int64_t last() const;

private:
  int64_t ofDistance(int64_t distance, int64_t count) const;
};

class PositionBias {
public:
  /// `part` has the table, relative_attention_bias.
  PositionBias(const Part &part, const DistanceBuckets &buckets, int64_t heads);

  /// The bias of queries at `positions`, i64 [rows, queries] or [queries], for
  /// the keys 0 to below `keys`: f32 [rows or 1, heads, queries, keys].
  mlir::Value of(mlir::Value positions, Size keys) const;

private:
  GraphBuilder &g;
  int64_t first;          ///< the least distance that `byDistance` has
  int64_t count;          ///< the distances that it has
  mlir::Value byDistance; ///< f32 [heads, count]
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_POSITIONBIAS_H
