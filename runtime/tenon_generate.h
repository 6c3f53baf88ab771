/* Text generation with a compiled model: prompts in, ids out. It calls the
 * entries `start`, `advance` and `result`, which Tenon makes for a checkpoint
 * of a text model. Text and ids of a tokenizer: tenon_tokenizers.h. C11, also
 * valid C++17; needs the runtime only.
 *
 * A generator serves one call at a time. It owns the sequences that it hands
 * out, until its next call. Nothing here prints, exits, installs signal
 * handlers or keeps global state. */
#ifndef TENON_RUNTIME_TENON_GENERATE_H
#define TENON_RUNTIME_TENON_GENERATE_H

#include "tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_generator tenon_generator;

/* Why a sequence ended. */
typedef enum tenon_reason {
  TENON_REASON_NONE = 0,   /* it did not end: the call was cancelled */
  TENON_REASON_EOS = 1,    /* its last id is one of the option eos_token_id */
  TENON_REASON_LENGTH = 2, /* as many ids as the options and the model allow */
  TENON_REASON_STOPPED = 3 /* the callback stopped it */
} tenon_reason;

/* Options of tenon_generator_create. Set struct_size to
 * sizeof(tenon_generator_options). In every other field zero means the default.
 */
typedef struct tenon_generator_options {
  size_t struct_size;
  /* Buffer for the reason of a failure, as text that ends with NUL. */
  char *error_text;
  size_t error_text_bytes;
  /* The most bytes that the generator's context may use, as in
   * tenon_context_options. */
  uint64_t memory_limit;
  /* Least sizes of the context, for calls that grow: rows (prompts times beams
   * or sequences for each) and positions (prompt and new ids). */
  int64_t rows;
  int64_t positions;
} tenon_generator_options;

/* The ids of one prompt, without pads. A model with an encoder reads them with
 * it, and its sequences are what the decoder makes of them. */
typedef struct tenon_prompt {
  const int64_t *ids;
  size_t count; /* at least 1 */
} tenon_prompt;

/* What a callback answers. */
typedef enum tenon_token_answer {
  TENON_GO_ON = 0,
  TENON_STOP_SEQUENCE = 1, /* this id is the last one of its sequence */
  TENON_STOP_ALL = 2       /* no sequence gets another id */
} tenon_token_answer;

/* Called for each new id of each sequence, in order, on the thread of the call.
 * It may call tenon_generator_cancel, and no other function of the generator.
 */
typedef tenon_token_answer (*tenon_token_fn)(void *state, size_t sequence,
                                             int64_t id);

/* Called before each step for each sequence that goes on, on the thread of the
 * call; `step` counts the new ids of the sequence. In beam search it is called
 * for each prompt, whose beams have one mask. `allowed` has a zero for each of
 * the `vocabulary` tokens: set the bytes of the tokens that may come next to 1
 * and return nonzero, or return 0 if all may. It may call
 * tenon_generator_cancel, and no other function of the generator. */
typedef int (*tenon_allow_fn)(void *state, size_t sequence, size_t step,
                              uint8_t *allowed, size_t vocabulary);

/* One call. Set struct_size to sizeof(tenon_generation). */
typedef struct tenon_generation {
  size_t struct_size;
  const tenon_prompt *prompts;
  size_t num_prompts; /* at least 1 */
  /* May be null. Beam search knows its ids only at the end, and does not call
   * it. */
  tenon_token_fn on_token;
  void *on_token_state;
  /* A call that takes longer ends with TENON_CANCELLED. 0: no limit. */
  int64_t timeout_ns;
  /* Restricts the next tokens; may be null. Fails with TENON_UNSUPPORTED if the
   * model takes no masks. */
  tenon_allow_fn allow;
  void *allow_state;
  /* What the decoder continues in a model with an encoder, which reads
   * `prompts`: one for each of them. Null: the token of the option
   * decoder_start_token_id for all. */
  const tenon_prompt *decoder_prompts;
} tenon_generation;

/* The new ids of one sequence, without the prompt; an eos id counts. */
typedef struct tenon_sequence {
  const int64_t *ids;
  size_t count;
  /* Beam search: the sequence's score in the search. Otherwise the sum of the
   * logarithms of its ids' probabilities if the option output_scores is on.
   * NaN if it is unknown: without that option, or if the callback stopped this
   * sequence while others went on. */
  float score;
  int32_t reason; /* tenon_reason */
} tenon_sequence;

/* Creates a generator for an open model, which must outlive it. Fails with
 * TENON_UNSUPPORTED if the model does not generate text. `options` may be null.
 * Memory for sequences is made by the first call that needs it. */
TENON_API tenon_status tenon_generator_create(
    tenon_model *model, const tenon_generator_options *options,
    tenon_generator **generator);

/* Destroys the generator. Fails with TENON_BAD_INPUT during a call. Null is
 * allowed. */
TENON_API tenon_status tenon_generator_destroy(tenon_generator *generator);

/* The reason of the last failure, as tenon_context_text gives it; "" after
 * success. Valid until the next call. */
TENON_API const char *tenon_generator_text(const tenon_generator *generator);

/* Set an option of later calls: an input of the model's entry `start`, by its
 * name, such as "temperature". The value is copied. Options that are not set
 * have the defaults of the model. tenon_generator_set takes a tensor with a
 * name; tenon_generator_set_i64 sets integers and bools; a list is an option
 * with one dimension. */
TENON_API tenon_status tenon_generator_set(tenon_generator *generator,
                                           const tenon_tensor *value);
TENON_API tenon_status tenon_generator_set_i64(tenon_generator *generator,
                                               const char *name, int64_t value);
TENON_API tenon_status tenon_generator_set_f32(tenon_generator *generator,
                                               const char *name, float value);
TENON_API tenon_status tenon_generator_set_list(tenon_generator *generator,
                                                const char *name,
                                                const int64_t *values,
                                                size_t count);

/* Gives an option its default again; null: all options. */
TENON_API tenon_status tenon_generator_unset(tenon_generator *generator,
                                             const char *name);

/* Generates. After TENON_OK, and after TENON_CANCELLED if a sequence had begun,
 * the sequences are there. If the prompts continue those of the last call, with
 * the ids that it made, their common columns are not computed again. A call
 * that is not larger than an earlier one allocates nothing. */
TENON_API tenon_status tenon_generator_run(tenon_generator *generator,
                                           const tenon_generation *generation);

/* Ends the current call, or the next one if none is active, with
 * TENON_CANCELLED. May be called from any thread, but not from a signal
 * handler. */
TENON_API void tenon_generator_cancel(tenon_generator *generator);

/* The sequences of the last call: those of the first prompt, best first, then
 * those of the next one. */
TENON_API size_t
tenon_generator_num_sequences(const tenon_generator *generator);
TENON_API tenon_status tenon_generator_get_sequence(
    const tenon_generator *generator, size_t index, tenon_sequence *sequence);

/* How many columns of the last call's prompts were still in memory. */
TENON_API size_t tenon_generator_kept(const tenon_generator *generator);

/* The context in which the generator runs, for tenon_context_memory and
 * tenon_context_set_profile. Null before the first call. A call that needs a
 * larger context replaces it. */
TENON_API tenon_context *
tenon_generator_context(const tenon_generator *generator);

#ifdef __cplusplus
}
#endif

#endif /* TENON_RUNTIME_TENON_GENERATE_H */
