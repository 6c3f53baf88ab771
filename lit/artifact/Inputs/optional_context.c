/* Calls a model with optional inputs in a context of the runtime. */
#include <stdio.h>

#include "optional.h"

int main(void) {
  tenon_model *model;
  tenon_context *context;
  if (tenon_open_desc(&tenon_model_optional, NULL, &model) != TENON_OK ||
      tenon_context_create(model, NULL, &context) != TENON_OK)
    return 1;
  float x[2] = {2, 4}, factor = 1;
  int64_t extra[3] = {1, 2, 3};
  optional_inputs in = {x, NULL, NULL, NULL, 2, 0, 0};
  optional_outputs out = {NULL, {0}};
  if (optional_run_in(context, &in, &out) == TENON_OK)
    printf("%g %g\n", out.y[0], out.y[1]);
  in.factor = &factor;
  in.extra = extra;
  in.e = 3;
  if (optional_run_in(context, &in, &out) == TENON_OK)
    printf("%g %g\n", out.y[0], out.y[1]);
  factor = 1.5f;
  if (optional_run_in(context, &in, &out) == TENON_BAD_INPUT)
    puts(tenon_context_text(context));
  tenon_context_destroy(context);
  tenon_close(model);
  return 0;
}
