/* One call: measures the sound, chooses the first ids, then moves a window over
 * the sound and tells the segments of its text. */
#include "transcriber.h"

#include <math.h>
#include <time.h>

#include "runtime/caller.h"

/* The temperature from which a text is too random to precede the next one. */
static const float RANDOM = 0.5f;

static const double SECONDS_PER_FRAME = 0.01;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

tenon_status tenon_end_early(tenon_transcriber *transcriber) {
  int is_late = transcriber->deadline && now() >= transcriber->deadline;
  tenon_text_clear(&transcriber->text);
  if (atomic_load(&transcriber->cancelled) || !is_late)
    tenon_text_add(&transcriber->text, "cancelled");
  else
    tenon_text_add(&transcriber->text, "past the deadline of %.3f ms",
                   (double)transcriber->call->timeout_ns / 1e6);
  return TENON_CANCELLED;
}

tenon_status tenon_go_on(tenon_transcriber *transcriber,
                         tenon_generation *call) {
  int64_t left = transcriber->deadline ? transcriber->deadline - now() : 0;
  if (atomic_load(&transcriber->cancelled) ||
      (transcriber->deadline && left <= 0))
    return tenon_end_early(transcriber);
  if (call)
    call->timeout_ns = left;
  return TENON_OK;
}

static tenon_status refuse(tenon_transcriber *transcriber, const char *why) {
  tenon_text_add(&transcriber->text, "%s", why);
  return TENON_BAD_INPUT;
}

static int is_number(const float *value) { return !value || !isnan(*value); }

static tenon_status check(tenon_transcriber *transcriber,
                          const tenon_transcription *call) {
  if (!call->read)
    return refuse(transcriber, "no sound is given");
  if (call->timeout_ns < 0)
    return refuse(transcriber, "timeout_ns is negative");
  if (call->timestamps < TENON_TIMESTAMPS_AUTO ||
      call->timestamps > TENON_TIMESTAMPS_OFF)
    return refuse(transcriber, "timestamps is no tenon_timestamps");
  if (call->prompt_condition < TENON_PROMPT_FIRST_SEGMENT ||
      call->prompt_condition > TENON_PROMPT_ALL_SEGMENTS)
    return refuse(transcriber, "prompt_condition is no tenon_prompt_condition");
  if (call->prompt_condition && !call->condition_on_prev_tokens)
    return refuse(transcriber, "the prompt is for all segments, but "
                               "condition_on_prev_tokens is off");
  if (call->num_prompt_ids > 0 && !call->prompt_ids)
    return refuse(transcriber, "no prompt ids are given");
  if (call->temperatures && call->num_temperatures == 0)
    return refuse(transcriber, "no temperatures are given");
  for (size_t i = 0; call->temperatures && i < call->num_temperatures; ++i)
    if (!(call->temperatures[i] >= 0) || isinf(call->temperatures[i]))
      return refuse(transcriber, "a temperature is negative or no number");
  if (!is_number(call->compression_ratio_threshold) ||
      !is_number(call->logprob_threshold) ||
      !is_number(call->no_speech_threshold))
    return refuse(transcriber, "a threshold is no number");
  return TENON_OK;
}

/* A context for all windows: a larger one would lose the window's encoding. */
static tenon_status fit_context(tenon_transcriber *transcriber) {
  tenon_generator *generator = transcriber->generator;
  int64_t beams = transcriber->beams;
  tenon_call_sizes sizes = {.prompts = 1,
                            .columns = 1,
                            .sequences = 1,
                            .rows = beams < 1 ? 1 : beams,
                            .positions = transcriber->speech.positions};
  tenon_status status = tenon_fit_context(generator, &sizes);
  return status == TENON_OK ? status
                            : tenon_generator_failed(transcriber, status);
}

static tenon_status choose_times(tenon_transcriber *transcriber) {
  int is_long = transcriber->sound.frames > transcriber->speech.window;
  int32_t wanted = transcriber->call->timestamps;
  transcriber->has_timestamps = wanted == TENON_TIMESTAMPS_ON ||
                                (wanted == TENON_TIMESTAMPS_AUTO && is_long);
  if (transcriber->has_timestamps && transcriber->speech.no_timestamps < 0) {
    tenon_text_add(&transcriber->text, "the model has no timestamps");
    return TENON_BAD_INPUT;
  }
  if (!is_long || transcriber->has_timestamps)
    return TENON_OK;
  tenon_text_add(&transcriber->text,
                 "a sound of more than %g s needs timestamps, which are off",
                 (double)transcriber->speech.window * SECONDS_PER_FRAME);
  return TENON_BAD_INPUT;
}

static tenon_status check_length(tenon_transcriber *transcriber) {
  int64_t tokens =
      tenon_option_value(transcriber->generator, "max_new_tokens", -1);
  int64_t positions = transcriber->speech.positions;
  if (tokens < 0 || (tokens <= positions &&
                     (int64_t)transcriber->prompt_count <= positions - tokens))
    return TENON_OK;
  tenon_text_add(&transcriber->text,
                 "%zu ids before the text and max_new_tokens %lld are more "
                 "than the model's %lld positions",
                 transcriber->prompt_count, (long long)tokens,
                 (long long)positions);
  return TENON_BAD_INPUT;
}

