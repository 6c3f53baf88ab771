/* Orders the elements of a row by a block: a radix sort from the lowest digit
 * to the highest, which is stable. Only places move, between the two halves of
 * the words that hold the indices in the end, so no other memory is needed. */
#ifndef TENON_RUNTIME_CORE_BLOCK_ORDER_H
#define TENON_RUNTIME_CORE_BLOCK_ORDER_H

#include "block.h"

enum {
  ORDER_BITS = 4,
  DIGITS = 1 << ORDER_BITS,
  COUNTERS = DIGITS * TENON_BLOCK_THREADS
};

/* How many elements of each digit each thread has; then how many elements come
 * before them: all of lower digits, and those that the threads before have of
 * this digit. */
BLOCK_MEMORY uint32_t counters[COUNTERS + COUNTERS / DIGITS];
BLOCK_MEMORY uint32_t sums[WARPS];
/* The elements of lower digits than each. */
BLOCK_MEMORY uint32_t starts[DIGITS];

/* The gaps let each thread go over DIGITS neighbours without bank conflicts. */
static inline SHARED uint32_t *counter(uint32_t number) {
  return &counters[number + number / DIGITS];
}
static inline SHARED uint32_t *counter_of(uint32_t digit) {
  return counter(digit * TENON_BLOCK_THREADS + thread_number());
}

/* Replaces all counters by the sums of those before them. */
static inline BLOCK_FUNCTION void add_counters(void) {
  const uint32_t sharers = TENON_BLOCK_THREADS / DIGITS; /* of a digit */
  uint32_t first = thread_number() * DIGITS, sum = 0;
  for (uint32_t i = 0; i < DIGITS; ++i)
    sum += *counter(first + i);
  uint32_t next = prefix(sum, sums);
  if (thread_number() % sharers == 0)
    starts[thread_number() / sharers] = next;
  for (uint32_t i = 0; i < DIGITS; ++i) {
    uint32_t here = *counter(first + i);
    *counter(first + i) = next;
    next += here;
  }
}

/* `count` elements of a row in the order so far: number i is the one at
 * places[2 * i * stride + half] in the row. */
struct row {
  struct element type;
  int32_t descending, half;
  int64_t count, stride;
  const GLOBAL void *elements;
  GLOBAL uint32_t *places;
};

static inline BLOCK_FUNCTION GLOBAL uint32_t *place(const struct row *row,
                                                    int64_t i, int32_t half) {
  return row->places + 2 * i * row->stride + half;
}

static inline BLOCK_FUNCTION uint32_t digit(const struct row *row,
                                            uint32_t place, int shift) {
  uint64_t bits = load(row->elements, place * row->stride, row->type.bits);
  return digit_of(key_of(bits, row->type, row->descending), row->type, shift,
                  ORDER_BITS);
}

/* True if all elements have the same digit. */
static inline BLOCK_FUNCTION int have_one_digit(int64_t count) {
  int one = 1;
  for (uint32_t i = 0; i < DIGITS; ++i)
    one &= starts[i] == 0 || starts[i] == count;
  return one;
}

/* Orders the elements by one digit. Nothing moves if all have the same. */
static inline BLOCK_FUNCTION void order_by(struct row *row, int shift) {
  struct part part = part_of(row->count);
  int32_t from = row->half, to = 1 - from;
  for (uint32_t i = 0; i < DIGITS; ++i)
    *counter_of(i) = 0;
  for (int64_t i = part.low; i < part.high; ++i)
    ++*counter_of(digit(row, *place(row, i, from), shift));
  barrier();
  add_counters();
  barrier();
  if (have_one_digit(row->count))
    return;
  for (int64_t i = part.low; i < part.high; ++i) {
    uint32_t element = *place(row, i, from);
    uint32_t next = (*counter_of(digit(row, element, shift)))++;
    *place(row, next, to) = element;
  }
  row->half = to;
  barrier();
}

/* Orders the places. Threads have written them, and the row. */
static inline BLOCK_FUNCTION void order(struct row *row) {
  barrier();
  for (int shift = 0; shift < row->type.bits; shift += ORDER_BITS)
    order_by(row, shift);
}

#endif /* TENON_RUNTIME_CORE_BLOCK_ORDER_H */
