/* One call: start, then advance by few steps until all is finished, then
 * result. */
#include "generator.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "runtime/caller.h"

enum {
  /* Steps of one run of `advance` without a callback. Between runs the deadline
   * is checked, and its memory for new ids grows with the steps. */
  STEPS = 16,
  /* A cancellation that was meant for an earlier run may end a later one; then
   * that one is repeated. */
  RETRIES = 4
};

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int is_cancelled(tenon_generator *generator) {
  pthread_mutex_lock(&generator->mutex);
  int cancelled = generator->cancelled;
  pthread_mutex_unlock(&generator->mutex);
  return cancelled;
}

void tenon_set_running(tenon_generator *generator, int is_running) {
  pthread_mutex_lock(&generator->mutex);
  generator->is_running = is_running;
  pthread_mutex_unlock(&generator->mutex);
}

static tenon_status cancelled(tenon_generator *generator,
                              const tenon_generation *call) {
  tenon_text_clear(&generator->text);
  if (is_cancelled(generator))
    tenon_text_add(&generator->text, "cancelled");
  else
    tenon_text_add(&generator->text, "past the deadline of %.3f ms",
                   (double)call->timeout_ns / 1e6);
  return TENON_CANCELLED;
}

static tenon_status run_once(tenon_generator *generator,
                             const tenon_function_desc *function,
                             size_t num_inputs) {
  for (int32_t i = 0; i < function->num_outputs; ++i)
    generator->outputs[i] = (tenon_tensor){.struct_size = sizeof(tenon_tensor)};
  tenon_status status =
      tenon_run(generator->context, function->name, generator->inputs,
                num_inputs, generator->outputs, (size_t)function->num_outputs);
  tenon_text_clear(&generator->text);
  if (status != TENON_OK)
    tenon_text_add(&generator->text, "%s",
                   tenon_context_text(generator->context));
  return status;
}

tenon_status tenon_run_entry(tenon_generator *generator,
                             const tenon_generation *call,
                             const tenon_function_desc *function,
                             size_t num_inputs) {
  for (int i = 0; i < RETRIES; ++i) {
    int64_t left = generator->deadline ? generator->deadline - now() : 0;
    if (is_cancelled(generator) || (generator->deadline && left <= 0))
      break;
    tenon_context_set_timeout(generator->context, left);
    tenon_status status = run_once(generator, function, num_inputs);
    if (status != TENON_CANCELLED)
      return status;
  }
  return cancelled(generator, call);
}

/* Makes the inputs of `start`: what the call gives, and the options that are
 * set. Returns their number. */
static size_t make_inputs(tenon_generator *generator, int64_t *dims,
                          int64_t *keep, int64_t *encoder_dims,
                          uint8_t *keep_encoder) {
  const tenon_entries *entries = &generator->entries;
  tenon_source *source = &generator->source;
  const struct {
    int32_t place;
    int64_t *dims;
    tenon_buffer value;
  } given[] = {
      {entries->ids, dims, generator->ids},
      {entries->lengths, dims, generator->lengths},
      {entries->keep, NULL, {keep, sizeof *keep}},
      {entries->encoder_ids, encoder_dims, source->ids},
      {entries->encoder_lengths, encoder_dims, source->lengths},
      {entries->keep_encoder, NULL, {keep_encoder, sizeof *keep_encoder}}};
  size_t count = 0;
  for (int32_t i = 0; i < entries->start->num_inputs; ++i) {
    const tenon_tensor_desc *desc = &entries->start->inputs[i];
    tenon_option *option = &generator->options[i];
    tenon_tensor input = {.struct_size = sizeof input,
                          .name = desc->name,
                          .dtype = desc->dtype,
                          .rank = desc->rank,
                          .dims = option->dims.data,
                          .data = option->values.data,
                          .bytes = option->bytes};
    int is_given = option->is_set;
    for (size_t j = 0; j < sizeof given / sizeof *given; ++j)
      if (given[j].place == i) {
        input.dims = given[j].dims;
        input.data = given[j].value.data;
        input.bytes = given[j].value.bytes;
        is_given = 1;
      }
    if (is_given)
      generator->inputs[count++] = input;
  }
  return count;
}

