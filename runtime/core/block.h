/* The parts of the core whose callers are all threads of a block, with the same
 * arguments. They are compiled for devices only. */
#ifndef TENON_RUNTIME_CORE_BLOCK_H
#define TENON_RUNTIME_CORE_BLOCK_H

#include "core.h"

enum {
  TENON_BLOCK_THREADS = 256,
  WARP_THREADS = 32,
  WARPS = TENON_BLOCK_THREADS / WARP_THREADS
};

/* Memory of the device, and memory of the block. */
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))
/* Declares memory of the block. It has no first value. */
#define BLOCK_MEMORY static SHARED __attribute__((loader_uninitialized))
/* A function that becomes a part of each kernel that calls it. */
#define BLOCK_FUNCTION __attribute__((always_inline))

static inline uint32_t thread_number(void) {
  return __nvvm_read_ptx_sreg_tid_x();
}

/* All threads of the block wait for one another here. */
static inline void barrier(void) { __syncthreads(); }

/* The sum of `value` over the threads before this one. `sums` is used for
 * nothing else until the next barrier after the call. */
static inline BLOCK_FUNCTION uint32_t prefix(uint32_t value,
                                             SHARED uint32_t *sums) {
  uint32_t lane = thread_number() % WARP_THREADS,
           warp = thread_number() / WARP_THREADS, sum = value;
  for (uint32_t distance = 1; distance < WARP_THREADS; distance *= 2) {
    uint32_t before =
        (uint32_t)__nvvm_shfl_sync_up_i32(~0u, (int)sum, (int)distance, 0);
    sum += lane >= distance ? before : 0;
  }
  if (lane == WARP_THREADS - 1)
    sums[warp] = sum;
  barrier();
  for (uint32_t i = 0; i < warp; ++i)
    sum += sums[i];
  return sum - value;
}

/* A part of consecutive elements for each thread, in the order of threads. */
struct part {
  int64_t low, high;
};
static inline struct part part_of(int64_t count) {
  int64_t each = (count + TENON_BLOCK_THREADS - 1) / TENON_BLOCK_THREADS,
          low = each * thread_number(), high = low + each;
  return (struct part){low < count ? low : count, high < count ? high : count};
}

/* The type of a sort's elements, which are loaded as unsigned integers. */
struct element {
  int bits;
  enum { UNSIGNED, SIGNED, FLOATING } kind;
  uint64_t infinity; /* of floats */
};
#define BLOCK_ELEMENTS(DEFINE)                                                 \
  DEFINE(f32, 32, FLOATING, UINT64_C(0x7f800000))                              \
  DEFINE(f64, 64, FLOATING, UINT64_C(0x7ff0000000000000))                      \
  DEFINE(f16, 16, FLOATING, 0x7c00)                                            \
  DEFINE(bf16, 16, FLOATING, 0x7f80)                                           \
  DEFINE(i8, 8, SIGNED, 0)                                                     \
  DEFINE(i16, 16, SIGNED, 0)                                                   \
  DEFINE(i32, 32, SIGNED, 0)                                                   \
  DEFINE(i64, 64, SIGNED, 0)                                                   \
  DEFINE(u8, 8, UNSIGNED, 0)                                                   \
  DEFINE(u16, 16, UNSIGNED, 0)                                                 \
  DEFINE(u32, 32, UNSIGNED, 0)                                                 \
  DEFINE(u64, 64, UNSIGNED, 0)

static inline BLOCK_FUNCTION uint64_t load(const GLOBAL void *row, int64_t at,
                                           int bits) {
  switch (bits) {
  case 8:
    return ((const GLOBAL uint8_t *)row)[at];
  case 16:
    return ((const GLOBAL uint16_t *)row)[at];
  case 32:
    return ((const GLOBAL uint32_t *)row)[at];
  default:
    return ((const GLOBAL uint64_t *)row)[at];
  }
}

static inline BLOCK_FUNCTION void store(GLOBAL void *row, int64_t at, int bits,
                                        uint64_t value) {
  switch (bits) {
  case 8:
    ((GLOBAL uint8_t *)row)[at] = (uint8_t)value;
    break;
  case 16:
    ((GLOBAL uint16_t *)row)[at] = (uint16_t)value;
    break;
  case 32:
    ((GLOBAL uint32_t *)row)[at] = (uint32_t)value;
    break;
  default:
    ((GLOBAL uint64_t *)row)[at] = value;
  }
}

/* An integer of the element's bits; these integers are in ascending order where
 * the elements are in the order of the sort, and equal where they are equal
 * there. */
static inline BLOCK_FUNCTION uint64_t key_of(uint64_t bits, struct element type,
                                             int32_t descending) {
  uint64_t all = ~UINT64_C(0) >> (64 - type.bits), sign = all / 2 + 1,
           key = bits;
  if (type.kind == SIGNED)
    key = bits ^ sign;
  if (type.kind == FLOATING) {
    uint64_t magnitude = bits & ~sign;
    key = bits & sign ? sign - magnitude : sign + magnitude;
    if (magnitude > type.infinity)
      key = all;
  }
  return descending ? all - key : key;
}

/* `bits` bits of a key, at most 8, from `shift` on. */
static inline BLOCK_FUNCTION uint32_t digit_of(uint64_t key,
                                               struct element type, int shift,
                                               int bits) {
  uint32_t low =
      type.bits <= 32 ? (uint32_t)key >> shift : (uint32_t)(key >> shift);
  return low & ((1u << bits) - 1);
}

/* tenon_core_sort_TYPE and tenon_core_top_TYPE by a block. A sort sets the
 * indices itself, and waits for the threads of the block that write the row.
 * One thread sorts a row of 2^32 elements or more. */
#define DECLARE(NAME, BITS, KIND, INFINITY)                                    \
  void tenon_core_block_sort_##NAME(void *row, int64_t *indices,               \
                                    int64_t count, int64_t stride,             \
                                    int32_t descending);                       \
  void tenon_core_block_top_##NAME(const void *row, int64_t count, void *keys, \
                                   int64_t *indices, int64_t wanted,           \
                                   int64_t stride, int32_t descending);
BLOCK_ELEMENTS(DECLARE)
#undef DECLARE

/* tenon_core_nms in two kernels. Each block of the first has the numbers
 * `block`, `block + blocks` and so on of the pairs of a batch and a class. It
 * writes the rows of pair p from row p * most on, where `most` is the least of
 * the limit and the number of boxes; the others of the `most` rows become -1.
 */
void tenon_core_block_nms(const float *boxes, const float *scores,
                          int64_t batches, int64_t classes, int64_t count,
                          int64_t limit, float iou_threshold,
                          float score_threshold, int32_t center,
                          int64_t *selected, int64_t block, int64_t blocks);

/* The second kernel is one block. It moves the rows of all pairs to the start
 * of `selected`, writes their number to *total and makes the rest zero: it has
 * no meaning, but threads of a later kernel may load it. */
void tenon_core_block_nms_join(int64_t *selected, int64_t rows, int64_t most,
                               int64_t *total);

#endif /* TENON_RUNTIME_CORE_BLOCK_H */
