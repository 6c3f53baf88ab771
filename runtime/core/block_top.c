/* The first elements of one row by a block. The key of the last wanted element
 * is found digit by digit from the highest on: the threads count how many
 * elements have each digit, among those whose higher digits are the key's. Then
 * the places of the elements are written in ascending order, and sorted. */
#include "block_order.h"

enum { FOUND_BITS = 8 };
_Static_assert(1 << FOUND_BITS == TENON_BLOCK_THREADS,
               "each thread has a digit");

BLOCK_MEMORY uint32_t elements_of[TENON_BLOCK_THREADS], equal_sums[WARPS];
/* The digit of the key, and the elements of lower digits. */
BLOCK_MEMORY uint32_t chosen, before_chosen;

static inline BLOCK_FUNCTION uint64_t element(const struct row *row,
                                              int64_t i) {
  return load(row->elements, i * row->stride, row->type.bits);
}
static inline BLOCK_FUNCTION uint64_t key(const struct row *row, int64_t i) {
  return key_of(element(row, i), row->type, row->descending);
}

/* Finds one digit more of the key of element number `wanted`, counted from 1,
 * among the elements whose keys begin with `found`. Returns its number among
 * those that have the digit too. */
static inline BLOCK_FUNCTION uint32_t find_digit(const struct row *row,
                                                 int shift, uint64_t *found,
                                                 uint32_t wanted) {
  uint32_t thread = thread_number();
  elements_of[thread] = 0;
  barrier();
  for (int64_t i = thread; i < row->count; i += TENON_BLOCK_THREADS) {
    uint64_t here = key(row, i);
    if (here >> shift >> FOUND_BITS == *found)
      __scoped_atomic_fetch_add(
          &elements_of[digit_of(here, row->type, shift, FOUND_BITS)], 1,
          __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  }
  barrier();
  uint32_t here = elements_of[thread], before = prefix(here, sums);
  if (before < wanted && wanted - before <= here) {
    chosen = thread;
    before_chosen = before;
  }
  barrier();
  *found = *found << FOUND_BITS | chosen;
  return wanted - before_chosen;
}

/* Writes the places of the first `wanted` elements in ascending order. */
static inline BLOCK_FUNCTION void select(const struct row *row,
                                         int64_t *indices, uint32_t wanted) {
  uint64_t last = 0;
  uint32_t equal = wanted;
  for (int shift = row->type.bits - FOUND_BITS; shift >= 0; shift -= FOUND_BITS)
    equal = find_digit(row, shift, &last, equal);
  /* All elements before the last key are wanted, and the first `equal` that
   * have it. */
  struct part part = part_of(row->count);
  uint32_t less_before = 0, equal_before = 0;
  for (int64_t i = part.low; i < part.high; ++i) {
    uint64_t here = key(row, i);
    less_before += here < last;
    equal_before += here == last;
  }
  less_before = prefix(less_before, sums);
  equal_before = prefix(equal_before, equal_sums);
  for (int64_t i = part.low; i < part.high; ++i) {
    uint64_t here = key(row, i);
    uint32_t taken = equal_before < equal ? equal_before : equal;
    if (here < last || (here == last && equal_before < equal))
      store((GLOBAL int64_t *)indices, (less_before + taken) * row->stride, 64,
            (uint64_t)i);
    less_before += here < last;
    equal_before += here == last;
  }
}

static inline BLOCK_FUNCTION void top(const void *elements, int64_t count,
                                      void *keys, int64_t *indices,
                                      int64_t wanted, int64_t stride,
                                      int32_t descending, struct element type) {
  struct row row = {type,
                    descending,
                    0,
                    count,
                    stride,
                    (const GLOBAL void *)elements,
                    (GLOBAL uint32_t *)indices};
  select(&row, indices, (uint32_t)wanted);
  row.count = wanted;
  order(&row);
  for (int64_t i = thread_number(); i < wanted; i += TENON_BLOCK_THREADS) {
    uint32_t from = *place(&row, i, row.half);
    store((GLOBAL void *)keys, i * stride, type.bits, element(&row, from));
    store((GLOBAL void *)indices, i * stride, 64, from);
  }
}

#define DEFINE(NAME, BITS, KIND, INFINITY)                                     \
  BLOCK_FUNCTION void tenon_core_block_top_##NAME(                             \
      const void *row, int64_t count, void *keys, int64_t *indices,            \
      int64_t wanted, int64_t stride, int32_t descending) {                    \
    if (count > UINT32_MAX) {                                                  \
      if (thread_number() == 0)                                                \
        tenon_core_top_##NAME(row, count, keys, indices, wanted, stride,       \
                              descending);                                     \
      return;                                                                  \
    }                                                                          \
    if (wanted == 0)                                                           \
      return;                                                                  \
    top(row, count, keys, indices, wanted, stride, descending,                 \
        (struct element){BITS, KIND, INFINITY});                               \
  }
BLOCK_ELEMENTS(DEFINE)