static tenon_status start(tenon_generator *generator,
                          const tenon_generation *call,
                          const tenon_call_sizes *sizes) {
  const tenon_entries *entries = &generator->entries;
  const tenon_source *source = &generator->source;
  int64_t dims[2] = {(int64_t)sizes->prompts, (int64_t)sizes->columns};
  int64_t encoder_dims[2] = {(int64_t)source->rows, (int64_t)source->columns};
  int64_t keep = (int64_t)generator->keep;
  uint8_t keep_encoder = source->is_kept != 0;
  size_t count =
      make_inputs(generator, dims, &keep, encoder_dims, &keep_encoder);
  /* Until it has succeeded the context holds parts of both calls. */
  tenon_status status = tenon_reserve_held(generator, sizes);
  if (status == TENON_OK)
    status = tenon_run_entry(generator, call, entries->start, count);
  if (status != TENON_OK)
    return status;
  tenon_hold_prompts(generator, sizes);
  tenon_hold_source(generator);
  generator->no_speech = NAN;
  if (entries->no_speech >= 0)
    memcpy(&generator->no_speech, generator->outputs[entries->no_speech].data,
           sizeof generator->no_speech);
  return TENON_OK;
}

/* Tells the callback the new ids. Returns nonzero if no sequence goes on. */
static int tell(tenon_generator *generator, const tenon_generation *call,
                const tenon_call_sizes *sizes, const tenon_tensor *ids) {
  size_t count = (size_t)ids->dims[1];
  const int64_t *values = ids->data;
  tenon_progress *all = generator->progress.data;
  if (!call->on_token)
    return 0;
  size_t open = 0;
  for (size_t column = 0; column < count; ++column) {
    open = 0;
    for (size_t row = 0; row < sizes->sequences; ++row) {
      tenon_progress *one = &all[row];
      if (one->has_ended || one->is_stopped)
        continue;
      int64_t id = values[row * count + column];
      ++one->told;
      one->has_ended = tenon_is_eos(generator, id);
      tenon_token_answer answer = call->on_token(call->on_token_state, row, id);
      if (answer == TENON_STOP_ALL) {
        for (size_t i = 0; i < sizes->sequences; ++i)
          all[i].is_stopped = 1;
        return 1;
      }
      one->is_stopped = answer == TENON_STOP_SEQUENCE;
      open += !one->has_ended && !one->is_stopped;
    }
  }
  return count > 0 && open == 0;
}

static tenon_status advance(tenon_generator *generator,
                            const tenon_generation *call,
                            const tenon_call_sizes *sizes) {
  const tenon_entries *entries = &generator->entries;
  int64_t steps = call->on_token || call->allow ? 1 : STEPS;
  while (generator->steps <= generator->positions) {
    int64_t dims[2];
    generator->inputs[0] = (tenon_tensor){.struct_size = sizeof(tenon_tensor),
                                          .name = "steps",
                                          .dtype = TENON_I64,
                                          .data = &steps,
                                          .bytes = sizeof steps};
    tenon_status status = TENON_OK;
    if (call->allow)
      status =
          tenon_fill_masks(generator, call, sizes, dims, &generator->inputs[1]);
    if (status == TENON_OK)
      status = tenon_run_entry(generator, call, entries->advance,
                               call->allow ? 2 : 1);
    if (status == TENON_OK)
      status = tenon_check_new_ids(generator, sizes, steps);
    if (status != TENON_OK)
      return status;
    generator->steps += steps;
    const tenon_tensor *ids = &generator->outputs[entries->new_ids];
    const uint8_t *finished = generator->outputs[entries->finished].data;
    tenon_hold_columns(generator, ids->data, (size_t)ids->dims[1]);
    if (tell(generator, call, sizes, ids) || *finished)
      return TENON_OK;
  }
  tenon_text_add(&generator->text, "the model does not end its text");
  return TENON_INTERNAL;
}

static tenon_status read_result(tenon_generator *generator,
                                const tenon_call_sizes *sizes) {
  const tenon_entries *entries = &generator->entries;
  tenon_status status = TENON_CANCELLED;
  tenon_context_set_timeout(generator->context, 0);
  for (int i = 0; i < RETRIES && status == TENON_CANCELLED; ++i)
    status = run_once(generator, entries->result, 0);
  if (status == TENON_OK)
    status = tenon_check_result(generator, sizes);
  if (status != TENON_OK)
    return status;
  const tenon_tensor *sequences = &generator->outputs[entries->sequences];
  generator->num_sequences = (size_t)sequences->dims[0];
  generator->longest = (size_t)sequences->dims[1];
  generator->sequence_ids = sequences->data;
  generator->sequence_counts = generator->outputs[entries->counts].data;
  generator->sequence_scores =
      !sizes->is_search && tenon_option_is_off(generator, "output_scores")
          ? NULL
          : generator->outputs[entries->scores].data;
  generator->token_scores = NULL;
  if (generator->sequence_scores && entries->token_scores >= 0) {
    const tenon_tensor *tokens = &generator->outputs[entries->token_scores];
    if (tokens->dims[0] == sequences->dims[0] &&
        tokens->dims[1] == sequences->dims[1])
      generator->token_scores = tokens->data;
  }
  generator->sequence_reasons = generator->outputs[entries->reasons].data;
  return TENON_OK;
}

