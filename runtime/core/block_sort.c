/* Sorts of one row in place by a block. */
#include "block_order.h"

/* Puts the keys in order, a word of each at a time: it goes through the half
 * that has no places. Then makes indices of the places. */
static inline BLOCK_FUNCTION void finish(const struct row *row,
                                         GLOBAL void *keys) {
  int32_t from = row->half, free = 1 - from;
  int bits = row->type.bits < 32 ? row->type.bits : 32,
      words = row->type.bits / bits;
  for (int word = 0; word < words; ++word) {
    for (int64_t i = thread_number(); i < row->count; i += TENON_BLOCK_THREADS)
      *place(row, i, free) = (uint32_t)load(
          keys, *place(row, i, from) * row->stride * words + word, bits);
    barrier();
    for (int64_t i = thread_number(); i < row->count; i += TENON_BLOCK_THREADS)
      store(keys, i * row->stride * words + word, bits, *place(row, i, free));
  }
  for (int64_t i = thread_number(); i < row->count; i += TENON_BLOCK_THREADS)
    store(row->places, i * row->stride, 64, *place(row, i, from));
}

static inline BLOCK_FUNCTION void sort(void *keys, int64_t *indices,
                                       int64_t count, int64_t stride,
                                       int32_t descending,
                                       struct element type) {
  struct row row = {type,
                    descending,
                    0,
                    count,
                    stride,
                    (const GLOBAL void *)keys,
                    (GLOBAL uint32_t *)indices};
  for (int64_t i = thread_number(); i < count; i += TENON_BLOCK_THREADS)
    *place(&row, i, row.half) = (uint32_t)i;
  order(&row);
  finish(&row, (GLOBAL void *)keys);
}

#define DEFINE(NAME, BITS, KIND, INFINITY)                                     \
  BLOCK_FUNCTION void tenon_core_block_sort_##NAME(                            \
      void *row, int64_t *indices, int64_t count, int64_t stride,              \
      int32_t descending) {                                                    \
    if (count > UINT32_MAX) {                                                  \
      barrier();                                                               \
      if (thread_number() != 0)                                                \
        return;                                                                \
      for (int64_t i = 0; i < count; ++i)                                      \
        indices[i * stride] = i;                                               \
      tenon_core_sort_##NAME(row, indices, count, stride, descending);         \
      return;                                                                  \
    }                                                                          \
    sort(row, indices, count, stride, descending,                              \
         (struct element){BITS, KIND, INFINITY});                              \
  }
BLOCK_ELEMENTS(DEFINE)
