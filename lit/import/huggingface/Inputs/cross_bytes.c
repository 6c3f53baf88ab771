/* Prints the bytes that attention to the encoder's results moves in one step,
 * by items and beams. Argument: an artifact of T5. */
#include "runtime/tenon.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSITIONS = 256, MOST_ITEMS = 2 };

static tenon_context *context;
static const tenon_function_desc *advance;
static int64_t moved;

static void add(void *state, int32_t launch, int32_t ended, int64_t flops,
                int64_t bytes) {
  (void)state, (void)flops;
  const char *kernel = advance->kernels[advance->launches[launch].kernel].name;
  const char *nodes = advance->launches[launch].nodes;
  if (ended && strstr(kernel, "attention") && strstr(nodes, "EncDec"))
    moved += bytes;
}

static void check(tenon_status status, const char *why) {
  if (status == TENON_OK)
    return;
  fprintf(stderr, "%s\n", why);
  exit(1);
}

static tenon_tensor integers(const char *name, int32_t rank, int64_t *dims,
                             int64_t *data) {
  tenon_tensor made = {.struct_size = sizeof made,
                       .name = name,
                       .dtype = TENON_I64,
                       .rank = rank,
                       .dims = dims,
                       .data = data,
                       .bytes = sizeof *data};
  for (int32_t i = 0; i < rank; ++i)
    made.bytes *= (size_t)dims[i];
  return made;
}

static void run(tenon_model *model, const char *name,
                const tenon_tensor *inputs, size_t count) {
  tenon_tensor outputs[8];
  size_t results = (size_t)tenon_find_function(model, name)->num_outputs;
  for (size_t i = 0; i < results; ++i)
    outputs[i] = (tenon_tensor){.struct_size = sizeof *outputs};
  check(tenon_run(context, name, inputs, count, outputs, results),
        tenon_context_text(context));
}

static int64_t bytes_of_step(tenon_model *model, int64_t items, int64_t beams) {
  tenon_extent extents[] = {{"rows", items * beams},
                            {"items", items},
                            {"positions", 8},
                            {"encoder_positions", POSITIONS}};
  tenon_context_options options = {
      .struct_size = sizeof options, .extents = extents, .num_extents = 4};
  check(tenon_context_create(model, &options, &context), "no context");
  static int64_t source[MOST_ITEMS * POSITIONS], first[MOST_ITEMS];
  int64_t lengths[] = {POSITIONS, POSITIONS}, ones[] = {1, 1};
  int64_t columns[] = {items, POSITIONS}, one[] = {items, 1}, fresh = 6;
  tenon_tensor inputs[] = {integers("ids", 2, one, first),
                           integers("lengths", 1, one, ones),
                           integers("encoder_ids", 2, columns, source),
                           integers("encoder_lengths", 1, one, lengths),
                           integers("num_beams", 0, NULL, &beams),
                           integers("max_new_tokens", 0, NULL, &fresh)};
  run(model, "start", inputs, 6);
  /* The first step only chooses: `start` has computed the first column. */
  int64_t steps = 1;
  tenon_tensor step = integers("steps", 0, NULL, &steps);
  run(model, "advance", &step, 1);
  moved = 0;
  tenon_context_set_profile(context, add, NULL);
  run(model, "advance", &step, 1);
  tenon_context_destroy(context);
  return moved;
}

int main(int argc, char **argv) {
  char why[1024] = "";
  tenon_open_options opening = {.struct_size = sizeof opening,
                                .error_text = why,
                                .error_text_bytes = sizeof why,
                                .threads = 1};
  tenon_model *model = NULL;
  check(argc == 2 ? tenon_open(argv[1], &opening, &model) : TENON_BAD_INPUT,
        why);
  advance = tenon_find_function(model, "advance");
  static const int64_t beams[] = {1, 2, 4, 6, 9};
  for (int64_t items = 1; items <= MOST_ITEMS; ++items)
    for (size_t i = 0; i < sizeof beams / sizeof *beams; ++i)
      printf("items %" PRId64 " beams %" PRId64 " bytes %" PRId64 "\n", items,
             beams[i], bytes_of_step(model, items, beams[i]));
  tenon_close(model);
  return 0;
}
