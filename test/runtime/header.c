/* Tests the public header as strict C11 and strict C++17: a short program on
 * the shared runtime. */
#include "runtime/tenon.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  float a[4] = {1, 2, 3, 4}, b[4] = {2, 2, 2, 2};
  int64_t dims[2] = {1, 4};
  tenon_model *model;
  tenon_context *context;
  tenon_tensor inputs[2], output;
  memset(inputs, 0, sizeof inputs);
  memset(&output, 0, sizeof output);
  for (int i = 0; i < 2; ++i) {
    inputs[i].struct_size = sizeof inputs[i];
    inputs[i].dtype = TENON_F32;
    inputs[i].rank = 2;
    inputs[i].dims = dims;
    inputs[i].bytes = sizeof a;
  }
  inputs[0].data = a;
  inputs[1].data = b;
  output.struct_size = sizeof output;
  if (argc != 2 || tenon_open(argv[1], NULL, &model) != TENON_OK ||
      tenon_context_create(model, NULL, &context) != TENON_OK ||
      tenon_run(context, "main", inputs, 2, &output, 1) != TENON_OK)
    return 1;
  const float *y = (const float *)output.data;
  printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
  int wrong = y[0] != 2.5f || y[1] != 5 || y[2] != 7.5f || y[3] != 10;
  return wrong || tenon_context_destroy(context) != TENON_OK ||
         tenon_close(model) != TENON_OK;
}
