/* Speech to text with a compiled model: sound in, segments of ids with times
 * out. It calls the entries `features`, `start`, `advance` and `result`, which
 * Tenon makes for a checkpoint of Whisper. Text of the ids:
 * tenon_tokenizers.h. C11, also valid C++17; needs the runtime and zlib.
 *
 * A transcriber serves one call at a time: another one meanwhile, also from a
 * callback, fails with TENON_BAD_INPUT and changes nothing, except
 * tenon_transcriber_cancel. Transcribers of one model may be used by several
 * threads at once. The sound is read through a callback in windows of 30 s, so
 * memory does not grow with its length. Nothing here prints, exits, installs
 * signal handlers or keeps global state.
 *
 * Times are seconds from the begin of the sound, if nothing else is said, and
 * sound is counted in samples. */
#ifndef TENON_RUNTIME_TENON_TRANSCRIBE_H
#define TENON_RUNTIME_TENON_TRANSCRIBE_H

#include "tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_transcriber tenon_transcriber;

/* Samples per second of the sound. */
#define TENON_SOUND_RATE 16000

/* Options of tenon_transcriber_create. Set struct_size to
 * sizeof(tenon_transcriber_options). In every other field zero means the
 * default. */
typedef struct tenon_transcriber_options {
  size_t struct_size;
  /* Buffer for the reason of a failure, as text that ends with NUL. */
  char *error_text;
  size_t error_text_bytes;
  /* The most bytes that the transcriber's context may use, as in
   * tenon_context_options. */
  uint64_t memory_limit;
} tenon_transcriber_options;

/* Copies up to `count` samples of the sound, mono at TENON_SOUND_RATE and
 * usually from -1 to 1, beginning with sample `at`. Returns their number, which
 * is less than `count` only at the end of the sound, or -1 if the sound cannot
 * be read. Every sample is read at least twice: the first time in order. */
typedef int64_t (*tenon_sound_fn)(void *state, int64_t at, float *samples,
                                  int64_t count);

/* A piece of text with its place in the sound. The ids are valid during the
 * callback. */
typedef struct tenon_segment {
  double start, end;  /* seconds */
  const int64_t *ids; /* with timestamps, without the end of the text */
  size_t count;
  /* These are the whole window's, which may have several segments. */
  int64_t seek;            /* the window's first frame, of 0.01 s */
  float temperature;       /* of the attempt that was kept */
  float mean_logprob;      /* of the ids; NaN without logprob_threshold */
  float compression_ratio; /* NaN without compression_ratio_threshold */
  float no_speech;         /* a probability; NaN without no_speech_threshold */
} tenon_segment;

/* Called for each segment, in order, on the thread of the call. Nonzero ends
 * the call with TENON_CANCELLED. It may call tenon_transcriber_cancel, and no
 * other function of the transcriber. */
typedef int (*tenon_segment_fn)(void *state, const tenon_segment *segment);

typedef enum tenon_timestamps {
  TENON_TIMESTAMPS_AUTO = 0, /* if the sound is longer than a window */
  TENON_TIMESTAMPS_ON = 1,
  TENON_TIMESTAMPS_OFF = 2 /* refused if the sound is longer than a window */
} tenon_timestamps;

/* Which text precedes a window, with condition_on_prev_tokens. */
typedef enum tenon_prompt_condition {
  TENON_PROMPT_FIRST_SEGMENT = 0, /* the prompt is the first earlier text */
  TENON_PROMPT_ALL_SEGMENTS = 1   /* the prompt precedes the earlier text */
} tenon_prompt_condition;

/* One call. Set struct_size to sizeof(tenon_transcription). In every field but
 * `read` zero means the default. */
typedef struct tenon_transcription {
  size_t struct_size;
  tenon_sound_fn read;
  void *read_state;
  tenon_segment_fn on_segment;
  void *on_segment_state;
  /* A name that the model has, such as "de", "<|de|>" or "german". Null: the
   * model's first tokens say it, or it is found in the first window. */
  const char *language;
  /* "transcribe" or "translate" (into English). Null: the model's default. A
   * model of one language takes neither a language nor a task. */
  const char *task;
  int32_t timestamps; /* tenon_timestamps */
  /* Ids of earlier text or of words to expect. They begin with the id that
   * marks previous text. With the first ids and max_new_tokens they must fit
   * into the model's positions. */
  const int64_t *prompt_ids;
  size_t num_prompt_ids;
  /* Nonzero: the text so far precedes each window, as far as half the
   * positions. */
  int32_t condition_on_prev_tokens;
  int32_t prompt_condition; /* tenon_prompt_condition */
  /* Temperatures that are tried in turn; 0 chooses the best ids, or searches
   * with num_beams. Null: 0 alone. */
  const float *temperatures;
  size_t num_temperatures;
  /* The next temperature is tried if the text repeats itself, or is not likely.
   * A window is skipped if its text is not likely and there is no speech. Null:
   * not tested. */
  const float *compression_ratio_threshold;
  const float *logprob_threshold;
  const float *no_speech_threshold;
  /* A call that takes longer ends with TENON_CANCELLED. 0: no limit. */
  int64_t timeout_ns;
} tenon_transcription;

