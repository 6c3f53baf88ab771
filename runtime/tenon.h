/* The public C API of the Tenon runtime: opens a compiled model, describes it
 * and runs it. C11, also valid C++17; needs libc and threads alone.
 *
 * Ownership has one rule: the caller owns every buffer it passes; memory the
 * runtime hands out lives in its context until that context's next run.
 * Nothing here prints, exits, installs signal handlers or keeps global state
 * a host could notice. */
#ifndef TENON_RUNTIME_TENON_H
#define TENON_RUNTIME_TENON_H

#include "tenon_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TENON_API
#define TENON_API __attribute__((visibility("default")))
#endif

/* How a call ended. The classes are the exit codes of the command line. */
typedef enum tenon_status {
  TENON_OK = 0,
  TENON_FAILED = 1,       /* a diagnosed reason that no other class names */
  TENON_USAGE = 2,        /* command line only */
  TENON_INVALID = 3,      /* command line only: an invalid model or data file */
  TENON_UNSUPPORTED = 4,  /* valid, but uses something unsupported */
  TENON_LIMIT = 5,        /* out of memory, or past a limit that was set */
  TENON_IO = 6,           /* a file could not be opened, read or mapped */
  TENON_BAD_ARTIFACT = 7, /* damaged, of another ABI, or not for this host */
  TENON_BAD_INPUT = 8,    /* an argument, a tensor or a value is wrong */
  TENON_DIFFERS = 9,      /* command line only: results differ */
  TENON_CANCELLED = 10,   /* cancelled, or past the deadline */
  TENON_INTERNAL = 70     /* a bug of Tenon */
} tenon_status;

typedef struct tenon_model tenon_model;
typedef struct tenon_context tenon_context;

/* How the weights come into memory. */
typedef enum tenon_weights_mode {
  TENON_WEIGHTS_AUTO = 0, /* copied where that makes runs faster: from 4 MiB */
  TENON_WEIGHTS_COPY = 1, /* read into memory of our own, on huge pages where
                             the system has them; immune to later changes of
                             the file */
  TENON_WEIGHTS_MAP = 2   /* mapped privately, read when touched, shared with
                             other processes */
} tenon_weights_mode;

/* Options of tenon_open and tenon_open_desc. Zero means the default in every
 * field but struct_size, which is sizeof(tenon_open_options). */
typedef struct tenon_open_options {
  size_t struct_size;
  /* Where the reason of a failure is written, as text with a final NUL. */
  char *error_text;
  size_t error_text_bytes;
  /* Threads of the built-in pool, the caller's included; 0: one for each CPU
   * the process may use. */
  int32_t threads;
  int32_t weights_mode; /* tenon_weights_mode */
  /* The weight file, or the folder that holds it; null: the artifact's. */
  const char *weights_path;
  /* Nonzero: also hash the weights. Code and tables always are. */
  int32_t verify_weights;
  /* Nonzero: open for tenon_describe alone. The CPU is not checked, weights
   * are not sought, and no context can be made. */
  int32_t describe_only;
  /* The host's own thread pool, used instead of the built-in one. */
  tenon_parallel_fn parallel;
  void *parallel_pool;
  /* Nonzero: treat CPU features outside this mask as absent. For tests: an
   * artifact says and runs what it would on a smaller machine. */
  uint64_t cpu_feature_mask;
} tenon_open_options;

/* Options of tenon_context_create; zero means the default. */
typedef struct tenon_context_options {
  size_t struct_size;
  char *error_text;
  size_t error_text_bytes;
  /* The most bytes the context may use for its state, the arena of a run and
   * the outputs the runtime owns; 0: no limit. */
  uint64_t memory_limit;
  /* Each run that takes longer ends with TENON_CANCELLED; 0: no limit. */
  int64_t timeout_ns;
} tenon_context_options;

/* A tensor at the door of tenon_run: dense and row-major. struct_size is
 * sizeof(tenon_tensor). */
typedef struct tenon_tensor {
  size_t struct_size;
  /* Null: the tensor at this position; else the input or output so named. */
  const char *name;
  int32_t dtype; /* tenon_dtype; an output may say 0 and is told */
  int32_t rank;  /* an output's is written by the run */
  /* Input: rank extents. Output: null, then points into the context's memory
   * after the run; or room for as many extents as the output's rank, given in
   * `rank`, and written by the run. */
  int64_t *dims;
  /* Input: aligned to its element, may be null where it has no bytes. Output:
   * the caller's buffer, or null (or what the last run left here), then the
   * context's memory. */
  void *data;
  /* The size of the buffer at `data`. Written where the context owns it. */
  size_t bytes;
} tenon_tensor;

/* What is known of an open model beyond its descriptor. */
typedef struct tenon_model_info {
  size_t struct_size;
  const char *path;         /* resolved path of the artifact; null: embedded */
  const char *weights_path; /* of the weight file; null: embedded or none */
  uint64_t weight_bytes;
  uint64_t artifact_hash; /* as sealed in the file; 0: embedded */
  uint64_t cpu_features;  /* needed, bits of tenon_cpu_feature */
  int32_t threads;        /* the most that work on one run */
  int32_t weights_copied;
  const char *version; /* of the code that runs here; null: describe_only */
} tenon_model_info;

