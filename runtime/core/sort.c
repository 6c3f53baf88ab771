/* Sorts of one row, for sort, top-k and ops built on them: an in-place heap
 * sort on (key, index). It is stable because no two indices are equal. The work
 * is O(n log n) for every input, and no extra memory is needed. Top-k is the
 * sort of a heap of the first elements seen so far. */
#include "core.h"

/* before_TYPE(a, b) is the total preorder of each type: true if a sorts before
 * b. */
static inline int before_float(double a, double b) {
  return a < b || (a == a && b != b);
}
/* An integer that orders half floats: their magnitude with their sign; NaN is
 * the largest. */
static inline int32_t half_rank(uint16_t bits, uint16_t infinity) {
  int32_t magnitude = bits & 0x7fff;
  if (magnitude > infinity)
    return INT32_MAX;
  return bits & 0x8000 ? -magnitude : magnitude;
}
#define BEFORE_f32(a, b) before_float(a, b)
#define BEFORE_f64(a, b) before_float(a, b)
#define BEFORE_f16(a, b) (half_rank(a, 0x7c00) < half_rank(b, 0x7c00))
#define BEFORE_bf16(a, b) (half_rank(a, 0x7f80) < half_rank(b, 0x7f80))
#define BEFORE_i8(a, b) ((a) < (b))
#define BEFORE_i16(a, b) ((a) < (b))
#define BEFORE_i32(a, b) ((a) < (b))
#define BEFORE_i64(a, b) ((a) < (b))
#define BEFORE_u8(a, b) ((a) < (b))
#define BEFORE_u16(a, b) ((a) < (b))
#define BEFORE_u32(a, b) ((a) < (b))
#define BEFORE_u64(a, b) ((a) < (b))

#define DEFINE_SORT(NAME, TYPE)                                                \
  /* True if element a comes before element b in the sorted row. */            \
  static inline int precedes_##NAME(TYPE a, int64_t a_at, TYPE b,              \
                                    int64_t b_at, int32_t descending) {        \
    if (descending ? BEFORE_##NAME(b, a) : BEFORE_##NAME(a, b))                \
      return 1;                                                                \
    if (descending ? BEFORE_##NAME(a, b) : BEFORE_##NAME(b, a))                \
      return 0;                                                                \
    return a_at < b_at;                                                        \
  }                                                                            \
                                                                               \
  /* Moves (key, index) down from `at` in the heap of `count` elements. */     \
  static void sink_##NAME(TYPE *keys, int64_t *indices, int64_t stride,        \
                          int64_t at, int64_t count, TYPE key, int64_t index,  \
                          int32_t descending) {                                \
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {            \
      if (child + 1 < count &&                                                 \
          precedes_##NAME(keys[child * stride], indices[child * stride],       \
                          keys[(child + 1) * stride],                          \
                          indices[(child + 1) * stride], descending))          \
        ++child;                                                               \
      if (!precedes_##NAME(key, index, keys[child * stride],                   \
                           indices[child * stride], descending))               \
        break;                                                                 \
      keys[at * stride] = keys[child * stride];                                \
      indices[at * stride] = indices[child * stride];                          \
    }                                                                          \
    keys[at * stride] = key;                                                   \
    indices[at * stride] = index;                                              \
  }                                                                            \
                                                                               \
  static void heap_##NAME(TYPE *keys, int64_t *indices, int64_t count,         \
                          int64_t stride, int32_t descending) {                \
    for (int64_t at = count / 2 - 1; at >= 0; --at)                            \
      sink_##NAME(keys, indices, stride, at, count, keys[at * stride],         \
                  indices[at * stride], descending);                           \
  }                                                                            \
                                                                               \
  static void sort_heap_##NAME(TYPE *keys, int64_t *indices, int64_t count,    \
                               int64_t stride, int32_t descending) {           \
    for (int64_t last = count - 1; last > 0; --last) {                         \
      TYPE key = keys[last * stride];                                          \
      int64_t index = indices[last * stride];                                  \
      keys[last * stride] = keys[0];                                           \
      indices[last * stride] = indices[0];                                     \
      sink_##NAME(keys, indices, stride, 0, last, key, index, descending);     \
    }                                                                          \
  }                                                                            \
                                                                               \
  void tenon_core_sort_##NAME(TYPE *keys, int64_t *indices, int64_t count,     \
                              int64_t stride, int32_t descending) {            \
    heap_##NAME(keys, indices, count, stride, descending);                     \
    sort_heap_##NAME(keys, indices, count, stride, descending);                \
  }                                                                            \
                                                                               \
  void tenon_core_top_##NAME(const TYPE *row, int64_t count, TYPE *keys,       \
                             int64_t *indices, int64_t wanted, int64_t stride, \
                             int32_t descending) {                             \
    if (wanted <= 0)                                                           \
      return;                                                                  \
    for (int64_t i = 0; i < wanted; ++i) {                                     \
      keys[i * stride] = row[i * stride];                                      \
      indices[i * stride] = i;                                                 \
    }                                                                          \
    heap_##NAME(keys, indices, wanted, stride, descending);                    \
    for (int64_t i = wanted; i < count; ++i) {                                 \
      TYPE key = row[i * stride];                                              \
      if (precedes_##NAME(key, i, keys[0], indices[0], descending))            \
        sink_##NAME(keys, indices, stride, 0, wanted, key, i, descending);     \
    }                                                                          \
    sort_heap_##NAME(keys, indices, wanted, stride, descending);               \
  }

TENON_CORE_SORTS(DEFINE_SORT)
