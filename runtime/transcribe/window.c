/* The text of one window: temperatures are tried in turn until its text is
 * likely enough and does not repeat itself. */
#include "transcriber.h"

#include <math.h>
#include <string.h>

tenon_status tenon_set_number(tenon_transcriber *transcriber, const char *name,
                              int64_t value) {
  tenon_status status =
      tenon_generator_set_i64(transcriber->generator, name, value);
  return status == TENON_OK ? status
                            : tenon_generator_failed(transcriber, status);
}

tenon_status tenon_generate_ids(tenon_transcriber *transcriber,
                                tenon_allow_fn allow) {
  tenon_generator *generator = transcriber->generator;
  tenon_prompt prompt = {transcriber->prompt.data, transcriber->prompt_count};
  tenon_generation call = {.struct_size = sizeof call,
                           .prompts = &prompt,
                           .num_prompts = 1,
                           .allow = allow,
                           .allow_state = transcriber};
  tenon_status status = tenon_go_on(transcriber, &call);
  if (status == TENON_OK)
    status =
        tenon_set_number(transcriber, "keep_encoder", transcriber->is_encoded);
  if (status != TENON_OK)
    return status;
  /* The context's columns are of the window that it holds. */
  if (!transcriber->is_encoded)
    tenon_hold_nothing(generator);
  status = tenon_generator_run(generator, &call);
  transcriber->is_encoded = status == TENON_OK;
  return status == TENON_OK ? status
                            : tenon_generator_failed(transcriber, status);
}

/* Gives an option a value if the model has it. */
static void set_if_known(tenon_generator *generator, const char *name,
                         int32_t dtype, int32_t rank, void *value) {
  const tenon_function_desc *start = generator->entries.start;
  int64_t none[] = {0, 1};
  tenon_tensor given = {.struct_size = sizeof given,
                        .name = name,
                        .dtype = dtype,
                        .rank = rank,
                        .dims = none,
                        .data = value,
                        .bytes = rank ? 0 : tenon_dtype_bytes(dtype)};
  for (int32_t i = 0; i < start->num_inputs; ++i)
    if (strcmp(start->inputs[i].name, name) == 0 &&
        start->inputs[i].dtype == dtype && start->inputs[i].rank == rank)
      tenon_generator_set(generator, &given);
}

static void set_neutral(tenon_generator *generator) {
  static const struct {
    const char *name;
    int64_t value;
  } integers[] = {{"max_new_tokens", 1},       {"min_length", 0},
                  {"min_new_tokens", 0},       {"num_beams", 1},
                  {"num_return_sequences", 1}, {"no_repeat_ngram_size", 0},
                  {"forced_bos_token_id", -1}, {"exponential_decay_start", -1}};
  static const char *const flags[] = {"do_sample", "renormalize_logits",
                                      "remove_invalid_values", "timestamps",
                                      "output_scores"};
  static const char *const lists[] = {
      "suppress_tokens", "begin_suppress_tokens", "forced_eos_token_id"};
  for (size_t i = 0; i < sizeof integers / sizeof *integers; ++i) {
    int64_t value = integers[i].value;
    set_if_known(generator, integers[i].name, TENON_I64, 0, &value);
  }
  uint8_t off = 0;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
    set_if_known(generator, flags[i], TENON_BOOL, 0, &off);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
    set_if_known(generator, lists[i], TENON_I64, 1, NULL);
  float one = 1;
  set_if_known(generator, "repetition_penalty", TENON_F32, 0, &one);
  set_if_known(generator, "bad_words_ids", TENON_I64, 2, NULL);
  set_if_known(generator, "sequence_bias_ids", TENON_I64, 2, NULL);
  set_if_known(generator, "sequence_bias", TENON_F32, 1, NULL);
}

/* Exchanges the generator's options with the neutral ones; the window is an
 * option of both. */
static void exchange_options(tenon_transcriber *transcriber) {
  static const char *const shared[] = {"features", "frames", "greatest"};
  tenon_generator *generator = transcriber->generator;
  const tenon_function_desc *start = generator->entries.start;
  for (int32_t i = 0; i < start->num_inputs; ++i) {
    int is_shared = 0;
    for (size_t k = 0; k < sizeof shared / sizeof *shared; ++k)
      is_shared |= strcmp(start->inputs[i].name, shared[k]) == 0;
    tenon_option kept = transcriber->neutral[i];
    if (!is_shared)
      continue;
    transcriber->neutral[i] = generator->options[i];
    generator->options[i] = kept;
  }
  tenon_option *options = generator->options;
  generator->options = transcriber->neutral;
  transcriber->neutral = options;
}

static int allow_languages(void *state, size_t sequence, size_t step,
                           uint8_t *allowed, size_t vocabulary) {
  const tenon_transcriber *transcriber = state;
  const tenon_named_ids *languages = &transcriber->speech.languages;
  (void)sequence, (void)step;
  for (size_t i = 0; i < languages->count; ++i)
    if (languages->ids[i] >= 0 && (size_t)languages->ids[i] < vocabulary)
      allowed[languages->ids[i]] = 1;
  return 1;
}

