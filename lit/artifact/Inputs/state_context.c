/* Every context has its own state; what a run had written when it failed stays
 * written. */
#include "stateful.h"
#include <stdio.h>
#include <string.h>

static void step(tenon_context *context, int64_t index) {
  const float x[4] = {1, 1, 1, 1};
  stateful_step_inputs in = {x, &index};
  stateful_step_outputs out = {NULL, NULL};
  tenon_status status = stateful_step_run_in(context, &in, &out);
  if (status != TENON_OK)
    printf("step: %s\n", tenon_context_text(context));
  else
    printf("step: %g %d\n", out.before[0], (int)*out.count);
}

static void tell(tenon_context *context) {
  stateful_tell_inputs in = {0};
  stateful_tell_outputs out = {NULL, NULL, NULL};
  if (stateful_tell_run_in(context, &in, &out) == TENON_OK)
    printf("tell: %g %g %d %d\n", out.h[0], out.h[3], (int)*out.count,
           out.seen[1]);
}

int main(void) {
  tenon_model *model;
  tenon_context *a, *b;
  if (tenon_open_desc(&tenon_model_stateful, NULL, &model) != TENON_OK ||
      tenon_context_create(model, NULL, &a) != TENON_OK ||
      tenon_context_create(model, NULL, &b) != TENON_OK)
    return 1;
  step(a, 1);
  step(a, 0);
  tell(a);
  tell(b);
  step(b, 2);
  tell(b);
  memcpy(tenon_context_state(b), tenon_context_state(a), stateful_STATE_BYTES);
  tell(b);
  tenon_context_reset_state(a);
  tell(a);
  tenon_context_destroy(a);
  tenon_context_destroy(b);
  return tenon_close(model);
}
