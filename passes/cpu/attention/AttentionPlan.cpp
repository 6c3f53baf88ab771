// A task packs all keys and values it meets, so it has all rows of a head as
// far as what is kept for them stays in the second cache.
#include "passes/cpu/attention/AttentionPlan.h"

#include "passes/cpu/tile/RegisterTile.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tenon {
using llvm::divideCeilSigned;

/// Bytes of the scores and sums of a task's rows, and of the stack for these
/// and what is packed: of the 256 KiB that kernels may use.
constexpr int64_t taskBytes = secondCache / 4;
constexpr int64_t stackBytes = 240 << 10;
/// Tasks worth another packing.
constexpr int64_t fewestTasks = 8;
constexpr int64_t mostTileRows = 6;
/// Rows whose sums leave registers for a power, which takes the place of the
/// next tile's; of fewer than some tiles nothing is gained.
constexpr int64_t overlappedRows = 4;
/// Beyond a task's rows, see scratchRows.
constexpr int64_t spareRows = 3 * mostTileRows;

static int64_t wholeTiles(int64_t rows, int64_t tile) {
  return divideCeilSigned(rows, tile) * tile;
}

AttentionSizes planAttention(const AttentionExtents &extents,
                             int64_t vectorBytes) {
  AttentionSizes sizes;
  sizes.lanes = vectorBytes / 4;
  sizes.depth = extents.depth;
  sizes.valueDepth = extents.valueDepth;
  sizes.valueWidth = wholeTiles(extents.valueDepth, sizes.lanes);
  // AVX2 has 16 registers; AVX-512 and NEON have 32.
  bool few = vectorBytes == 32;
  sizes.accumulators = few ? 12 : 24;
  int64_t packed = 4 * attentionBlock * (sizes.depth + sizes.valueWidth),
          row = 4 * (attentionBlock + sizes.valueWidth + attentionLanes + 4),
          left = std::min(taskBytes, stackBytes - packed) / row - spareRows,
          most = std::max(attentionTaskRows, left),
          rows = std::max<int64_t>(1, extents.rows.value_or(most)),
          heads = std::max<int64_t>(1, extents.heads),
          parts = divideCeilSigned(rows, most);
  while (heads * parts < fewestTasks && rows >= 2 * parts * attentionTaskRows)
    parts *= 2;
  int64_t part = divideCeilSigned(rows, parts);
  bool tall = !few && part >= attentionTaskRows;
  sizes.scoreRows =
      divideCeilSigned(part, divideCeilSigned(part, mostTileRows));
  if (tall)
    for (int64_t fewer : {5, 4})
      if (wholeTiles(part, fewer) < wholeTiles(part, sizes.scoreRows))
        sizes.scoreRows = fewer;
  sizes.valueRows = tall ? overlappedRows : sizes.scoreRows;
  // The rows of a tile have scores for the keys that any of them sees.
  if (extents.causal)
    sizes.scoreRows = sizes.valueRows;
  sizes.overlapped = tall && !extents.causal;
  sizes.taskRows = wholeTiles(part, sizes.valueRows);
  return sizes;
}

} // namespace tenon