/* The ABI this runtime implements: TENON_ABI_VERSION of its build. */
TENON_API uint32_t tenon_abi_version(void);

/* The status class in a few words, never null. */
TENON_API const char *tenon_status_name(tenon_status status);

/* "f32", "i64", ...; "?" for a value outside tenon_dtype. */
TENON_API const char *tenon_dtype_name(int32_t dtype);

/* Bytes of one element; 0 for a value outside tenon_dtype. */
TENON_API size_t tenon_dtype_bytes(int32_t dtype);

/* The CPU features this host has and its system has switched on. */
TENON_API uint64_t tenon_host_cpu_features(void);

/* The name of one bit of tenon_cpu_feature, or null. */
TENON_API const char *tenon_cpu_feature_name(uint64_t bit);

/* Opens the artifact at `path`, a shared object made by Tenon. Size, hash,
 * ABI and CPU features are checked before anything in it is loaded. `options`
 * may be null. On failure *model is null. */
TENON_API tenon_status tenon_open(const char *path,
                                  const tenon_open_options *options,
                                  tenon_model **model);

/* The same for a model linked into the program. `desc` must outlive it. */
TENON_API tenon_status tenon_open_desc(const tenon_model_desc *desc,
                                       const tenon_open_options *options,
                                       tenon_model **model);

/* Unloads. Refused with TENON_BAD_INPUT, and nothing done, while the model
 * has contexts. Null is fine. */
TENON_API tenon_status tenon_close(tenon_model *model);

/* The model's own tables: name, source, target, functions, inputs, outputs,
 * extents with names and ranges. They live as long as the model. */
TENON_API const tenon_model_desc *tenon_describe(const tenon_model *model);

/* The function called `name`, or null; a null name: the first. */
TENON_API const tenon_function_desc *
tenon_find_function(const tenon_model *model, const char *name);

/* Fills `info`, whose struct_size the caller has set. */
TENON_API tenon_status tenon_get_model_info(const tenon_model *model,
                                            tenon_model_info *info);

/* How often a run of `function` (null: the first) has ended well since the
 * model was opened, in all contexts: in calls[0] by the code that takes every
 * size, in calls[1 + i] by the function's variants[i]. `count` is 1 +
 * num_variants. */
TENON_API tenon_status tenon_get_calls(const tenon_model *model,
                                       const char *function, uint64_t *calls,
                                       size_t count);

/* A context holds the memory of one run at a time: make one for each run that
 * shall be under way at once. `options` may be null. */
TENON_API tenon_status
tenon_context_create(tenon_model *model, const tenon_context_options *options,
                     tenon_context **context);

/* Refused with TENON_BAD_INPUT while a run is under way. Null is fine. */
TENON_API tenon_status tenon_context_destroy(tenon_context *context);

/* Why this thread's last call on the context failed; "" after success. The
 * first line is the cause, further lines give facts; "help: " starts a line
 * that says what to do. Valid until the next call on the context. */
TENON_API const char *tenon_context_text(const tenon_context *context);

/* Runs `function` (null: the first). All inputs and outputs must be given.
 * On failure the contents of output buffers are unspecified and the context
 * is ready for the next run. A run that was refused before it began has changed
 * no state; after one that failed on its way each state has its value from
 * before, one that the run has written, or parts of both. */
TENON_API tenon_status tenon_run(tenon_context *context, const char *function,
                                 const tenon_tensor *inputs, size_t num_inputs,
                                 tenon_tensor *outputs, size_t num_outputs);

/* What a run with these inputs would need: dtype, rank, dims and bytes of the
 * outputs (upper bounds where the output is `bounded`), whose data are neither
 * read nor changed, and the size of the arena (may be null). */
TENON_API tenon_status tenon_plan(tenon_context *context, const char *function,
                                  const tenon_tensor *inputs, size_t num_inputs,
                                  tenon_tensor *outputs, size_t num_outputs,
                                  uint64_t *arena_bytes);

/* Ends the run under way, or the next one if there is none, with
 * TENON_CANCELLED at its next kernel. From any thread. */
TENON_API void tenon_cancel(tenon_context *context);

/* Lets `profile` hear of each kernel of the runs to come; null: nobody. It must
 * not call the context. */
TENON_API tenon_status tenon_context_set_profile(tenon_context *context,
                                                 tenon_profile_fn profile,
                                                 void *state);

/* Sets tenon_context_options.timeout_ns for the runs to come. */
TENON_API tenon_status tenon_context_set_timeout(tenon_context *context,
                                                 int64_t timeout_ns);

/* Bytes of the arena, of the state and of the outputs the context holds. */
TENON_API uint64_t tenon_context_memory(const tenon_context *context);

/* Gives all state of the context its first values again. */
TENON_API tenon_status tenon_context_reset_state(tenon_context *context);

/* The memory of the context's state: tenon_model_desc.state_bytes bytes in
 * which each state lies at its offset. Between runs the caller may copy them,
 * to keep or to move what the context knows, and write them. It stays where it
 * is as long as the context lives; null: the model has no state. */
TENON_API void *tenon_context_state(tenon_context *context);

#ifdef __cplusplus
}
#endif

#endif /* TENON_RUNTIME_TENON_H */
