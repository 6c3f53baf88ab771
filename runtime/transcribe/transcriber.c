/* Creation and destruction, facts of the last call, and cancellation. */
#include "transcriber.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/caller.h"

static void free_transcriber(tenon_transcriber *transcriber) {
  int32_t options = 0;
  if (transcriber->generator) {
    options = transcriber->generator->entries.start->num_inputs;
    tenon_generator_destroy(transcriber->generator);
  }
  for (int32_t i = 0; transcriber->neutral && i < options; ++i) {
    free(transcriber->neutral[i].dims.data);
    free(transcriber->neutral[i].values.data);
  }
  free(transcriber->neutral);
  free(transcriber->samples.data);
  free(transcriber->features.data);
  free(transcriber->prompt.data);
  free(transcriber->history.ids);
  free(transcriber->packed.data);
  free(transcriber->compressed.data);
  free(transcriber->pieces.data);
  free(transcriber);
}

/* Copies the reason of a failure to the caller's buffer. */
static tenon_status say(const tenon_transcriber_options *options,
                        tenon_status status, const char *why) {
  tenon_give_text(options->error_text, options->error_text_bytes, why);
  return status;
}

static tenon_status make_generator(tenon_transcriber *transcriber,
                                   uint64_t memory_limit) {
  tenon_generator_options options = {.struct_size = sizeof options,
                                     .error_text = transcriber->text.bytes,
                                     .error_text_bytes =
                                         sizeof transcriber->text.bytes,
                                     .memory_limit = memory_limit};
  tenon_status status = tenon_generator_create(transcriber->model, &options,
                                               &transcriber->generator);
  if (status != TENON_OK)
    return status;
  /* The context holds a window's encoding between calls of the generator. */
  transcriber->generator->is_held = 1;
  const tenon_function_desc *start = transcriber->generator->entries.start;
  transcriber->neutral =
      calloc((size_t)start->num_inputs, sizeof *transcriber->neutral);
  if (transcriber->neutral)
    return TENON_OK;
  tenon_text_add(&transcriber->text, "out of memory");
  return TENON_LIMIT;
}

tenon_status tenon_transcriber_create(tenon_model *model,
                                      const tenon_transcriber_options *given,
                                      tenon_transcriber **result) {
  tenon_transcriber_options options = {0};
  if (!result)
    return TENON_BAD_INPUT;
  *result = NULL;
  if (given &&
      !tenon_read_options(&options, sizeof options, sizeof options, given))
    return TENON_BAD_INPUT;
  if (!model)
    return say(&options, TENON_BAD_INPUT, "no model is given");
  tenon_transcriber *transcriber = calloc(1, sizeof *transcriber);
  if (!transcriber)
    return say(&options, TENON_LIMIT, "out of memory");
  transcriber->model = model;
  tenon_status status = tenon_find_speech(transcriber);
  if (status == TENON_OK)
    status = make_generator(transcriber, options.memory_limit);
  say(&options, status, transcriber->text.bytes);
  if (status == TENON_OK)
    *result = transcriber;
  else
    free_transcriber(transcriber);
  return status;
}

int tenon_begin_use(tenon_transcriber *transcriber) {
  if (!transcriber ||
      atomic_exchange_explicit(&transcriber->busy, 1, memory_order_acquire))
    return 0;
  tenon_text_clear(&transcriber->text);
  return 1;
}

tenon_status tenon_end_use(tenon_transcriber *transcriber,
                           tenon_status status) {
  atomic_store_explicit(&transcriber->busy, 0, memory_order_release);
  return status;
}

tenon_status tenon_transcriber_destroy(tenon_transcriber *transcriber) {
  if (!transcriber)
    return TENON_OK;
  if (atomic_load_explicit(&transcriber->busy, memory_order_acquire))
    return TENON_BAD_INPUT;
  free_transcriber(transcriber);
  return TENON_OK;
}

const char *tenon_transcriber_text(const tenon_transcriber *transcriber) {
  return transcriber ? transcriber->text.bytes : "no transcriber is given";
}

const char *tenon_transcriber_language(const tenon_transcriber *transcriber) {
  return transcriber->language;
}

int64_t tenon_transcriber_samples(const tenon_transcriber *transcriber) {
  return transcriber->sound.samples;
}

tenon_context *tenon_transcriber_context(const tenon_transcriber *transcriber) {
  return tenon_generator_context(transcriber->generator);
}

tenon_status tenon_transcriber_get_ids(const tenon_transcriber *transcriber,
                                       tenon_speech_ids *ids) {
  if (!transcriber || !ids || ids->struct_size != sizeof *ids)
    return TENON_BAD_INPUT;
  const tenon_speech *speech = &transcriber->speech;
  tenon_tensor ends = {.struct_size = sizeof ends};
  ids->end = -1;
  if (tenon_get_default(transcriber->model, "start", "eos_token_id", &ends) ==
          TENON_OK &&
      ends.dtype == TENON_I64 && ends.bytes >= sizeof ids->end)
    memcpy(&ids->end, ends.data, sizeof ids->end);
  ids->first_timestamp =
      speech->no_timestamps < 0 ? -1 : speech->no_timestamps + 1;
  ids->previous_text = speech->previous_text;
  return TENON_OK;
}

void tenon_transcriber_cancel(tenon_transcriber *transcriber) {
  if (!transcriber)
    return;
  atomic_store(&transcriber->cancelled, 1);
  tenon_generator_cancel(transcriber->generator);
}

tenon_status tenon_generator_failed(tenon_transcriber *transcriber,
                                    tenon_status status) {
  /* The generator knows only the rest of the time. */
  if (status == TENON_CANCELLED)
    return tenon_end_early(transcriber);
  tenon_text_clear(&transcriber->text);
  tenon_text_add(&transcriber->text, "%s",
                 tenon_generator_text(transcriber->generator));
  return status;
}
