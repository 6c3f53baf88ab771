/* Generation by a compiled checkpoint, called through the runtime. Arguments:
 * ARTIFACT THREADS. */
#include "generator.h"

#include "runtime/tenon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tenon_model *model;
static tenon_context *context;
static const prompt *given;

/* A dense tensor of 64-bit integers. */
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

static tenon_tensor output(const char *name) {
  return (tenon_tensor){.struct_size = sizeof(tenon_tensor), .name = name};
}

static void run(const char *function, const tenon_tensor *inputs, size_t count,
                tenon_tensor *outputs, size_t num_outputs) {
  if (tenon_run(context, function, inputs, count, outputs, num_outputs) !=
      TENON_OK)
    generator_fail(function, tenon_context_text(context));
}

static void prepare(const prompt *of) {
  given = of;
  tenon_context_destroy(context);
  tenon_extent extents[] = {{"rows", of->rows * of->beams},
                            {"positions", of->seq + of->fresh}};
  tenon_context_options options = {
      .struct_size = sizeof options, .extents = extents, .num_extents = 2};
  if (tenon_context_create(model, &options, &context) != TENON_OK)
    generator_fail("tenon_context_create", "failed");
}

static void advance(int64_t steps) {
  tenon_tensor inputs[] = {integers("steps", 0, NULL, &steps)};
  tenon_tensor outputs[] = {output("ids"), output("steps_made"),
                            output("finished")};
  run("advance", inputs, 1, outputs, 3);
}

/* The end token stops no call, so that all programs make as many steps. */
static void begin(void) {
  int64_t shape[] = {given->rows, given->seq}, rows[] = {given->rows};
  int64_t none[] = {0}, fresh = given->fresh, beams = given->beams, unread;
  int64_t repeated = given->distinct;
  tenon_tensor inputs[] = {
      integers("ids", 2, shape, given->ids),
      integers("lengths", 1, rows, given->lengths),
      integers("max_new_tokens", 0, NULL, &fresh),
      integers("num_beams", 0, NULL, &beams),
      integers("eos_token_id", 1, none, &unread),
      integers("no_repeat_ngram_size", 0, NULL, &repeated),
  };
  tenon_tensor outputs[] = {output("prompt")};
  run("start", inputs, sizeof inputs / sizeof *inputs, outputs, 1);
  advance(1);
}

static void tokens(int64_t *out) {
  tenon_tensor outputs[] = {output("sequences"), output("lengths"),
                            output("scores"), output("reasons"),
                            output("token_scores")};
  run("result", NULL, 0, outputs, sizeof outputs / sizeof *outputs);
  int64_t made = outputs[0].dims[1];
  const int64_t *from = outputs[0].data;
  for (int64_t r = 0; r < given->rows; ++r)
    for (int64_t i = 0; i < given->fresh; ++i)
      out[r * given->fresh + i] = i < made ? from[r * made + i] : -1;
}

int main(int argc, char **argv) {
  if (argc != 3)
    generator_fail("usage", "tenon_generator ARTIFACT THREADS");
  char why[1024];
  tenon_open_options options = {.struct_size = sizeof options,
                                .error_text = why,
                                .error_text_bytes = sizeof why,
                                .threads = atoi(argv[2])};
  if (tenon_open(argv[1], &options, &model) != TENON_OK)
    generator_fail(argv[1], why);
  generator_serve(&(generator){prepare, begin, advance, tokens});
}
