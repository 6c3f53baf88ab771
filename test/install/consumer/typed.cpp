// The model of typed.c as a standalone header with a fixed batch of two: it
// takes no extents, and its memory size is a constant.
#include "sum.h"

#include <vector>

int main() {
  alignas(64) static unsigned char arena[sum_ARENA_BYTES + 1];
  std::vector<float> x(sum_x_COUNT, 2), y(sum_y_COUNT, 3), z(sum_z_COUNT);
  sum_inputs in = {x.data(), y.data()};
  sum_outputs out = {z.data()};
  if (sum_run(&in, &out, arena) != 0)
    return 1;
  for (float value : z)
    if (value != 5)
      return 2;
  return 0;
}
