/* Contexts of the runtime with extents of their own. */
#include "cache.h"
#include <stdio.h>

static void append(tenon_context *context, int64_t tokens) {
  const float x[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  cache_append_inputs in = {x, 1, tokens};
  cache_append_outputs out = {NULL, {0, 0}, NULL};
  if (cache_append_run_in(context, &in, &out) != TENON_OK)
    printf("append: %s\n", tenon_context_text(context));
  else
    printf("append: %d tokens, sum %g\n", (int)*out.length, out.sum[3]);
}

int main(void) {
  tenon_model *model;
  tenon_context *a, *b;
  char text[256];
  tenon_extent chosen[] = {{"positions", 3}, {"rows", 1}};
  tenon_context_options options = {sizeof options, text, sizeof text, 0, 0,
                                   chosen,         2};
  tenon_tensor keys = {sizeof keys, NULL, 0, 0, NULL, NULL, 0, TENON_ON_HOST};
  if (tenon_open_desc(&tenon_model_cache, NULL, &model) != TENON_OK ||
      tenon_context_create(model, NULL, &a) != TENON_OK ||
      tenon_context_create(model, &options, &b) != TENON_OK)
    return 1;
  append(a, 3);
  append(b, 3);
  append(a, 3);
  append(b, 1);
  tenon_context_find_state(b, "keys", &keys);
  printf("keys: %d %d %d %d\n", (int)keys.dims[0], (int)keys.dims[1],
         (int)keys.dims[2], (int)keys.dims[3]);
  cache_all_inputs in = {0};
  cache_all_outputs out = {NULL, {0, 0}};
  if (cache_all_run_in(b, &in, &out) == TENON_OK)
    printf("all: %d %d, %g\n", (int)out.first_dims[0], (int)out.first_dims[1],
           out.first[2]);
  tenon_context_reset_state(b);
  append(b, 1);
  tenon_context_destroy(a);
  tenon_context_destroy(b);
  chosen[0].size = 65537;
  tenon_context_create(model, &options, &a);
  printf("%s\n", text);
  return tenon_close(model);
}
