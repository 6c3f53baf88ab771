/* XXH64, the 64-bit hash of Yann Collet's xxHash, written from its
 * specification. Bytes are added whole or in pieces; the result is equal on
 * every machine. It detects damage; it is no defence against intent.
 *
 * The only implementation: runtime, seal and compiler share it. */
#ifndef TENON_RUNTIME_XXH64_H
#define TENON_RUNTIME_XXH64_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TENON_XXH_P1 UINT64_C(0x9E3779B185EBCA87)
#define TENON_XXH_P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define TENON_XXH_P3 UINT64_C(0x165667B19E3779F9)
#define TENON_XXH_P4 UINT64_C(0x85EBCA77C2B2AE63)
#define TENON_XXH_P5 UINT64_C(0x27D4EB2F165667C5)

typedef struct tenon_xxh64 {
  uint64_t lanes[4];
  uint64_t total;
  unsigned char tail[32];
} tenon_xxh64;

static inline uint64_t tenon_xxh64_rotl(uint64_t x, int by) {
  return (x << by) | (x >> (64 - by));
}

static inline uint64_t tenon_xxh64_word(const unsigned char *p) {
  uint64_t word;
  memcpy(&word, p, sizeof word); /* all our hosts are little-endian */
  return word;
}

static inline uint64_t tenon_xxh64_round(uint64_t lane, uint64_t word) {
  lane += word * TENON_XXH_P2;
  return tenon_xxh64_rotl(lane, 31) * TENON_XXH_P1;
}

static inline void tenon_xxh64_begin(tenon_xxh64 *s, uint64_t seed) {
  memset(s, 0, sizeof *s);
  s->lanes[0] = seed + TENON_XXH_P1 + TENON_XXH_P2;
  s->lanes[1] = seed + TENON_XXH_P2;
  s->lanes[2] = seed;
  s->lanes[3] = seed - TENON_XXH_P1;
}

static inline void tenon_xxh64_stripe(tenon_xxh64 *s, const unsigned char *p) {
  for (int i = 0; i < 4; ++i)
    s->lanes[i] = tenon_xxh64_round(s->lanes[i], tenon_xxh64_word(p + 8 * i));
}

static inline void tenon_xxh64_add(tenon_xxh64 *s, const void *data,
                                   size_t size) {
  const unsigned char *p = (const unsigned char *)data;
  size_t held = (size_t)(s->total & 31);
  if (size == 0)
    return;
  s->total += size;
  if (held != 0) {
    size_t take = 32 - held < size ? 32 - held : size;
    memcpy(s->tail + held, p, take);
    p += take;
    size -= take;
    if (held + take < 32)
      return;
    tenon_xxh64_stripe(s, s->tail);
  }
  for (; size >= 32; p += 32, size -= 32)
    tenon_xxh64_stripe(s, p);
  memcpy(s->tail, p, size);
}

static inline uint64_t tenon_xxh64_end(const tenon_xxh64 *s) {
  const unsigned char *p = s->tail;
  size_t left = (size_t)(s->total & 31);
  uint64_t h;
  if (s->total >= 32) {
    h = tenon_xxh64_rotl(s->lanes[0], 1) + tenon_xxh64_rotl(s->lanes[1], 7) +
        tenon_xxh64_rotl(s->lanes[2], 12) + tenon_xxh64_rotl(s->lanes[3], 18);
    for (int i = 0; i < 4; ++i)
      h = (h ^ tenon_xxh64_round(0, s->lanes[i])) * TENON_XXH_P1 + TENON_XXH_P4;
  } else {
    h = s->lanes[2] + TENON_XXH_P5; /* lane 2 still holds the seed */
  }
  h += s->total;
  for (; left >= 8; p += 8, left -= 8) {
    h ^= tenon_xxh64_round(0, tenon_xxh64_word(p));
    h = tenon_xxh64_rotl(h, 27) * TENON_XXH_P1 + TENON_XXH_P4;
  }
  if (left >= 4) {
    uint32_t half;
    memcpy(&half, p, sizeof half);
    h ^= half * TENON_XXH_P1;
    h = tenon_xxh64_rotl(h, 23) * TENON_XXH_P2 + TENON_XXH_P3;
    p += 4;
    left -= 4;
  }
  for (; left > 0; ++p, --left) {
    h ^= *p * TENON_XXH_P5;
    h = tenon_xxh64_rotl(h, 11) * TENON_XXH_P1;
  }
  h = (h ^ (h >> 33)) * TENON_XXH_P2;
  h = (h ^ (h >> 29)) * TENON_XXH_P3;
  return h ^ (h >> 32);
}

/* The hash of `size` bytes at once, seed 0. */
static inline uint64_t tenon_xxh64_of(const void *data, size_t size) {
  tenon_xxh64 state;
  tenon_xxh64_begin(&state, 0);
  tenon_xxh64_add(&state, data, size);
  return tenon_xxh64_end(&state);
}

#endif /* TENON_RUNTIME_XXH64_H */