/* Creates a transcriber for an open model, which must outlive it. Fails with
 * TENON_UNSUPPORTED if the model does not transcribe sound. `options` may be
 * null. */
TENON_API tenon_status tenon_transcriber_create(
    tenon_model *model, const tenon_transcriber_options *options,
    tenon_transcriber **transcriber);

/* Destroys the transcriber. Fails with TENON_BAD_INPUT during a call. Null is
 * allowed. */
TENON_API tenon_status
tenon_transcriber_destroy(tenon_transcriber *transcriber);

/* The reason of the last failure; "" after success. Valid until the next call.
 */
TENON_API const char *
tenon_transcriber_text(const tenon_transcriber *transcriber);

/* Set an option of later calls: an input of the model's entry `start`, by its
 * name, such as "num_beams", as tenon_generator_set does. Options that the
 * fields of a call set, such as "temperature", are refused. */
TENON_API tenon_status tenon_transcriber_set(tenon_transcriber *transcriber,
                                             const tenon_tensor *value);
TENON_API tenon_status tenon_transcriber_set_i64(tenon_transcriber *transcriber,
                                                 const char *name,
                                                 int64_t value);
TENON_API tenon_status tenon_transcriber_set_f32(tenon_transcriber *transcriber,
                                                 const char *name, float value);
TENON_API tenon_status
tenon_transcriber_set_list(tenon_transcriber *transcriber, const char *name,
                           const int64_t *values, size_t count);

/* Gives an option its default again; null: all options. */
TENON_API tenon_status tenon_transcriber_unset(tenon_transcriber *transcriber,
                                               const char *name);

/* Transcribes a sound. The segments of a window are told when it is done; if
 * the call fails after that, they are correct. Fails with TENON_BAD_INPUT  for
 * a wrong field, option or prompt, a sound without samples or with one that is
 * no finite number, and a long sound without timestamps TENON_IO         if
 * `read` fails, or if the sound has become shorter TENON_LIMIT      if memory
 * is short TENON_CANCELLED  by tenon_transcriber_cancel, on_segment or
 * timeout_ns and as tenon_generator_run. */
TENON_API tenon_status tenon_transcriber_run(
    tenon_transcriber *transcriber, const tenon_transcription *transcription);

/* Ends the current call, or the next one if none is active, with
 * TENON_CANCELLED. May be called from any thread, but not from a signal
 * handler. */
TENON_API void tenon_transcriber_cancel(tenon_transcriber *transcriber);

/* The language of the last call as the model names it, such as "de"; null if
 * none was given or found. Valid until the next call. */
TENON_API const char *
tenon_transcriber_language(const tenon_transcriber *transcriber);

/* The length of the last call's sound, as far as it was read. */
TENON_API int64_t
tenon_transcriber_samples(const tenon_transcriber *transcriber);

/* Facts of a model that a caller needs to make or show text; -1: the model has
 * no such id. Set struct_size to sizeof(tenon_speech_ids). */
typedef struct tenon_speech_ids {
  size_t struct_size;
  int64_t end;             /* of a text */
  int64_t first_timestamp; /* from this id on ids are times: 0 s, 0.02 s, .. */
  int64_t previous_text;   /* marks earlier text; begins prompt_ids */
} tenon_speech_ids;

TENON_API tenon_status tenon_transcriber_get_ids(
    const tenon_transcriber *transcriber, tenon_speech_ids *ids);

/* The context in which the transcriber runs, for tenon_context_memory. Null
 * before the first call. */
TENON_API tenon_context *
tenon_transcriber_context(const tenon_transcriber *transcriber);

#ifdef __cplusplus
}
#endif

#endif /* TENON_RUNTIME_TENON_TRANSCRIBE_H */
