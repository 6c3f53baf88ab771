/* Runs a model with versions for CPUs and devices: by the header alone, and in
 * contexts of the runtime on the CPU and on a device. */
#include "layer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3 };

static float x[ROWS * 16], y[ROWS * 24], expected[ROWS * 24];
static uint16_t picked[24];
static const int64_t row[1] = {2};

static void run_on(const char *device) {
  char why[256] = "";
  tenon_open_options opening;
  memset(&opening, 0, sizeof opening);
  opening.struct_size = sizeof opening;
  opening.error_text = why;
  opening.error_text_bytes = sizeof why;
  opening.device = device;
  tenon_model *model = NULL;
  tenon_context *context = NULL;
  tenon_status status = tenon_open_desc(&tenon_model_layer, &opening, &model);
  if (status == TENON_OK)
    status = tenon_context_create(model, NULL, &context);
  if (status != TENON_OK) {
    printf("%s: %s: %.25s\n", device, tenon_status_name(status), why);
    return;
  }
  layer_inputs in;
  memset(&in, 0, sizeof in);
  in.x = x;
  in.row = row;
  in.batch = ROWS;
  layer_outputs out;
  memset(&out, 0, sizeof out);
  out.y = y;
  out.picked = picked;
  memset(y, 0, sizeof y);
  status = layer_run_in(context, &in, &out);
  float most = 0;
  for (int i = 0; i < ROWS * 24; ++i) {
    float d = y[i] < expected[i] ? expected[i] - y[i] : y[i] - expected[i];
    most = d > most ? d : most;
  }
  tenon_model_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  tenon_get_model_info(model, &info);
  printf("%s: %s by %s, %s\n", device, tenon_status_name(status), info.version,
         most <= 1e-6f ? "equal" : "different");
  tenon_context_destroy(context);
  tenon_close(model);
}

int main(void) {
  for (int i = 0; i < ROWS * 16; ++i)
    x[i] = (float)(i % 7) - 3;
#ifndef DEVICE_ALONE
  layer_inputs in;
  memset(&in, 0, sizeof in);
  in.x = x;
  in.row = row;
  in.batch = ROWS;
  layer_outputs out;
  memset(&out, 0, sizeof out);
  out.y = expected;
  out.picked = picked;
  uint64_t bytes = 0;
  tenon_fault fault;
  if (layer_plan(&in, &out, &bytes, &fault) != 0)
    return 1;
  void *arena = aligned_alloc(64, (bytes + 64) / 64 * 64);
  printf("header: %d\n", (int)layer_run(&in, &out, arena));
  free(arena);
#endif
  run_on("cpu");
  run_on("cuda");
  return 0;
}
