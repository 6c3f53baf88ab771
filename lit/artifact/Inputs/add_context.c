/* The same model in a context of the runtime. */
#include "add.h"
#include <stdio.h>

int main(void) {
  tenon_model *model;
  tenon_context *context;
  if (tenon_open_desc(&tenon_model_add, NULL, &model) != TENON_OK ||
      tenon_context_create(model, NULL, &context) != TENON_OK)
    return 1;
  float x[6] = {0, 1, 2, 3, 4, 5};
  add_inputs in = {x, x, 2};
  add_outputs out = {NULL, {0, 0}};
  if (add_run_in(context, &in, &out) != TENON_OK)
    return 2;
  for (int i = 0; i < 6; ++i)
    printf("%g ", out.z[i]);
  in.y = NULL;
  if (add_run_in(context, &in, &out) != TENON_BAD_INPUT)
    return 3;
  printf("\n%s\n", tenon_context_text(context));
  tenon_context_destroy(context);
  tenon_close(model);
  return 0;
}
