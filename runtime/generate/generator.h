/* The generator's internal structure. */
#ifndef TENON_RUNTIME_GENERATE_GENERATOR_H
#define TENON_RUNTIME_GENERATE_GENERATOR_H

#include <pthread.h>
#include <stdatomic.h>

#include "runtime/tenon_generate.h"
#include "runtime/text.h"

/* Memory that only grows. */
typedef struct tenon_buffer {
  void *data;
  size_t bytes;
} tenon_buffer;

/* The value of one input of `start`. */
typedef struct tenon_option {
  int is_set;
  tenon_buffer dims; /* int64_t */
  tenon_buffer values;
  size_t bytes; /* used of `values` */
} tenon_option;

/* Places of inputs, outputs and extents in the model's tables. */
typedef struct tenon_entries {
  const tenon_function_desc *start, *advance, *result;
  int32_t ids, lengths, keep; /* inputs of start */
  int32_t eos;                /* of start; -1: none */
  int32_t steps;              /* input of advance */
  int32_t allowed;            /* the same; -1: there is none */
  int32_t new_ids, finished;  /* outputs of advance */
  int32_t no_speech;          /* output of start of a speech model, else -1 */
  int32_t token_scores;       /* output of result, or -1 */
  int32_t sequences, counts, scores, reasons; /* outputs of result */
  int32_t rows, positions;                    /* context extents */
  int32_t contrast_prompts; /* the same; -1: no contrastive search */
  /* Inputs of start and context extents that a model with an encoder has; else
   * -1. */
  int32_t encoder_ids, encoder_lengths, keep_encoder, items, encoder_positions;
  int64_t vocabulary; /* tokens of `allowed` */
} tenon_entries;

/* Sizes of one call. */
typedef struct tenon_call_sizes {
  size_t prompts;
  size_t columns;   /* of the prompts, with pads */
  size_t sequences; /* prompts times sequences for each */
  int64_t rows, positions;
  /* The prompts and their columns, if an encoder reads them; else 0. */
  int64_t items, encoder_positions;
  int64_t contrast_prompts; /* the prompts of contrastive search, else 0 */
  int is_search;            /* by beams, whose ids are known at the end */
  int is_plain;             /* one sequence for each prompt, without beams */
} tenon_call_sizes;

/* The columns of ids that the context holds: the prompts of the last call and
 * the ids that it made. */
typedef struct tenon_held {
  tenon_buffer ids;  /* int64_t [prompts, stride] */
  tenon_buffer pads; /* size_t [prompts]: pads before each prompt */
  size_t stride;
  size_t prompts; /* 0: nothing is held */
  int64_t rows;   /* of the model, for all prompts */
  int is_contrastive;
  size_t columns; /* that are computed */
  size_t written; /* that `ids` has */
  int has_ended;  /* the next columns have pads after the end of a prompt */
} tenon_held;

/* What an encoder reads: the prompts, with pads on the right. */
typedef struct tenon_source {
  tenon_buffer ids, lengths;
  tenon_buffer old_ids, old_lengths; /* of the call before */
  size_t rows, columns;
  size_t old_rows, old_columns; /* 0: the context has none */
  int is_kept;                  /* both are equal */
} tenon_source;

/* One sequence of the current call. */
typedef struct tenon_progress {
  size_t told; /* ids that the callback got */
  int has_ended, is_stopped;
} tenon_progress;

struct tenon_generator {
  tenon_model *model;
  const tenon_model_desc *desc;
  tenon_entries entries;
  uint64_t memory_limit;
  int64_t least_rows, least_positions;
  tenon_text text;
  _Atomic int busy;

  pthread_mutex_t mutex; /* for `is_running` and `cancelled` */
  int is_running;        /* while it is, the context is not replaced */
  int cancelled;
  tenon_context *context;
  int64_t rows, positions; /* of the context; 0: there is none */
  int64_t items, encoder_positions, contrast_prompts;

  tenon_option *options;     /* one for each input of start */
  tenon_tensor *inputs;      /* as many */
  tenon_tensor *outputs;     /* as many as the entry with the most has */
  tenon_buffer ids, lengths; /* the prompts of a call */
  size_t keep;
  tenon_source source;
  int64_t steps;   /* of the call, made until now */
  int is_held;     /* a call does not replace the context */
  float no_speech; /* of the first prompt; NaN if the model does not tell it */
  tenon_held held;
  tenon_buffer progress; /* tenon_progress for each sequence */
  tenon_buffer masks;    /* a byte for each token of each sequence */
  int64_t deadline;      /* CLOCK_MONOTONIC, nanoseconds; 0: none */

  /* The sequences of the last call; the arrays are in the context. */
  size_t num_sequences, longest;
  const int64_t *sequence_ids, *sequence_counts, *sequence_reasons;
  const float *sequence_scores; /* null: they are unknown */
  const float *token_scores;    /* [num_sequences, longest]; null: unknown */
};

