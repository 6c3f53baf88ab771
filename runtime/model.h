/* The runtime's internal structures: an open model and its contexts. */
#ifndef TENON_RUNTIME_MODEL_H
#define TENON_RUNTIME_MODEL_H

#include <stdatomic.h>

#include "memory.h"
#include "pool.h"
#include "tenon.h"
#include "text.h"
#include "watchdog.h"

/* The parts that are on a device: nvidia.h. */
typedef struct tenon_gpu tenon_gpu;
typedef struct tenon_gpu_context tenon_gpu_context;

enum { TENON_MAX_RANK = 64 };

/* A function, with data that tenon_run needs often. The extents of all inputs
 * form one array, and the extents of all outputs another. */
typedef struct tenon_function {
  const tenon_function_desc *desc;
  int64_t num_input_dims;
  int64_t num_output_dims;
  /* For each input extent the number of its name; -1 if it has none. */
  int32_t *symbols;
  int32_t num_symbols;
  /* Finished runs for each tenon_call.variant. */
  _Atomic uint64_t *calls;
} tenon_function;

/* The weight blob. */
typedef struct tenon_weights {
  const void *data;
  void *mapping; /* mapping of the weight file, or null */
  uint64_t mapped;
  tenon_region copy;
  char *path; /* path of the weight file, or null */
  int copied;
} tenon_weights;

struct tenon_model {
  const tenon_model_desc *desc;
  void *library; /* dlopen's handle, or null */
  char *path;
  uint64_t artifact_hash;
  tenon_function *functions;
  int32_t version; /* the version that runs here, counted from 1; 0:
                      describe_only */
  tenon_weights weights;
  tenon_gpu *gpu; /* null: the model runs on the CPU */
  tenon_parallel_fn host_parallel;
  void *host_pool;
  tenon_pool pool;
  tenon_watchdog watchdog;
  int watchdog_ready;
  int describe_only;
  _Atomic int64_t contexts;
};

/* Bits of tenon_context.cancel: tenon_cancel was called, the deadline passed.
 * */
enum { TENON_CANCEL_ASKED = 1, TENON_CANCEL_LATE = 2 };

/* A buffer that a run reads or writes, used to search for overlaps. */
typedef struct tenon_span {
  uintptr_t begin, end;
  int32_t index;
  int16_t is_output;
  int16_t place; /* tenon_place: addresses of two places are unrelated */
} tenon_span;

/* The size that one dynamic extent has in this run, and the input extent that
 * set it. */
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
  /* Tables of one call, with room for the largest function. */
  const void **inputs;
  const int64_t **input_dims;
  void **outputs;
  int64_t **output_dims;
  int64_t *extents; /* of the inputs, then of the outputs */
  size_t num_extents;
  const tenon_tensor **input_tensors; /* in the order of the descriptor */
  tenon_tensor **output_tensors;
  uint64_t *output_bytes;
  tenon_binding *bindings;
  tenon_span *spans;
  /* Memory that the runtime owns. */
  tenon_region arena;
  tenon_region *owned;     /* one for each output */
  tenon_region state;      /* values the model keeps between runs */
  uint64_t state_bytes;    /* used of it */
  int64_t *state_extents;  /* of the model's extents */
  uint64_t *state_offsets; /* of each state */
  int64_t *state_dims;     /* the extents of all states, one after another */
  int32_t num_owned;
  int32_t num_inputs;     /* room of the tables for inputs */
  tenon_gpu_context *gpu; /* null: the model runs on the CPU. Then `arena`,
                             `state` and outputs on the device are there */
};

/* Checks the descriptor and builds model->functions. */
tenon_status tenon_model_prepare(tenon_model *model, tenon_text *text);

/* Checks the file at model->path, loads it and sets model->desc. */
tenon_status tenon_load_artifact(tenon_model *model,
                                 const tenon_open_options *options,
                                 tenon_text *text);

/* Returns TENON_BAD_ARTIFACT if this host lacks one of the features `needed`.
 * Features outside a nonzero `mask` count as missing. */
