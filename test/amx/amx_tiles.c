/* Operations on tiles in memory. Each checks the conditions that the processor
 * checks. */
#include "test/amx/amx_tiles.h"

#include <immintrin.h>
#include <string.h>

static int is_zero(const void *memory, size_t size) {
  const uint8_t *bytes = memory;
  for (size_t i = 0; i < size; ++i)
    if (bytes[i])
      return 0;
  return 1;
}

enum amx_outcome amx_configure(struct amx_tiles *tiles, const void *config) {
  struct amx_config wanted;
  memcpy(&wanted, config, sizeof wanted);
  if (wanted.palette > 1)
    return AMX_REFUSED;
  if (wanted.palette == 0)
    memset(&wanted, 0, sizeof wanted);
  if (!is_zero(wanted.reserved, sizeof wanted.reserved) ||
      !is_zero(wanted.row_bytes + AMX_TILES,
               sizeof wanted.row_bytes - AMX_TILES * sizeof(uint16_t)) ||
      !is_zero(wanted.rows + AMX_TILES, sizeof wanted.rows - AMX_TILES))
    return AMX_REFUSED;
  for (int tile = 0; tile < AMX_TILES; ++tile)
    if (wanted.row_bytes[tile] > AMX_ROW_BYTES ||
        wanted.rows[tile] > AMX_ROWS ||
        !wanted.row_bytes[tile] != !wanted.rows[tile])
      return AMX_REFUSED;
  tiles->config = wanted;
  memset(tiles->data, 0, sizeof tiles->data);
  return AMX_DONE;
}

static int is_valid(const struct amx_tiles *tiles, unsigned tile) {
  return tile < AMX_TILES && tiles->config.rows[tile] != 0;
}

enum amx_outcome amx_zero(struct amx_tiles *tiles, unsigned tile) {
  if (!is_valid(tiles, tile))
    return AMX_UNDEFINED;
  memset(tiles->data[tile], 0, sizeof tiles->data[tile]);
  tiles->config.start_row = 0;
  return AMX_DONE;
}

enum amx_outcome amx_load(struct amx_tiles *tiles, unsigned tile,
                          const char *base, int64_t stride) {
  if (!is_valid(tiles, tile))
    return AMX_UNDEFINED;
  struct amx_config *config = &tiles->config;
  if (config->start_row == 0)
    memset(tiles->data[tile], 0, sizeof tiles->data[tile]);
  for (int row = config->start_row; row < config->rows[tile]; ++row) {
    memset(tiles->data[tile][row], 0, AMX_ROW_BYTES);
    memcpy(tiles->data[tile][row], base + row * stride,
           config->row_bytes[tile]);
  }
  config->start_row = 0;
  return AMX_DONE;
}

enum amx_outcome amx_store(struct amx_tiles *tiles, unsigned tile, char *base,
                           int64_t stride) {
  if (!is_valid(tiles, tile))
    return AMX_UNDEFINED;
  struct amx_config *config = &tiles->config;
  for (int row = config->start_row; row < config->rows[tile]; ++row)
    memcpy(base + row * stride, tiles->data[tile][row],
           config->row_bytes[tile]);
  config->start_row = 0;
  return AMX_DONE;
}

/* Adds a row of A times B to a row of C, in f32. The even and the odd elements
 * of the pairs form two chains of fused multiply-adds over the words of A. The
 * two sums are added, and then added to C. Must be called with denormals
 * treated as zero, as tiles do, and is never inlined across that setting. */
__attribute__((noinline, target("avx2,fma"))) static void
add_bf16(float *c, const uint16_t *a, const uint8_t (*b)[AMX_ROW_BYTES],
         int words, int columns) {
  float sums[2][AMX_ROW_BYTES / 4] = {{0}};
  for (int k = 0; k < words; ++k) {
    uint32_t pairs[AMX_ROW_BYTES / 4];
    memcpy(pairs, b[k], AMX_ROW_BYTES);
    for (int odd = 0; odd < 2; ++odd) {
      uint32_t bits = (uint32_t)a[2 * k + odd] << 16;
      float left;
      memcpy(&left, &bits, sizeof left);
      for (int n = 0; n < AMX_ROW_BYTES / 4; ++n) {
        uint32_t half = odd ? pairs[n] & 0xffff0000u : pairs[n] << 16;
        float right;
        memcpy(&right, &half, sizeof right);
        sums[odd][n] = __builtin_fmaf(left, right, sums[odd][n]);
      }
    }
  }
  for (int n = 0; n < columns; ++n)
    c[n] += sums[0][n] + sums[1][n];
}

static void add_bytes(uint32_t *c, const uint8_t *a,
                      const uint8_t (*b)[AMX_ROW_BYTES], int words, int columns,
                      enum amx_product product) {
  int a_signed = product == AMX_S8U8 || product == AMX_S8S8;
  int b_signed = product == AMX_U8S8 || product == AMX_S8S8;
  for (int n = 0; n < columns; ++n)
    for (int k = 0; k < words; ++k)
      for (int byte = 0; byte < 4; ++byte) {
        uint8_t left = a[4 * k + byte], right = b[k][4 * n + byte];
        c[n] += (uint32_t)((a_signed ? (int8_t)left : left) *
                           (b_signed ? (int8_t)right : right));
      }
}

enum amx_outcome amx_multiply(struct amx_tiles *tiles, enum amx_product product,
                              unsigned c, unsigned a, unsigned b) {
  struct amx_config *config = &tiles->config;
  if (!is_valid(tiles, c) || !is_valid(tiles, a) || !is_valid(tiles, b) ||
      c == a || c == b || a == b)
    return AMX_UNDEFINED;
  if (config->row_bytes[c] % 4 || config->row_bytes[a] % 4 ||
      config->row_bytes[b] % 4 || config->rows[a] != config->rows[c] ||
      config->row_bytes[a] / 4 != config->rows[b] ||
      config->row_bytes[b] != config->row_bytes[c])
    return AMX_UNDEFINED;
  int words = config->row_bytes[a] / 4, columns = config->row_bytes[c] / 4;
  unsigned mode = _mm_getcsr();
  _mm_setcsr(_MM_MASK_MASK | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON);
  for (int row = 0; row < config->rows[c]; ++row) {
    uint32_t sums[AMX_ROW_BYTES / 4];
    memcpy(sums, tiles->data[c][row], sizeof sums);
    if (product == AMX_BF16)
      add_bf16((float *)sums, (const uint16_t *)tiles->data[a][row],
               tiles->data[b], words, columns);
    else
      add_bytes(sums, tiles->data[a][row], tiles->data[b], words, columns,
                product);
    memcpy(tiles->data[c][row], sums, sizeof sums);
  }
  _mm_setcsr(mode);
  config->start_row = 0;
  return AMX_DONE;
}
