/* Calls a model with optional inputs, without the runtime. */
#include <math.h>
#include <stdio.h>

#include "optional.h"

static unsigned char arena[4096] __attribute__((aligned(64)));

static void show(const optional_inputs *in) {
  float y[2] = {0, 0};
  optional_outputs out = {y, {0}};
  uint64_t bytes = 0;
  tenon_fault fault = {0, 0, 0, 0, 0};
  int32_t code = optional_plan(in, &out, &bytes, &fault);
  if (code == 0 && bytes <= sizeof arena)
    code = optional_run_with(in, &out, arena, NULL, NULL, &fault);
  if (code == 0)
    printf("%g %g\n", y[0], y[1]);
  else
    printf("fault %d: input %d, element %d\n", (int)code, (int)fault.site,
           (int)fault.found);
}

int main(void) {
  float x[2] = {2, 4}, factor = 1;
  int64_t extra[3] = {1, 2, 3};
  uint8_t allowed[2] = {1, 0};
  optional_inputs in = {x, NULL, NULL, NULL, 2, 0, 0};
  show(&in);
  in.factor = &factor;
  show(&in);
  in.extra = extra;
  show(&in); /* given, but without elements */
  in.e = 3;
  show(&in);
  in.allowed = allowed;
  in.rows = 1;
  show(&in);
  extra[2] = -1;
  show(&in);
  factor = NAN;
  show(&in);
  return 0;
}
