/* Runs each version of a layer by its number, and the one that the machine
 * takes: equal bits, and equal faults. */
#include "layer.h"
#include <stdio.h>
#include <string.h>

enum { ROWS = 3 };
static unsigned char room[(1 << 16) + 64];

typedef struct {
  float y[ROWS * 24];
  uint16_t picked[24];
} result;

static int run(int32_t version, int64_t row, result *to, tenon_call *call) {
  const tenon_function_desc *main_function = &tenon_model_layer.functions[0];
  float x[ROWS * 16];
  for (int i = 0; i < ROWS * 16; ++i)
    x[i] = (float)(i % 7) * 0.3f - 1;
  const void *inputs[] = {x, &row};
  const int64_t x_dims[] = {ROWS, 16}, row_dims[] = {1};
  const int64_t *input_dims[] = {x_dims, row_dims};
  void *outputs[] = {to->y, to->picked};
  int64_t y_dims[2], picked_dims[2], *output_dims[] = {y_dims, picked_dims};
  memset(call, 0, sizeof *call);
  call->struct_size = sizeof *call;
  call->inputs = inputs;
  call->input_dims = input_dims;
  call->outputs = outputs;
  call->output_dims = output_dims;
  call->weights = tenon_model_layer.weights;
  call->version = version;
  int planned = main_function->plan(call);
  if (planned != 0 || call->arena_bytes > sizeof room - 64)
    return planned | 2;
  call->arena = room + 64 - (uintptr_t)room % 64;
  return main_function->run(call);
}

int main(void) {
  static result taken, other;
  tenon_call call;
  if (run(0, 3, &taken, &call) != 0 || call.version < 1)
    return 1;
  printf("took %s\n", tenon_model_layer.versions[call.version - 1].name);
  for (int i = 0; i < tenon_model_layer.num_versions; ++i) {
    memset(&other, 0, sizeof other);
    int failed = run(i + 1, 3, &other, &call);
    printf("%s: plan 0, run %d, %s bits\n", tenon_model_layer.versions[i].name,
           failed, memcmp(&taken, &other, sizeof other) ? "OTHER" : "the same");
  }
  for (int i = 0; i < tenon_model_layer.num_versions; ++i) {
    if (run(i + 1, 99, &other, &call) != 1)
      return 2;
    printf("%s: fault %d at %s\n", tenon_model_layer.versions[i].name,
           call.fault.code,
           tenon_model_layer.functions[0].sites[call.fault.site]);
  }
  /* By the header, which lets the machine choose. */
  float x[16] = {0}, y[24];
  uint16_t picked[24];
  int64_t row = 1;
  uint64_t bytes = 0;
  layer_inputs in = {x, &row, 1};
  layer_outputs out = {y, {0, 0}, picked};
  if (layer_plan(&in, &out, &bytes, NULL) != 0 || bytes > sizeof room - 64)
    return 3;
  return layer_run(&in, &out, room + 64 - (uintptr_t)room % 64) ? 4 : 0;
}