tenon_status tenon_check_cpu(uint64_t needed, uint64_t mask, tenon_text *text);

/* Loads or maps the weights of model->desc into memory. */
tenon_status tenon_load_weights(tenon_model *model,
                                const tenon_open_options *options,
                                tenon_text *text);
void tenon_free_weights(tenon_weights *weights);

/* The largest product of a tensor's nonzero extents. Strides are products of
 * the other extents even if one extent is zero. */
#define TENON_MAX_SPAN (UINT64_C(1) << 62)

/* The bytes of a dense tensor: the product of the extents and the element size.
 * Returns 0 with *overflow set if it is too large, or if the product of the
 * nonzero extents exceeds TENON_MAX_SPAN. */
uint64_t tenon_dense_bytes(int32_t dtype, int32_t rank, const int64_t *dims,
                           int *overflow);

/* True if the versions and their device parts obey the rules of tenon_abi.h. */
int tenon_versions_are_sane(const tenon_model_desc *desc);

/* Chooses the model's version by options->device and this CPU. *ordinal becomes
 * the number of the device, or -1 for a version that runs on the CPU. */
tenon_status tenon_choose_version(tenon_model *model,
                                  const tenon_open_options *options,
                                  int32_t *ordinal, tenon_text *text);

/* True if the table of states obeys the rules of tenon_abi.h. */
int tenon_states_are_sane(const tenon_model_desc *desc);

/* True if the flags of an input, its default and its range obey the rules of
 * tenon_abi.h. Its name, dtype, rank and dims have been checked. */
int tenon_input_is_sane(const tenon_tensor_desc *input);

/* The default of an optional input, as a caller would give it. */
tenon_tensor tenon_default_of(const tenon_tensor_desc *input);

/* Refuses `count` elements of which one is outside the input's range. */
tenon_status tenon_check_values(tenon_text *text,
                                const tenon_tensor_desc *input,
                                const void *data, uint64_t count);

/* Chooses the context's extents, allocates its state and sets the initial
 * values. On failure the reason is in `text`. */
tenon_status tenon_state_create(tenon_context *context,
                                const tenon_context_options *options,
                                tenon_text *text);
void tenon_state_free(tenon_context *context);

/* Reserves the context for one call and clears its text. Returns
 * TENON_BAD_INPUT if another call is using the context. */
tenon_status tenon_context_enter(tenon_context *context);
void tenon_context_leave(tenon_context *context);

/* True if an output's `dims` points into the context's memory, set by this run
 * or an earlier one, and not to the caller's memory. */
static inline int tenon_owns_dims(const tenon_context *context,
                                  const int64_t *dims) {
  uintptr_t first = (uintptr_t)context->extents;
  return (uintptr_t)dims >= first &&
         (uintptr_t)dims <= first + context->num_extents * sizeof *dims;
}

/* True if a tensor's data lie on the device. An older client has no field for
 * it. */
static inline int tenon_lies_on_device(const tenon_tensor *tensor) {
  return tensor->struct_size > offsetof(tenon_tensor, device) &&
         tensor->device != TENON_ON_HOST;
}

/* Check the tensors of a call and fill the context's tables from them. */
tenon_status tenon_bind_inputs(tenon_context *context,
                               const tenon_function *function,
                               const tenon_tensor *inputs, size_t count);
tenon_status tenon_bind_outputs(tenon_context *context,
                                const tenon_function *function,
                                tenon_tensor *outputs, size_t count);
/* Called after the model's plan. Checks the outputs' sizes. For a run it also
 * sets the output buffers: the context provides those that the caller did not.
 * */
tenon_status tenon_size_outputs(tenon_context *context,
                                const tenon_function *function,
                                uint64_t arena_bytes, int for_run);
/* True if the buffer of an output after tenon_size_outputs is the context's. */
int tenon_owns_output(const tenon_context *context, int32_t output);
tenon_status tenon_check_overlap(tenon_context *context,
                                 const tenon_function *function);

#endif /* TENON_RUNTIME_MODEL_H */