/* Tells the segments of a window and moves on. */
static tenon_status tell(tenon_transcriber *transcriber,
                         const tenon_attempt *attempt, int64_t width,
                         int64_t *seek) {
  const tenon_transcription *call = transcriber->call;
  tenon_status status = tenon_reserve(
      transcriber->generator, &transcriber->pieces,
      tenon_size_product(attempt->count + 1, sizeof(tenon_piece)));
  if (status != TENON_OK)
    return tenon_generator_failed(transcriber, status);
  tenon_piece *pieces = transcriber->pieces.data;
  /* Without the rules of timestamps an id of a time is no time. */
  int64_t first_timestamp = transcriber->has_timestamps
                                ? transcriber->speech.no_timestamps + 1
                                : INT64_MAX;
  int64_t frames;
  size_t count = tenon_cut_segments(attempt->ids, attempt->count,
                                    first_timestamp, width, pieces, &frames);
  double offset = (double)*seek * SECONDS_PER_FRAME;
  for (size_t i = 0; i < count; ++i) {
    const tenon_piece *piece = &pieces[i];
    tenon_segment segment = {.start = offset + piece->start,
                             .end = offset + piece->end,
                             .ids = attempt->ids + piece->first,
                             .count = piece->count,
                             .seek = *seek,
                             .temperature = attempt->temperature,
                             .mean_logprob = attempt->mean_logprob,
                             .compression_ratio = attempt->compression_ratio,
                             .no_speech = attempt->no_speech};
    if (call->on_segment &&
        call->on_segment(call->on_segment_state, &segment) != 0) {
      tenon_text_add(&transcriber->text, "stopped by the callback");
      return TENON_CANCELLED;
    }
    /* The second time of a pair belongs to the text that follows. */
    int ends_twice =
        piece->count > 2 && segment.ids[piece->count - 2] >= first_timestamp;
    tenon_remember(&transcriber->history, segment.ids,
                   piece->count - (size_t)ends_twice);
  }
  /* A model without the rules of timestamps might stay where it is. */
  *seek += frames > 0 && frames < width ? frames : width;
  return TENON_OK;
}

static tenon_status move_window(tenon_transcriber *transcriber) {
  const tenon_transcription *call = transcriber->call;
  int64_t frames = transcriber->sound.frames, seek = 0;
  int uses_text = call->condition_on_prev_tokens != 0;
  while (seek < frames) {
    int64_t width = frames - seek;
    if (width > transcriber->speech.window)
      width = transcriber->speech.window;
    tenon_attempt attempt;
    tenon_status status = tenon_make_prompt(transcriber, uses_text);
    if (status == TENON_OK)
      status = check_length(transcriber);
    if (status == TENON_OK)
      status = tenon_set_window(transcriber, seek, width);
    if (status == TENON_OK)
      status = tenon_transcribe_window(transcriber, &attempt);
    if (status != TENON_OK)
      return status;
    uses_text = call->condition_on_prev_tokens && attempt.temperature < RANDOM;
    if (attempt.is_silence)
      seek += width;
    else
      status = tell(transcriber, &attempt, width, &seek);
    if (status != TENON_OK)
      return status;
  }
  return TENON_OK;
}

static tenon_status transcribe(tenon_transcriber *transcriber) {
  const tenon_transcription *call = transcriber->call;
  transcriber->deadline = 0;
  if (call->timeout_ns &&
      __builtin_add_overflow(now(), call->timeout_ns, &transcriber->deadline))
    transcriber->deadline = INT64_MAX;
  tenon_status status = fit_context(transcriber);
  if (status == TENON_OK)
    status = tenon_measure_sound(transcriber);
  if (status == TENON_OK)
    status = choose_times(transcriber);
  if (status == TENON_OK)
    status = tenon_choose_first_ids(transcriber);
  if (status == TENON_OK)
    status = tenon_begin_history(transcriber);
  return status == TENON_OK ? move_window(transcriber) : status;
}

tenon_status tenon_transcriber_run(tenon_transcriber *transcriber,
                                   const tenon_transcription *given) {
  if (!tenon_begin_use(transcriber))
    return TENON_BAD_INPUT;
  tenon_generator *generator = transcriber->generator;
  transcriber->language = NULL;
  transcriber->sound = (tenon_sound){0};
  tenon_transcription call;
  tenon_status status = TENON_BAD_INPUT;
  if (given && tenon_read_options(&call, sizeof call, sizeof call, given))
    status = check(transcriber, &call);
  else
    tenon_text_add(&transcriber->text, "no call is given, or of an unknown "
                                       "struct_size");
  if (status == TENON_OK) {
    transcriber->call = &call;
    transcriber->beams = tenon_option_value(generator, "num_beams", 1);
    int64_t seed = transcriber->seed = tenon_option_value(generator, "seed", 0);
    status = transcribe(transcriber);
    /* The attempts have changed them. */
    tenon_generator_set_i64(generator, "num_beams", transcriber->beams);
    tenon_generator_set_i64(generator, "seed", seed);
    transcriber->call = NULL;
  }
  pthread_mutex_lock(&generator->mutex);
  generator->cancelled = 0;
  pthread_mutex_unlock(&generator->mutex);
  atomic_store(&transcriber->cancelled, 0);
  return tenon_end_use(transcriber, status);
}
