/* Stable sorts of one row, for sort, top-k and what is built on them: a merge
 * sort from the bottom up over runs made by insertion. The work depends on the
 * count alone, so no input can make it slow. */
#include "core.h"

#include <string.h>

enum { RUN = 16 };

/* The total preorder of the values of each type: a stands before b. */
static inline int before_float(double a, double b) {
  return a < b || (a == a && b != b);
}
/* Half floats by their bits: sign and magnitude become one integer. */
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

int64_t tenon_core_sort_scratch(int64_t count, int64_t key_bytes) {
  return ((count * key_bytes + 7) & ~INT64_C(7)) + count * 8;
}

#define DEFINE_SORT(NAME, TYPE)                                                \
  static inline int precedes_##NAME(TYPE a, TYPE b, int32_t descending) {      \
    return descending ? BEFORE_##NAME(b, a) : BEFORE_##NAME(a, b);             \
  }                                                                            \
                                                                               \
  static void insert_##NAME(TYPE *keys, int64_t *indices, int64_t count,       \
                            int32_t descending) {                              \
    for (int64_t i = 1; i < count; ++i) {                                      \
      TYPE key = keys[i];                                                      \
      int64_t index = indices[i], at = i;                                      \
      for (; at > 0 && precedes_##NAME(key, keys[at - 1], descending); --at) { \
        keys[at] = keys[at - 1];                                               \
        indices[at] = indices[at - 1];                                         \
      }                                                                        \
      keys[at] = key;                                                          \
      indices[at] = index;                                                     \
    }                                                                          \
  }                                                                            \
                                                                               \
  void tenon_core_sort_##NAME(TYPE *keys, int64_t *indices, int64_t count,     \
                              int32_t descending, void *scratch) {             \
    int64_t key_room = (count * (int64_t)sizeof(TYPE) + 7) & ~INT64_C(7);      \
    TYPE *from = keys, *to = scratch;                                          \
    int64_t *from_at = indices;                                                \
    int64_t *to_at = (int64_t *)((char *)scratch + key_room);                  \
    for (int64_t at = 0; at < count; at += RUN)                                \
      insert_##NAME(keys + at, indices + at,                                   \
                    count - at < RUN ? count - at : RUN, descending);          \
    for (int64_t run = RUN; run < count; run *= 2) {                           \
      for (int64_t at = 0; at < count; at += 2 * run) {                        \
        int64_t left = at, middle = count - at < run ? count : at + run;       \
        int64_t right = middle, out = at;                                      \
        int64_t end = count - at < 2 * run ? count : at + 2 * run;             \
        for (; out < end; ++out) {                                             \
          int take_right =                                                     \
              left >= middle ||                                                \
              (right < end &&                                                  \
               precedes_##NAME(from[right], from[left], descending));          \
          int64_t source = take_right ? right++ : left++;                      \
          to[out] = from[source];                                              \
          to_at[out] = from_at[source];                                        \
        }                                                                      \
      }                                                                        \
      TYPE *keys_read = from;                                                  \
      int64_t *indices_read = from_at;                                         \
      from = to;                                                               \
      from_at = to_at;                                                         \
      to = keys_read;                                                          \
      to_at = indices_read;                                                    \
    }                                                                          \
    if (from != keys) {                                                        \
      memcpy(keys, from, (uint64_t)count * sizeof *keys);                      \
      memcpy(indices, from_at, (uint64_t)count * sizeof *indices);             \
    }                                                                          \
  }

TENON_CORE_SORTS(DEFINE_SORT)
