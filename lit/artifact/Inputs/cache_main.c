/* The caller chooses the context extents and owns the memory of the state. */
#include "cache.h"
#include <stdio.h>
#include <stdlib.h>

static void append(void *state, cache_extents extents, int64_t batch,
                   int64_t tokens) {
  const float x[24] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                       1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  float sum[32];
  int64_t length = 0;
  uint64_t bytes = 0;
  tenon_fault fault = {0, 0, 0, 0, 0};
  cache_append_inputs in = {x, batch, tokens};
  cache_append_outputs out = {sum, {0, 0}, &length};
  int32_t failed = cache_append_plan(&in, &out, &extents, &bytes, &fault);
  if (!failed) {
    void *arena = aligned_alloc(64, (bytes + 64) / 64 * 64);
    failed = cache_append_run_with(&in, &out, arena, state, &extents, NULL,
                                   NULL, &fault);
    free(arena);
  }
  if (failed)
    printf("append: fault %d, found %d, expected %d to %d\n", (int)failed,
           (int)fault.found, (int)fault.low, (int)fault.high);
  else
    printf("append: %d tokens, sum %g %g\n", (int)length, sum[0],
           sum[batch * 4 - 1]);
}

int main(void) {
  cache_extents extents = cache_default_extents();
  printf("default: %d rows, %d positions, %d bytes\n", (int)extents.rows,
         (int)extents.positions, (int)cache_state_bytes(&extents));
  extents.rows = 3;
  extents.positions = 5;
  uint64_t bytes = cache_state_bytes(&extents);
  printf("chosen: %d bytes\n", (int)bytes);
  char *first = aligned_alloc(64, (bytes + 63) / 64 * 64);
  void *memory = calloc(1, bytes + 64);
  char *second = (char *)(((uintptr_t)memory + 63) / 64 * 64);
  if (!first || !memory)
    return 1;
  cache_init_state(first, &extents);
  cache_init_zero_state(second);
  append(first, extents, 3, 2);
  append(first, extents, 1, 2);
  append(second, extents, 1, 1);
  append(first, extents, 3, 2);
  append(first, extents, 4, 1);
  extents.positions = 0;
  append(first, extents, 1, 1);
  printf("refused: %d\n", cache_state_bytes(&extents) == UINT64_MAX);
  free(first);
  free(memory);
  return 0;
}
