/* The caller owns the memory of the state: two of them know nothing of each
 * other. */
#include "stateful.h"
#include <stdio.h>

static _Alignas(64) char arena[stateful_step_ARENA_BYTES + 64];
static _Alignas(64) char first[stateful_STATE_BYTES];
static _Alignas(64) char second[stateful_STATE_BYTES];

static void step(void *state, int64_t index) {
  const float x[4] = {1, 1, 1, 1};
  float before[4];
  int64_t count = 0;
  stateful_step_inputs in = {x, &index};
  stateful_step_outputs out = {before, &count};
  int32_t failed = stateful_step_run(&in, &out, arena, state);
  printf("step %d: %g %d\n", (int)failed, before[0], (int)count);
}

static void tell(void *state) {
  float h[4];
  int64_t count;
  uint8_t seen[2];
  stateful_tell_inputs in = {0};
  stateful_tell_outputs out = {h, &count, seen};
  if (stateful_tell_run(&in, &out, arena, state) == 0)
    printf("tell: %g %g %d %d\n", h[0], h[3], (int)count, seen[1]);
}

int main(void) {
  stateful_init_state(first);
  stateful_init_state(second);
  step(first, 0);
  step(first, 1);
  tell(first);
  tell(second);
  stateful_init_state(first);
  tell(first);
  return 0;
}
