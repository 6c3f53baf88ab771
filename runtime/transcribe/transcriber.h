/* The transcriber's internal structure. */
#ifndef TENON_RUNTIME_TRANSCRIBE_TRANSCRIBER_H
#define TENON_RUNTIME_TRANSCRIBE_TRANSCRIBER_H

#include "runtime/generate/generator.h"
#include "runtime/tenon_transcribe.h"

enum {
  SAMPLES_PER_FRAME = 160,
  /* A frame is computed from so many samples on each side of its centre. */
  NEIGHBOURS = 200,
  /* The first ids of a text: start, language, task and no timestamps; a
   * checkpoint may have a few more. */
  MOST_FIRST_IDS = 64
};

/* Names for ids, from the model's tables: `names` holds one text after another,
 * each with a NUL. */
typedef struct tenon_named_ids {
  const int64_t *ids;
  size_t count;
  const char *names;
  size_t bytes;
} tenon_named_ids;

/* What the model's entries and their defaults say. */
typedef struct tenon_speech {
  const tenon_function_desc *features;
  int32_t samples, before, after;   /* inputs of features */
  int32_t feature_output, greatest; /* outputs of features */
  int64_t window;                   /* frames of a window */
  int64_t positions;                /* of a text with its prompt */
  int64_t vocabulary;
  int32_t allowed; /* input of advance */
  tenon_named_ids languages, tasks;
  const int64_t *first_ids; /* after the start; -1: to be found */
  size_t num_first_ids;
  int64_t start, no_timestamps, previous_text; /* -1: none */
  int is_multilingual;
} tenon_speech;

/* The sound of a call. */
typedef struct tenon_sound {
  int64_t samples; /* that the caller has */
  int64_t total;   /* of a short sound with zeros after it, else 0 */
  int64_t frames;
  float greatest; /* feature */
} tenon_sound;

/* The text of one attempt at a window. */
typedef struct tenon_attempt {
  const int64_t *ids; /* in the generator's context, without the end */
  size_t count;
  float temperature, mean_logprob, compression_ratio, no_speech;
  int is_rejected; /* another temperature may be better */
  int is_silence;
} tenon_attempt;

/* A segment within a window: ids and times. */
typedef struct tenon_piece {
  size_t first, count;
  double start, end; /* seconds within the window */
} tenon_piece;

/* The last ids of the text so far, as many as precede a window. */
typedef struct tenon_history {
  int64_t *ids;
  size_t count, most;
  int has_text; /* there is earlier text, be it empty */
} tenon_history;

struct tenon_transcriber {
  tenon_model *model;
  tenon_generator *generator;
  tenon_speech speech;
  tenon_text text;
  _Atomic int busy, cancelled;

  const tenon_transcription *call;
  int64_t deadline; /* CLOCK_MONOTONIC, nanoseconds; 0: none */
  tenon_sound sound;
  int has_timestamps;
  tenon_buffer samples;  /* float: a window with its neighbours */
  tenon_buffer features; /* float: the columns of a window */
  tenon_option *neutral; /* options without processors, as the generator's */
  int64_t first_ids[MOST_FIRST_IDS];
  size_t num_first_ids;
  size_t start_column; /* of the start among the first ids */
  const char *language;
  tenon_buffer prompt; /* int64_t */
  size_t prompt_count;
  tenon_history history;
  tenon_buffer packed, compressed;    /* of the compression ratio */
  tenon_buffer pieces;                /* tenon_piece */
  int64_t window_seek, window_frames; /* that `start` gets */
  int is_encoded;                     /* the context holds the window */
  int64_t seed;                       /* of the next attempt */
  int64_t beams;
};

/* Finds the entries and ids of a speech model. Returns TENON_UNSUPPORTED with a
 * text if it lacks one. */
tenon_status tenon_find_speech(tenon_transcriber *transcriber);

/* Begin and end a call, of which there is one at a time. The first one returns
 * 0 if there is another, or no transcriber; the second one returns `status`. */
int tenon_begin_use(tenon_transcriber *transcriber);
tenon_status tenon_end_use(tenon_transcriber *transcriber, tenon_status status);

/* Fails unless the transcriber's call may go on; gives a generator's call the
 * time that is left. */
tenon_status tenon_go_on(tenon_transcriber *transcriber,
                         tenon_generation *call);

/* Says why the call ends early: it is cancelled, or past its deadline. */
tenon_status tenon_end_early(tenon_transcriber *transcriber);

/* Copies the generator's failure. */
tenon_status tenon_generator_failed(tenon_transcriber *transcriber,
                                    tenon_status status);

/* Sets an option of the generator, which the model has. */
tenon_status tenon_set_number(tenon_transcriber *transcriber, const char *name,
                              int64_t value);

/* Reads the sound once: finds its length and its greatest feature. */
tenon_status tenon_measure_sound(tenon_transcriber *transcriber);

/* Makes the features of `frames` frames from `seek` on an input of `start`. */
tenon_status tenon_set_window(tenon_transcriber *transcriber, int64_t seek,
                              int64_t frames);

/* Runs the generator on the ids in `prompt`; `allow` may be null. */
tenon_status tenon_generate_ids(tenon_transcriber *transcriber,
                                tenon_allow_fn allow);

/* As tenon_generate_ids, but makes one id without any processor: a language if
 * `is_language`. */
tenon_status tenon_generate_neutral(tenon_transcriber *transcriber,
                                    int is_language);

/* Sets the first ids of every text: start, language, task. Finds the language
 * in the first window if no one says it. */
tenon_status tenon_choose_first_ids(tenon_transcriber *transcriber);

/* The place of a name in a list of ids, or -1. `length` bytes of `name` count.
 */
ptrdiff_t tenon_find_named(const tenon_named_ids *list, const char *name,
                           size_t length);

/* The name of an id, or null. */
const char *tenon_name_of(const tenon_named_ids *list, int64_t id);

/* The code of a language's English name, such as "de" for "german"; null if it
 * is none. */
const char *tenon_language_code(const char *name);

/* Tries the temperatures for the window. */
tenon_status tenon_transcribe_window(tenon_transcriber *transcriber,
                                     tenon_attempt *attempt);

/* The length of the ids as bytes over the length that zlib makes of them. */
tenon_status tenon_compression_ratio(tenon_transcriber *transcriber,
                                     const int64_t *ids, size_t count,
                                     float *ratio);

/* Cuts a window's text into pieces at pairs of times. `pieces` has room for
 * count + 1. Returns their number, and in `frames` how many frames of the
 * window's `width` are done. */
size_t tenon_cut_segments(const int64_t *ids, size_t count,
                          int64_t first_timestamp, int64_t width,
                          tenon_piece *pieces, int64_t *frames);

/* The history: memory for `most` ids, then ids at its end, then all ids before
 * a text, which are written into `prompt`. */
tenon_status tenon_begin_history(tenon_transcriber *transcriber);
void tenon_remember(tenon_history *history, const int64_t *ids, size_t count);
tenon_status tenon_make_prompt(tenon_transcriber *transcriber, int uses_text);

#endif /* TENON_RUNTIME_TRANSCRIBE_TRANSCRIBER_H */
