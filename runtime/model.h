/* The runtime's own structures: an open model, and a context on it. */
#ifndef TENON_RUNTIME_MODEL_H
#define TENON_RUNTIME_MODEL_H

#include <stdatomic.h>

#include "memory.h"
#include "pool.h"
#include "tenon.h"
#include "text.h"
#include "watchdog.h"

enum { TENON_MAX_RANK = 64 };

/* A function with what tenon_run wants to know at once. Extents of all inputs
 * stand in one row, those of all outputs in another. */
typedef struct tenon_function {
  const tenon_function_desc *desc;
  int64_t num_input_dims;
  int64_t num_output_dims;
  /* For each input extent the number of its name, or -1. */
  int32_t *symbols;
  int32_t num_symbols;
  /* Runs by tenon_call.variant. */
  _Atomic uint64_t *calls;
} tenon_function;

/* The weight blob. */
typedef struct tenon_weights {
  const void *data;
  void *mapping; /* of the file, or null */
  uint64_t mapped;
  tenon_region copy;
  char *path; /* of the file, or null */
  int copied;
} tenon_weights;

struct tenon_model {
  const tenon_model_desc *desc;
  void *library; /* dlopen's handle, or null */
  char *path;
  uint64_t artifact_hash;
  tenon_function *functions;
  int32_t version; /* that runs here: 1 + an index; 0: describe_only */
  tenon_weights weights;
  tenon_parallel_fn host_parallel;
  void *host_pool;
  tenon_pool pool;
  tenon_watchdog watchdog;
  int watchdog_ready;
  int describe_only;
  _Atomic int64_t contexts;
};

/* Bits of tenon_context.cancel. */
enum { TENON_CANCEL_ASKED = 1, TENON_CANCEL_LATE = 2 };

/* A buffer that a run reads or writes, for the search for overlaps. */
typedef struct tenon_span {
  uintptr_t begin, end;
  int32_t index;
  int32_t is_output;
} tenon_span;

/* The name bound to one dynamic extent in this run. */
typedef struct tenon_binding {
  int64_t value; /* -1: not bound yet */
  int32_t input, dim;
} tenon_binding;

struct tenon_context {
  tenon_model *model;
  _Atomic int busy;
  _Atomic int32_t cancel;
  int64_t timeout;
  uint64_t memory_limit;
  tenon_profile_fn profile;
  void *profile_state;
  tenon_watch watch;
  tenon_text text;
  /* Tables of one call, large enough for every function. */
  const void **inputs;
  const int64_t **input_dims;
  void **outputs;
  int64_t **output_dims;
  int64_t *extents; /* of the inputs, then of the outputs */
  size_t num_extents;
  const tenon_tensor **input_tensors; /* by position */
  tenon_tensor **output_tensors;
  uint64_t *output_bytes;
  tenon_binding *bindings;
  tenon_span *spans;
  /* What the runtime owns. */
  tenon_region arena;
  tenon_region *owned; /* an output each */
  tenon_region state;  /* what the model keeps from run to run */
  int32_t num_owned;
};

/* Copies `size` bytes of options by their struct_size into a zeroed struct:
 * shorter ones are of an older client, longer ones must be zero beyond. */
int tenon_read_options(void *to, size_t size, size_t least, const void *from);

/* Checks the descriptor and builds model->functions. */
tenon_status tenon_model_prepare(tenon_model *model, tenon_text *text);

/* Checks the file at model->path, loads it, sets model->desc. */
tenon_status tenon_load_artifact(tenon_model *model,
                                 const tenon_open_options *options,
                                 tenon_text *text);

/* TENON_BAD_ARTIFACT when the host, masked, lacks one of `needed`. */
tenon_status tenon_check_cpu(uint64_t needed, uint64_t mask, tenon_text *text);

/* Brings the weights of model->desc into memory. */
tenon_status tenon_load_weights(tenon_model *model,
                                const tenon_open_options *options,
                                tenon_text *text);
void tenon_free_weights(tenon_weights *weights);

/* The most the extents of a tensor other than zero may come to: strides are
   products of extents beside a zero too. */
#define TENON_MAX_SPAN (UINT64_C(1) << 62)

/* Product of the extents and the element's size; 0 with *overflow set where it,
   or what the extents other than zero come to, is too large. */
uint64_t tenon_dense_bytes(int32_t dtype, int32_t rank, const int64_t *dims,
                           int *overflow);

/* Whether the table of states is as tenon_abi.h says. */
int tenon_states_are_sane(const tenon_model_desc *desc);

/* Gives a context its state, at its first values; 0 when out of memory. */
int tenon_state_create(tenon_context *context);

/* Takes the context for one call and clears its text; TENON_BAD_INPUT when
 * another call has it. */
tenon_status tenon_context_enter(tenon_context *context);
void tenon_context_leave(tenon_context *context);

/* Whether an output's dims are the context's, from this run or an earlier one,
 * and not the caller's. */
static inline int tenon_owns_dims(const tenon_context *context,
                                  const int64_t *dims) {
  uintptr_t first = (uintptr_t)context->extents;
  return (uintptr_t)dims >= first &&
         (uintptr_t)dims <= first + context->num_extents * sizeof *dims;
}

/* The checks of a call: fills the context's tables from the tensors. */
tenon_status tenon_bind_inputs(tenon_context *context,
                               const tenon_function *function,
                               const tenon_tensor *inputs, size_t count);
tenon_status tenon_bind_outputs(tenon_context *context,
                                const tenon_function *function,
                                tenon_tensor *outputs, size_t count);
/* After plan: sizes, and for a run the buffers, which the context provides
 * where the caller did not. */
tenon_status tenon_size_outputs(tenon_context *context,
                                const tenon_function *function,
                                uint64_t arena_bytes, int for_run);
tenon_status tenon_check_overlap(tenon_context *context,
                                 const tenon_function *function);

#endif /* TENON_RUNTIME_MODEL_H */
