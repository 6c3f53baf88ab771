/* Runs z = relu(x + y) through the typed header, without the runtime. */
#include "add.h"
#ifdef TWO
#include "sum.h"
#endif
#include <stdio.h>

int main(void) {
  static unsigned char room[4096 + 64];
  float x[6] = {0, 1, 2, 3, 4, 5}, y[6] = {0, 1, 2, 3, 4, 5}, z[6];
  add_inputs in = {x, y, 2};
  add_outputs out = {z, {0, 0}};
  uint64_t bytes = 0;
  void *arena = room + 64 - (uintptr_t)room % 64;
  if (add_plan(&in, &out, &bytes, NULL) != 0 || bytes > 4096)
    return 1;
  if (out.z_dims[0] != 2 || out.z_dims[1] != 3 || add_z_count(&out) != 6)
    return 2;
#ifdef TWO
  sum_inputs other = {x, y, 2};
  sum_outputs result = {z, {0, 0}};
  if (sum_run(&other, &result, arena) != 0)
    return 3;
#else
  if (add_run(&in, &out, arena) != 0)
    return 3;
#endif
  printf("%g %g %g\n%g %g %g\n", z[0], z[1], z[2], z[3], z[4], z[5]);
  tenon_fault fault = {0, 0, 0, 0, 0};
  in.batch = -1;
  printf("no rows: %d\n", add_run_with(&in, &out, arena, NULL, NULL, &fault) ==
                                  TENON_FAULT_SHAPE &&
                              fault.found == -1);
  return 0;
}
