/* The greatest elements of a row, for top-k. Elements are given by their ranks
 * and collected. Now and then only the `wanted` first are kept, and the limit
 * for later elements rises. The work is linear in the elements that are taken,
 * for every input. */
#include "core.h"

enum {
  RANK_BITS = 32,
  /* The counts of all digits are zeroed without a call of memset. */
  DIGIT_BITS = 6,
  DIGITS = 1 << DIGIT_BITS,
  LANES = 64, /* of a mask */
  /* Elements are collected up to this multiple of `wanted`. More need more
   * memory, fewer are pruned more often. */
  WANTED_FACTOR = 4,
};

struct top {
  int32_t limit;   /* elements of lower ranks are not needed */
  int32_t wanted;  /* elements kept at the end */
  int32_t count;   /* elements collected, in the order of their places */
  int32_t room;    /* elements that fit */
  int32_t ranks[]; /* `room` of them, then as many places */
};
_Static_assert(sizeof(struct top) == TENON_TOP_WORDS * sizeof(int32_t),
               "kernels allocate this many words before the elements");

static int32_t *places_of(struct top *top) { return top->ranks + top->room; }

/* Ranks as unsigned integers of the same order, and back. */
static inline uint32_t bits_of(int32_t rank) {
  return (uint32_t)rank ^ UINT32_C(0x80000000);
}
static inline int32_t rank_of(uint32_t bits) {
  return (int32_t)(bits ^ UINT32_C(0x80000000));
}

/* The number of ranks that are not below `bound`. */
static int32_t count_reaching(const int32_t *ranks, int32_t count,
                              int32_t bound) {
  int32_t reaching = 0;
  for (int32_t i = 0; i < count; ++i)
    reaching += ranks[i] >= bound;
  return reaching;
}

/* The rank of number `wanted` in falling order, found bit by bit: no input
 * needs more than 32 passes. The search ends early at a bound that exactly
 * `wanted` ranks reach; the rank is the least of these. */
static int32_t rank_number(const int32_t *ranks, int32_t count,
                           int32_t wanted) {
  uint32_t found = 0;
  int32_t reaching = count;
  for (int bit = RANK_BITS - 1; bit >= 0 && reaching != wanted; --bit) {
    uint32_t higher = found | UINT32_C(1) << bit;
    int32_t above = count_reaching(ranks, count, rank_of(higher));
    if (above >= wanted) {
      found = higher;
      reaching = above;
    }
  }
  int32_t bound = rank_of(found), least = INT32_MAX;
  for (int32_t i = 0; i < count; ++i)
    least = ranks[i] >= bound && ranks[i] < least ? ranks[i] : least;
  return least;
}

/* Keeps the `wanted` elements that come first, in the order of their places. */
static void prune(struct top *top) {
  int32_t *places = places_of(top);
  if (top->count <= top->wanted)
    return;
  int32_t last = rank_number(top->ranks, top->count, top->wanted);
  int32_t next = last < INT32_MAX ? last + 1 : last, above = 0;
  if (next > last)
    above = count_reaching(top->ranks, top->count, next);
  int32_t equal = top->wanted - above, kept = 0;
  for (int32_t i = 0; i < top->count; ++i) {
    int32_t rank = top->ranks[i];
    int keep = rank > last || (rank == last && equal > 0);
    equal -= rank == last;
    top->ranks[kept] = rank;
    places[kept] = places[i];
    kept += keep;
  }
  top->count = kept;
  top->limit = next;
}

int32_t tenon_core_top_begin(int32_t *memory, int64_t room, int64_t wanted,
                             const int32_t *samples, int64_t count) {
  struct top *top = (struct top *)memory;
  top->wanted = (int32_t)wanted;
  top->count = 0;
  top->room = (int32_t)room;
  top->limit = count < wanted
                   ? INT32_MIN
                   : rank_number(samples, (int32_t)count, (int32_t)wanted);
  return top->limit;
}

int32_t tenon_core_top_take(int32_t *memory, const int32_t *ranks,
                            uint64_t mask, int64_t first) {
  struct top *top = (struct top *)memory;
  int32_t *places = places_of(top);
  int32_t count = top->count, limit = top->limit;
  for (; mask; mask &= mask - 1) {
    int lane = __builtin_ctzll(mask);
    top->ranks[count] = ranks[lane];
    places[count] = (int32_t)first + lane;
    count += ranks[lane] >= limit;
  }
  top->count = count;
  int32_t most = WANTED_FACTOR * top->wanted + LANES;
  if (count > most || count > top->room - LANES)
    prune(top);
  return top->limit;
}

/* Orders the elements by one digit of their ranks, the greatest first. Elements
 * with equal digits keep their order. Returns 0, with nothing done, if all
 * digits are equal. */
static int order_digit(const int32_t *ranks, const int32_t *places,
                       int32_t *to_ranks, int32_t *to_places, int32_t count,
                       int shift) {
  int32_t starts[DIGITS] = {0};
  for (int32_t i = 0; i < count; ++i)
    ++starts[bits_of(ranks[i]) >> shift & (DIGITS - 1)];
  if (starts[bits_of(ranks[0]) >> shift & (DIGITS - 1)] == count)
    return 0;
  for (int32_t digit = DIGITS - 1, next = 0; digit >= 0; --digit) {
    int32_t here = starts[digit];
    starts[digit] = next;
    next += here;
  }
  for (int32_t i = 0; i < count; ++i) {
    int32_t to = starts[bits_of(ranks[i]) >> shift & (DIGITS - 1)]++;
    to_ranks[to] = ranks[i];
    to_places[to] = places[i];
  }
  return 1;
}

void tenon_core_top_end(int32_t *memory, int64_t *order) {
  struct top *top = (struct top *)memory;
  prune(top);
  int32_t *ranks = top->ranks, *places = places_of(top);
  /* The elements move between the two halves of the room. */
  int32_t other = top->room / 2;
  for (int shift = 0; shift < RANK_BITS; shift += DIGIT_BITS)
    if (order_digit(ranks, places, ranks + other, places + other, top->count,
                    shift)) {
      ranks += other;
      places += other;
      other = -other;
    }
  for (int32_t i = 0; i < top->count; ++i)
    order[i] = places[i];
}
