/* Computes z = relu(x + y) on two rows of three, once through the typed header
 * and once in a context of the runtime. */
#ifndef HEADER
#define HEADER "add.h"
#define MODEL add
#endif
#include HEADER

#include <stdio.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define OF(name) JOIN(MODEL, name)

int main(void) {
  static unsigned char room[4096 + 64];
  float x[6] = {0, 1, 2, 3, 4, 5}, y[6] = {0, 1, 2, 3, 4, -9}, z[6];
  OF(_inputs) in = {x, y, 2};
  OF(_outputs) out = {z, {0, 0}};
  uint64_t bytes = 0;
  if (OF(_plan)(&in, &out, &bytes, NULL) != 0 || bytes > 4096 ||
      OF(_run)(&in, &out, room + 64 - (uintptr_t)room % 64) != 0)
    return 1;
  if (z[0] != 0 || z[4] != 8 || z[5] != 0)
    return 2;

  tenon_model *model = NULL;
  tenon_context *context = NULL;
  if (tenon_open_desc(&JOIN(tenon_model_, MODEL), NULL, &model) != TENON_OK ||
      tenon_context_create(model, NULL, &context) != TENON_OK)
    return 3;
  z[4] = 0;
  if (OF(_run_in)(context, &in, &out) != TENON_OK || z[4] != 8)
    return 4;
  tenon_context_destroy(context);
  tenon_close(model);
  return 0;
}