/* All steps of a call. `*has_begun`: there are sequences. */
static tenon_status make_steps(tenon_generator *generator,
                               const tenon_generation *call,
                               const tenon_call_sizes *sizes, int *has_begun) {
  *has_begun = 0;
  generator->steps = 0;
  tenon_status status = TENON_OK;
  if (tenon_has_encoder(generator))
    status = tenon_lay_out_source(generator, call, sizes);
  if (status == TENON_OK)
    status = tenon_lay_out_prompts(generator, call, sizes);
  if (status != TENON_OK)
    return status;
  tenon_set_running(generator, 1);
  status = start(generator, call, sizes);
  *has_begun = status == TENON_OK;
  if (status == TENON_OK)
    status = advance(generator, call, sizes);
  tenon_set_running(generator, 0);
  return status;
}

void tenon_set_deadline(tenon_generator *generator,
                        const tenon_generation *call) {
  generator->deadline = 0;
  if (call->timeout_ns &&
      __builtin_add_overflow(now(), call->timeout_ns, &generator->deadline))
    generator->deadline = INT64_MAX;
}

static tenon_status generate(tenon_generator *generator,
                             const tenon_generation *call) {
  tenon_call_sizes sizes;
  int has_begun = 0;
  tenon_status status = tenon_size_call(generator, call, &sizes);
  if (status == TENON_OK)
    status = tenon_fit_context(generator, &sizes);
  if (status == TENON_OK)
    status = tenon_reserve_masks(generator, call, &sizes);
  if (status == TENON_OK)
    status = tenon_reserve(
        generator, &generator->progress,
        tenon_size_product(sizes.sequences, sizeof(tenon_progress)));
  if (status != TENON_OK)
    return status;
  memset(generator->progress.data, 0, sizes.sequences * sizeof(tenon_progress));
  tenon_set_deadline(generator, call);
  status = make_steps(generator, call, &sizes, &has_begun);
  /* Runs need less memory in a smaller context. */
  if (status == TENON_LIMIT && generator->steps == 0 && !generator->is_held &&
      tenon_shrink_context(generator, &sizes))
    status = make_steps(generator, call, &sizes, &has_begun);
  if (!has_begun || (status != TENON_OK && status != TENON_CANCELLED))
    return status;
  /* The sequences of a cancelled call are read too; its reason stays. */
  tenon_text why = generator->text;
  tenon_status read = read_result(generator, &sizes);
  if (read != TENON_OK)
    return read;
  generator->text = why;
  return status;
}

tenon_status tenon_generator_run(tenon_generator *generator,
                                 const tenon_generation *given) {
  if (!generator ||
      atomic_exchange_explicit(&generator->busy, 1, memory_order_acquire))
    return TENON_BAD_INPUT;
  tenon_text_clear(&generator->text);
  generator->num_sequences = generator->keep = 0;
  tenon_generation call;
  tenon_status status = TENON_BAD_INPUT;
  if (given && tenon_read_options(&call, sizeof call,
                                  offsetof(tenon_generation, allow), given))
    status = generate(generator, &call);
  else
    tenon_text_add(&generator->text, "no call is given, or of an unknown "
                                     "struct_size");
  pthread_mutex_lock(&generator->mutex);
  generator->is_running = generator->cancelled = 0;
  pthread_mutex_unlock(&generator->mutex);
  atomic_store_explicit(&generator->busy, 0, memory_order_release);
  return status;
}

tenon_status tenon_generator_get_sequence(const tenon_generator *generator,
                                          size_t index,
                                          tenon_sequence *sequence) {
  if (!generator || !sequence || index >= generator->num_sequences)
    return TENON_BAD_INPUT;
  const tenon_progress *progress =
      (const tenon_progress *)generator->progress.data + index;
  *sequence = (tenon_sequence){
      .ids = generator->sequence_ids + index * generator->longest,
      .count = (size_t)generator->sequence_counts[index],
      .score =
          generator->sequence_scores ? generator->sequence_scores[index] : NAN,
      .reason = (int32_t)generator->sequence_reasons[index]};
  if (progress->is_stopped && !progress->has_ended) {
    /* Its score has ids that the model chose after the stop. */
    if (progress->told < sequence->count)
      sequence->score = NAN;
    sequence->count = progress->told;
    sequence->reason = TENON_REASON_STOPPED;
  }
  return TENON_OK;
}
