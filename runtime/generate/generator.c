/* Creation and destruction, and the cancellation of a call. */
#include "generator.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/caller.h"

size_t tenon_size_product(size_t a, size_t b) {
  size_t product;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

tenon_status tenon_reserve(tenon_generator *generator, tenon_buffer *buffer,
                           size_t bytes) {
  if (buffer->data && bytes <= buffer->bytes)
    return TENON_OK;
  /* The contents are not needed, so the old memory is freed first. */
  free(buffer->data);
  buffer->bytes = bytes ? bytes : 1;
  buffer->data = bytes > PTRDIFF_MAX ? NULL : malloc(buffer->bytes);
  if (buffer->data)
    return TENON_OK;
  buffer->bytes = 0;
  tenon_text_add(&generator->text, "out of memory");
  return TENON_LIMIT;
}

static void free_generator(tenon_generator *generator) {
  tenon_context_destroy(generator->context);
  for (int32_t i = 0;
       generator->options && i < generator->entries.start->num_inputs; ++i) {
    free(generator->options[i].dims.data);
    free(generator->options[i].values.data);
  }
  free(generator->options);
  free(generator->inputs);
  free(generator->outputs);
  free(generator->ids.data);
  free(generator->lengths.data);
  free(generator->source.ids.data);
  free(generator->source.lengths.data);
  free(generator->source.old_ids.data);
  free(generator->source.old_lengths.data);
  free(generator->held.ids.data);
  free(generator->held.pads.data);
  free(generator->progress.data);
  free(generator->masks.data);
  pthread_mutex_destroy(&generator->mutex);
  free(generator);
}

static int make_tables(tenon_generator *generator) {
  const tenon_entries *entries = &generator->entries;
  size_t inputs = (size_t)entries->start->num_inputs;
  int32_t outputs = entries->start->num_outputs;
  if (entries->advance->num_outputs > outputs)
    outputs = entries->advance->num_outputs;
  if (entries->result->num_outputs > outputs)
    outputs = entries->result->num_outputs;
  generator->options = calloc(inputs, sizeof *generator->options);
  generator->inputs = calloc(inputs, sizeof *generator->inputs);
  generator->outputs = calloc((size_t)outputs + 1, sizeof *generator->outputs);
  return generator->options && generator->inputs && generator->outputs;
}

/* Copies the reason of a failure to the caller's buffer. */
static tenon_status say(const tenon_generator_options *options,
                        tenon_status status, const char *why) {
  tenon_give_text(options->error_text, options->error_text_bytes, why);
  return status;
}

tenon_status tenon_generator_create(tenon_model *model,
                                    const tenon_generator_options *given,
                                    tenon_generator **result) {
  tenon_generator_options options;
  if (!result)
    return TENON_BAD_INPUT;
  *result = NULL;
  if (!tenon_read_options(&options, sizeof options, sizeof options, given))
    return TENON_BAD_INPUT;
  if (!model)
    return say(&options, TENON_BAD_INPUT, "no model is given");
  if (options.rows < 0 || options.positions < 0)
    return say(&options, TENON_BAD_INPUT, "rows or positions is negative");
  tenon_generator *generator = calloc(1, sizeof *generator);
  if (!generator || pthread_mutex_init(&generator->mutex, NULL) != 0) {
    free(generator);
    return say(&options, TENON_LIMIT, "out of memory");
  }
  generator->model = model;
  generator->desc = tenon_describe(model);
  generator->memory_limit = options.memory_limit;
  generator->least_rows = options.rows;
  generator->least_positions = options.positions;
  tenon_status status = tenon_find_entries(generator);
  if (status == TENON_OK && !make_tables(generator)) {
    tenon_text_add(&generator->text, "out of memory");
    status = TENON_LIMIT;
  }
  say(&options, status, generator->text.bytes);
  if (status == TENON_OK)
    *result = generator;
  else
    free_generator(generator);
  return status;
}

tenon_status tenon_generator_destroy(tenon_generator *generator) {
  if (!generator)
    return TENON_OK;
  if (atomic_load_explicit(&generator->busy, memory_order_acquire))
    return TENON_BAD_INPUT;
  free_generator(generator);
  return TENON_OK;
}

const char *tenon_generator_text(const tenon_generator *generator) {
  return generator ? generator->text.bytes : "no generator is given";
}

void tenon_generator_cancel(tenon_generator *generator) {
  if (!generator)
    return;
  pthread_mutex_lock(&generator->mutex);
  generator->cancelled = 1;
  if (generator->is_running)
    tenon_cancel(generator->context);
  pthread_mutex_unlock(&generator->mutex);
}

size_t tenon_generator_num_sequences(const tenon_generator *generator) {
  return generator->num_sequences;
}

size_t tenon_generator_kept(const tenon_generator *generator) {
  return generator->keep;
}

tenon_context *tenon_generator_context(const tenon_generator *generator) {
  return generator->context;
}