/* Makes `buffer` at least `bytes` long; its contents may be lost. Returns
 * TENON_LIMIT with a text if there is no memory. */
tenon_status tenon_reserve(tenon_generator *generator, tenon_buffer *buffer,
                           size_t bytes);

/* The product, or SIZE_MAX if it overflows. */
size_t tenon_size_product(size_t a, size_t b);

/* Finds the entries of a generation model. Returns TENON_UNSUPPORTED with a
 * text if it lacks one. */
tenon_status tenon_find_entries(tenon_generator *generator);

/* The value of a scalar option of i64: set, or the model's default, or
 * `otherwise` if it has neither. */
int64_t tenon_option_value(const tenon_generator *generator, const char *name,
                           int64_t otherwise);

/* The value of a scalar option of f32, as above. */
float tenon_option_number(const tenon_generator *generator, const char *name,
                          float otherwise);

/* True if the model has the bool `name`, and its value is false. */
int tenon_option_is_off(const tenon_generator *generator, const char *name);

/* True if `id` is one of the option eos_token_id. */
int tenon_is_eos(const tenon_generator *generator, int64_t id);

/* Computes the sizes of a call and refuses what no context can hold. */
tenon_status tenon_size_call(tenon_generator *generator,
                             const tenon_generation *call,
                             tenon_call_sizes *sizes);

/* Makes a context for these sizes, unless the one that is there fits. */
tenon_status tenon_fit_context(tenon_generator *generator,
                               const tenon_call_sizes *sizes);

/* Replaces a context that is larger than these sizes by one that is not.
 * Returns 0 if there is none, or if this one fails too. */
int tenon_shrink_context(tenon_generator *generator,
                         const tenon_call_sizes *sizes);

/* Makes memory for the masks of a call with the callback `allow`. Returns
 * TENON_UNSUPPORTED with a text if the model takes none. */
tenon_status tenon_reserve_masks(tenon_generator *generator,
                                 const tenon_generation *call,
                                 const tenon_call_sizes *sizes);

/* Asks the callback for the masks of the next step, and makes `input`, with the
 * two extents `dims`, the input of `advance` for them. */
tenon_status tenon_fill_masks(tenon_generator *generator,
                              const tenon_generation *call,
                              const tenon_call_sizes *sizes, int64_t *dims,
                              tenon_tensor *input);

/* Check the outputs of a run of `advance` by `steps` steps, and of `result`.
 * Return TENON_UNSUPPORTED with a text if the driver cannot use them. */
tenon_status tenon_check_new_ids(tenon_generator *generator,
                                 const tenon_call_sizes *sizes, int64_t steps);
tenon_status tenon_check_result(tenon_generator *generator,
                                const tenon_call_sizes *sizes);

/* True if the model has an encoder, which reads the prompts. */
int tenon_has_encoder(const tenon_generator *generator);

/* Writes the prompts with pads on the right, and compares them with those that
 * the context holds. For a model with an encoder. */
tenon_status tenon_lay_out_source(tenon_generator *generator,
                                  const tenon_generation *call,
                                  const tenon_call_sizes *sizes);
/* The context has computed the source of the call. */
void tenon_hold_source(tenon_generator *generator);

/* Writes what the decoder continues, the prompts in a model without encoder,
 * with pads on the left, and finds the columns to keep. */
tenon_status tenon_lay_out_prompts(tenon_generator *generator,
                                   const tenon_generation *call,
                                   const tenon_call_sizes *sizes);

/* Runs an entry with the inputs in `inputs`; its outputs are in `outputs`. A
 * call that is cancelled or past its deadline ends with TENON_CANCELLED. */
tenon_status tenon_run_entry(tenon_generator *generator,
                             const tenon_generation *call,
                             const tenon_function_desc *function,
                             size_t num_inputs);

/* While it is running, a cancellation also ends the run of the entry. */
void tenon_set_running(tenon_generator *generator, int is_running);

/* Sets the deadline of a call that begins now. */
void tenon_set_deadline(tenon_generator *generator,
                        const tenon_generation *call);

/* Keep track of what the context holds: first nothing, with memory for all
 * columns of the call; then the prompts; then `count` more columns. */
tenon_status tenon_reserve_held(tenon_generator *generator,
                                const tenon_call_sizes *sizes);
void tenon_hold_prompts(tenon_generator *generator,
                        const tenon_call_sizes *sizes);
void tenon_hold_columns(tenon_generator *generator, const int64_t *ids,
                        size_t count);
void tenon_hold_nothing(tenon_generator *generator);

#endif /* TENON_RUNTIME_GENERATE_GENERATOR_H */