tenon_status tenon_generate_neutral(tenon_transcriber *transcriber,
                                    int is_language) {
  exchange_options(transcriber);
  set_neutral(transcriber->generator);
  tenon_status status =
      tenon_generate_ids(transcriber, is_language ? allow_languages : NULL);
  exchange_options(transcriber);
  return status;
}

/* The probability that there is no speech, at the start. The prompt ends there
 * if no first id follows it. */
static tenon_status find_no_speech(tenon_transcriber *transcriber,
                                   float *probability) {
  size_t all = transcriber->prompt_count;
  transcriber->prompt_count = all - (transcriber->num_first_ids - 1);
  tenon_status status = tenon_generate_neutral(transcriber, 0);
  transcriber->prompt_count = all;
  *probability = transcriber->generator->no_speech;
  return status;
}

static tenon_status set_attempt(tenon_transcriber *transcriber,
                                float temperature) {
  int is_sampling = temperature > 0;
  const struct {
    const char *name;
    int64_t value;
  } options[] = {{"do_sample", is_sampling},
                 {"num_beams", is_sampling ? 1 : transcriber->beams},
                 {"timestamps", transcriber->has_timestamps},
                 {"output_scores", transcriber->call->logprob_threshold != 0},
                 {"seed", transcriber->seed}};
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    tenon_status status =
        tenon_set_number(transcriber, options[i].name, options[i].value);
    if (status != TENON_OK)
      return status;
  }
  /* Equal draws in every window would repeat a mistake. */
  transcriber->seed += is_sampling && transcriber->seed < INT64_MAX;
  tenon_status status = tenon_generator_set_f32(
      transcriber->generator, "temperature", is_sampling ? temperature : 1);
  return status == TENON_OK ? status
                            : tenon_generator_failed(transcriber, status);
}

/* The mean log-probability of the ids. A model that does not tell that of each
 * id tells their sum, or in a search the score. */
static float mean_logprob(const tenon_transcriber *transcriber,
                          const tenon_attempt *attempt, float score) {
  const float *scores = transcriber->generator->token_scores;
  if (!scores && attempt->temperature <= 0 && transcriber->beams > 1)
    return score;
  double sum = scores ? 0 : score;
  for (size_t i = 0; scores && i < attempt->count; ++i)
    sum += scores[i];
  return (float)(sum / (double)attempt->count);
}

/* Both measures count the end of the text. */
static tenon_status judge(tenon_transcriber *transcriber,
                          tenon_attempt *attempt, float score) {
  const tenon_transcription *call = transcriber->call;
  int is_unlikely = 0;
  if (call->compression_ratio_threshold) {
    tenon_status status = tenon_compression_ratio(
        transcriber, attempt->ids, attempt->count, &attempt->compression_ratio);
    if (status != TENON_OK)
      return status;
    attempt->is_rejected =
        attempt->compression_ratio > *call->compression_ratio_threshold;
  }
  if (call->logprob_threshold) {
    attempt->mean_logprob = mean_logprob(transcriber, attempt, score);
    is_unlikely = attempt->mean_logprob < *call->logprob_threshold;
    attempt->is_rejected |= is_unlikely;
  }
  if (is_unlikely && call->no_speech_threshold &&
      attempt->no_speech > *call->no_speech_threshold) {
    attempt->is_rejected = 0;
    attempt->is_silence = 1;
  }
  return TENON_OK;
}

static tenon_status try_temperature(tenon_transcriber *transcriber,
                                    tenon_attempt *attempt) {
  tenon_generator *generator = transcriber->generator;
  tenon_status status = set_attempt(transcriber, attempt->temperature);
  if (status == TENON_OK)
    status = tenon_generate_ids(transcriber, NULL);
  if (status != TENON_OK)
    return status;
  tenon_sequence made;
  tenon_generator_get_sequence(generator, 0, &made);
  attempt->ids = made.ids;
  attempt->count = made.count;
  if (transcriber->call->no_speech_threshold && isnan(attempt->no_speech))
    attempt->no_speech = generator->no_speech;
  status = judge(transcriber, attempt, made.score);
  if (attempt->count > 0 &&
      tenon_is_eos(generator, attempt->ids[attempt->count - 1]))
    --attempt->count;
  return status;
}

tenon_status tenon_transcribe_window(tenon_transcriber *transcriber,
                                     tenon_attempt *attempt) {
  const tenon_transcription *call = transcriber->call;
  static const float best = 0;
  const float *temperatures = call->temperatures ? call->temperatures : &best;
  size_t count = call->temperatures ? call->num_temperatures : 1;
  float no_speech = NAN;
  tenon_status status = TENON_OK;
  if (call->no_speech_threshold && transcriber->num_first_ids > 1)
    status = find_no_speech(transcriber, &no_speech);
  for (size_t i = 0; i < count && status == TENON_OK; ++i) {
    *attempt = (tenon_attempt){.temperature = temperatures[i],
                               .mean_logprob = NAN,
                               .compression_ratio = NAN,
                               .no_speech = no_speech};
    status = try_temperature(transcriber, attempt);
    no_speech = attempt->no_speech;
    if (!attempt->is_rejected)
      break;
  }
  return status;
}
