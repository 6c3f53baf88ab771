/* Non-maximum suppression by blocks. All threads of a block look for the next
 * candidate of one batch and class, and compare it with the boxes taken. */
#include "block.h"
#include "boxes.h"

enum { COLUMNS = 3 };

BLOCK_MEMORY uint64_t candidates[WARPS];
BLOCK_MEMORY int overlapped[WARPS];

static inline uint32_t lane(void) { return thread_number() % WARP_THREADS; }
static inline uint32_t warp(void) { return thread_number() / WARP_THREADS; }

static inline uint64_t from_lane(uint64_t value, int distance) {
  int low = __nvvm_shfl_sync_bfly_i32(~0u, (int)value, distance, 31),
      high = __nvvm_shfl_sync_bfly_i32(~0u, (int)(value >> 32), distance, 31);
  return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

static inline uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* A candidate is its score's place in falling order and its box, in one number:
 * candidates are visited in ascending order. This is the first from `first` on,
 * or all bits if there is none. */
static inline BLOCK_FUNCTION uint64_t next_candidate(const GLOBAL float *scores,
                                                     int64_t count,
                                                     uint64_t first,
                                                     float threshold) {
  struct element type = {32, FLOATING, UINT64_C(0x7f800000)};
  uint64_t best = ~UINT64_C(0);
  for (int64_t i = thread_number(); i < count; i += TENON_BLOCK_THREADS) {
    uint64_t here =
        key_of(load(scores, i, 32), type, /*descending=*/1) << 32 | (uint64_t)i;
    if (scores[i] > threshold && here >= first)
      best = least(best, here);
  }
  for (int distance = WARP_THREADS / 2; distance; distance /= 2)
    best = least(best, from_lane(best, distance));
  if (lane() == 0)
    candidates[warp()] = best;
  barrier();
  for (int i = 0; i < WARPS; ++i)
    best = least(best, candidates[i]);
  return best;
}

/* True if the box overlaps one of the `taken` rows. */
static inline BLOCK_FUNCTION int
overlaps_any(struct box box, const float *boxes, const GLOBAL int64_t *rows,
             int64_t taken, float threshold, int32_t center) {
  int any = 0;
  for (int64_t i = thread_number(); i < taken; i += TENON_BLOCK_THREADS)
    any |= overlaps(box, load_box(boxes + rows[i * COLUMNS + 2] * 4, center),
                    threshold);
  any = __nvvm_vote_any_sync(~0u, any);
  if (lane() == 0)
    overlapped[warp()] = any;
  barrier();
  for (int i = 0; i < WARPS; ++i)
    any |= overlapped[i];
  return any;
}

BLOCK_FUNCTION void
tenon_core_block_nms(const float *boxes, const float *scores, int64_t batches,
                     int64_t classes, int64_t count, int64_t limit,
                     float iou_threshold, float score_threshold, int32_t center,
                     int64_t *selected, int64_t block, int64_t blocks) {
  int64_t most = limit < count ? limit : count;
  for (int64_t pair = block; pair < batches * classes; pair += blocks) {
    int64_t batch = pair / classes, class = pair % classes, taken = 0;
    const GLOBAL float *own = (const GLOBAL float *)scores + pair * count;
    const float *places = boxes + batch * count * 4;
    GLOBAL int64_t *rows = (GLOBAL int64_t *)selected + pair * most * COLUMNS;
    for (uint64_t first = 0; taken < most;) {
      uint64_t candidate = next_candidate(own, count, first, score_threshold);
      if (candidate == ~UINT64_C(0))
        break;
      first = candidate + 1;
      int64_t at = (uint32_t)candidate;
      if (overlaps_any(load_box(places + at * 4, center), places, rows, taken,
                       iou_threshold, center))
        continue;
      if (thread_number() == 0) {
        rows[taken * COLUMNS] = batch;
        rows[taken * COLUMNS + 1] = class;
        rows[taken * COLUMNS + 2] = at;
      }
      ++taken;
    }
    for (int64_t i = taken * COLUMNS + thread_number(); i < most * COLUMNS;
         i += TENON_BLOCK_THREADS)
      rows[i] = -1;
    /* All threads have read the last candidate before the next pair's. */
    barrier();
  }
}

/* The number of rows of a pair, which has `most` of them at most. */
static inline int64_t count_rows(const GLOBAL int64_t *rows, int64_t most) {
  int64_t low = 0;
  for (int64_t high = most; low < high;) {
    int64_t middle = low + (high - low) / 2;
    if (rows[middle * COLUMNS] < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

BLOCK_FUNCTION void tenon_core_block_nms_join(int64_t *selected, int64_t rows,
                                              int64_t most, int64_t *total) {
  GLOBAL int64_t *to = (GLOBAL int64_t *)selected;
  int64_t words = 0, all = rows * COLUMNS;
  for (int64_t pair = 0; pair * most < rows; ++pair) {
    const GLOBAL int64_t *from = to + pair * most * COLUMNS;
    int64_t own = count_rows(from, most) * COLUMNS;
    /* Words move down, in their order: all of a step are read before one is
     * written. The barrier also runs if no word moves: all threads count the
     * last rows before any of them is zeroed. */
    int64_t moved = 0;
    do {
      int64_t word = moved + thread_number();
      int64_t value = word < own ? from[word] : 0;
      barrier();
      if (word < own)
        to[words + word] = value;
      moved += TENON_BLOCK_THREADS;
    } while (moved < own);
    words += own;
  }
  if (thread_number() == 0)
    *(GLOBAL int64_t *)total = words / COLUMNS;
  for (int64_t i = words + thread_number(); i < all; i += TENON_BLOCK_THREADS)
    to[i] = 0;
}
