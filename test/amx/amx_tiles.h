/* The tile registers of AMX and the effects of its instructions, written from
 * the operation sections of Intel's manual without AMX instructions. */
#ifndef TENON_TEST_AMX_AMX_TILES_H
#define TENON_TEST_AMX_AMX_TILES_H

#include <stdint.h>

enum { AMX_TILES = 8, AMX_ROWS = 16, AMX_ROW_BYTES = 64 };

/* The configuration in the memory layout of ldtilecfg; all zero means none. */
struct amx_config {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};

struct amx_tiles {
  struct amx_config config;
  uint8_t data[AMX_TILES][AMX_ROWS][AMX_ROW_BYTES];
};

enum amx_outcome {
  AMX_DONE,
  AMX_UNDEFINED, /* the processor raises #UD: SIGILL */
  AMX_REFUSED,   /* the processor raises #GP: SIGSEGV */
};

/* C += A * B, in words of 32 bits. */
enum amx_product {
  AMX_BF16, /* pairs of bf16, summed in f32 */
  AMX_U8U8,
  AMX_U8S8,
  AMX_S8U8,
  AMX_S8S8, /* groups of four bytes of A and of B */
};

enum amx_outcome amx_configure(struct amx_tiles *tiles, const void *config);
enum amx_outcome amx_zero(struct amx_tiles *tiles, unsigned tile);
enum amx_outcome amx_load(struct amx_tiles *tiles, unsigned tile,
                          const char *base, int64_t stride);
enum amx_outcome amx_store(struct amx_tiles *tiles, unsigned tile, char *base,
                           int64_t stride);
enum amx_outcome amx_multiply(struct amx_tiles *tiles, enum amx_product product,
                              unsigned c, unsigned a, unsigned b);

#endif /* TENON_TEST_AMX_AMX_TILES_H */
