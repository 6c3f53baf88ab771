/* The public C API of the Tenon runtime: opens a compiled model, describes it
 * and runs it. C11, also valid C++17; needs libc and threads only.
 *
 * Ownership has one rule: the caller owns every buffer it passes; memory that
 * the runtime hands out belongs to a context and is valid until that context's
 * next run. Nothing here prints, exits, installs signal handlers or keeps
 * global state that a host could notice. */
#ifndef TENON_RUNTIME_TENON_H
#define TENON_RUNTIME_TENON_H

#include "tenon_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TENON_API
#define TENON_API __attribute__((visibility("default")))
#endif

/* The result of a call. The values are the exit codes of the command line,
 * where TENON_NO_DEVICE is 7. */
typedef enum tenon_status {
  TENON_OK = 0,
  TENON_FAILED = 1,       /* a diagnosed reason that no other value names */
  TENON_USAGE = 2,        /* command line only */
  TENON_INVALID = 3,      /* command line only: an invalid model or data file */
  TENON_UNSUPPORTED = 4,  /* valid, but uses an unsupported feature */
  TENON_LIMIT = 5,        /* out of memory, or beyond a limit that was set */
  TENON_IO = 6,           /* a file could not be opened, read or mapped */
  TENON_BAD_ARTIFACT = 7, /* damaged, of another ABI, or not for this host */
  TENON_BAD_INPUT = 8,    /* an argument, a tensor or a value is wrong */
  TENON_DIFFERS = 9,      /* command line only: results differ */
  TENON_CANCELLED = 10,   /* cancelled, or past the deadline */
  TENON_NO_DEVICE = 11, /* the device that was asked for is not here, or cannot
                           run the model */
  TENON_INTERNAL = 70   /* a bug of Tenon */
} tenon_status;

typedef struct tenon_model tenon_model;
typedef struct tenon_context tenon_context;

/* How the weights are brought into memory. */
typedef enum tenon_weights_mode {
  TENON_WEIGHTS_AUTO = 0, /* copied if that makes runs faster: from 4 MiB on */
  TENON_WEIGHTS_COPY = 1, /* read into our own memory, on huge pages if the
                             system has them; later changes of the file have
                             no effect */
  TENON_WEIGHTS_MAP = 2   /* mapped privately, read on first access, shared with
                             other processes */
} tenon_weights_mode;

/* Options of tenon_open and tenon_open_desc. Set struct_size to
 * sizeof(tenon_open_options). In every other field zero means the default. */
typedef struct tenon_open_options {
  size_t struct_size;
  /* Buffer for the reason of a failure, as text that ends with NUL. */
  char *error_text;
  size_t error_text_bytes;
  /* Number of threads of the built-in pool, including the caller. 0: one for
   * each CPU the process may use. */
  int32_t threads;
  int32_t weights_mode; /* tenon_weights_mode */
  /* The weight file, or the folder that holds it. Null: the place beside the
   * artifact. */
  const char *weights_path;
  /* Nonzero: verify the hash of the weights too. Code and tables are always
   * verified. */
  int32_t verify_weights;
  /* Nonzero: open only for tenon_describe. The CPU is not checked, weights are
   * not loaded, and no context can be created. */
  int32_t describe_only;
  /* The host's own thread pool, used instead of the built-in one. */
  tenon_parallel_fn parallel;
  void *parallel_pool;
  /* Nonzero: treat CPU features outside this mask as absent. For tests of an
   * artifact's behaviour on a smaller machine. */
  uint64_t cpu_feature_mask;
  /* Where the model runs. Null, "" or "cpu": on the CPU. "cuda" or "cuda:N": on
   * the NVIDIA GPU 0 or N, by the artifact's device version. One never
   * replaces the other. */
  const char *device;
} tenon_open_options;

/* Where the data of a tensor lie. */
typedef enum tenon_place {
  TENON_ON_HOST = 0,
  TENON_ON_DEVICE = 1 /* in the memory of the model's device */
} tenon_place;

/* The size that a context has for one of tenon_model_desc.extents. */
typedef struct tenon_extent {
  const char *name;
  int64_t size;
} tenon_extent;

/* Options of tenon_context_create. In every field but struct_size zero means
 * the default. */
typedef struct tenon_context_options {
  size_t struct_size;
  char *error_text;
  size_t error_text_bytes;
  /* The most bytes the context may use for its state, the arena of a run, the
   * outputs it owns and, on a device, copies of tensors in host memory. 0: no
   * limit. */
  uint64_t memory_limit;
  /* A run that takes longer than this ends with TENON_CANCELLED. 0: no limit.
   * */
  int64_t timeout_ns;
  /* Sizes of context extents, each at most once. An extent that is not named
   * has its default. */
  const tenon_extent *extents;
  size_t num_extents;
} tenon_context_options;

/* An argument of tenon_run: a dense row-major tensor. Set struct_size to
 * sizeof(tenon_tensor). */
typedef struct tenon_tensor {
  size_t struct_size;
  /* The name of the input or output. Null: the input or output at this
   * position. */
  const char *name;
  int32_t dtype; /* tenon_dtype. 0 is allowed for outputs: the run sets it. An
                    optional input with dtype 0 and null data is left out */
  int32_t rank;  /* of an output: written by the run */
  /* Input: `rank` extents. Output: null, and the run sets it to memory of the
   * context; or room for the extents, whose number is given in `rank` and must
   * be the output's rank. The run writes the extents. */
  int64_t *dims;
  /* Input: aligned to its element; may be null if it has no bytes. Output: the
   * caller's buffer. If it is null, or the pointer that the last run stored
   * here, the context provides the buffer. */
  void *data;
  /* The size of the buffer at `data`. The run writes it if the context owns the
   * buffer. */
  size_t bytes;
  /* tenon_place: where `data` lies; for an output that the context shall
   * provide, where it shall lie. A model on a device takes both: it copies
   * tensors from and to host memory, and uses those on the device where they
   * are. The caller waits for its own work on these before the run; the run has
   * ended when it returns. */
  int32_t device;
} tenon_tensor;

/* Facts about an open model that are not in its descriptor. */
typedef struct tenon_model_info {
  size_t struct_size;
  const char *path;         /* resolved path of the artifact; null: embedded */
  const char *weights_path; /* of the weight file; null: embedded or none */
  uint64_t weight_bytes;
  uint64_t artifact_hash; /* as sealed in the file; 0: embedded */
  uint64_t cpu_features;  /* bits of tenon_cpu_feature that are needed */
  int32_t threads;        /* the most threads that work on one run */
  int32_t weights_copied;
  const char *version; /* of the code that runs here; null: describe_only */
  const char *device; /* the device's own name, such as "NVIDIA H100"; null: the
                         model runs on the CPU */
} tenon_model_info;

/* The ABI this runtime implements: TENON_ABI_VERSION of its build. */
TENON_API uint32_t tenon_abi_version(void);

/* A few words for the status, never null. */
TENON_API const char *tenon_status_name(tenon_status status);

/* "f32", "i64", ...; "?" for a value outside tenon_dtype. */
TENON_API const char *tenon_dtype_name(int32_t dtype);

/* Bytes of one element; 0 for a value outside tenon_dtype. */
TENON_API size_t tenon_dtype_bytes(int32_t dtype);

/* The CPU features that this host has and its operating system enables. */
TENON_API uint64_t tenon_host_cpu_features(void);

/* The name of one bit of tenon_cpu_feature, or null. */
TENON_API const char *tenon_cpu_feature_name(uint64_t bit);

/* Opens the artifact at `path`, a shared object made by Tenon. Size, hash,
 * ABI and CPU features are checked before anything in it is loaded. `options`
 * may be null. On failure *model is null. */
TENON_API tenon_status tenon_open(const char *path,
                                  const tenon_open_options *options,
                                  tenon_model **model);

/* Opens a model that is linked into the program; otherwise as tenon_open.
 * `desc` must outlive the model. */
TENON_API tenon_status tenon_open_desc(const tenon_model_desc *desc,
                                       const tenon_open_options *options,
                                       tenon_model **model);

/* Unloads the model. Fails with TENON_BAD_INPUT, and does nothing, while the
 * model has contexts. Null is allowed. */
TENON_API tenon_status tenon_close(tenon_model *model);

/* The model's tables: name, source, target, functions, inputs, outputs, extents
 * with names and ranges. Valid as long as the model is open. */
TENON_API const tenon_model_desc *tenon_describe(const tenon_model *model);

/* The function called `name`; null if there is none. A null name means the
 * first function. */
TENON_API const tenon_function_desc *
tenon_find_function(const tenon_model *model, const char *name);

/* Fills `info`. The caller sets its struct_size. */
TENON_API tenon_status tenon_get_model_info(const tenon_model *model,
                                            tenon_model_info *info);

/* Describes the value that the input called `input` of `function` (null: the
 * first) has in a run that leaves it out: its dtype, rank, extents, data and
 * bytes. Set the struct_size of `value`. Its memory belongs to the model and
 * must not be changed. Fails with TENON_BAD_INPUT if there is no such input, or
 * if every run must give it. */
TENON_API tenon_status tenon_get_default(const tenon_model *model,
                                         const char *function,
                                         const char *input,
                                         tenon_tensor *value);

/* The least and the greatest value that elements of an input may have: integers
 * if its dtype is i64, otherwise real numbers. Fails with TENON_BAD_INPUT if
 * there is no such input, or if every value is allowed. */
TENON_API tenon_status tenon_get_range(const tenon_model *model,
                                       const char *function, const char *input,
                                       tenon_number *least,
                                       tenon_number *greatest);

/* Counts the runs of `function` (null: the first) that have succeeded since the
 * model was opened, in all contexts. calls[0] counts runs of the code for all
 * sizes, calls[1 + i] those of the function's variants[i]. `count` must be 1 +
 * num_variants. */
TENON_API tenon_status tenon_get_calls(const tenon_model *model,
                                       const char *function, uint64_t *calls,
                                       size_t count);

/* Creates a context, which holds the memory of one run at a time. Create one
 * for each run that shall be active at once. `options` may be null. */
TENON_API tenon_status
tenon_context_create(tenon_model *model, const tenon_context_options *options,
                     tenon_context **context);

/* Destroys the context. Fails with TENON_BAD_INPUT while a run is active. Null
 * is allowed. */
TENON_API tenon_status tenon_context_destroy(tenon_context *context);

/* The reason why this thread's last call on the context failed; "" after
 * success. The first line is the cause, further lines give facts. A line that
 * starts with "help: " says what to do. Valid until the next call on the
 * context. */
TENON_API const char *tenon_context_text(const tenon_context *context);

/* Runs `function` (null: the first). All inputs and outputs must be given,
 * except that an optional input has its default if no tensor is given for it,
 * or a tensor with dtype 0 and null data. On failure the contents of output
 * buffers are unspecified, and the context is ready for the next run. A run
 * that is refused before it begins changes no state. After a run that fails
 * later each state has its value from before the run, a value that the run has
 * written, or parts of both. */
TENON_API tenon_status tenon_run(tenon_context *context, const char *function,
                                 const tenon_tensor *inputs, size_t num_inputs,
                                 tenon_tensor *outputs, size_t num_outputs);

/* Computes what a run with these inputs would need: dtype, rank, dims and bytes
 * of the outputs (upper bounds if the output is `bounded`), and the size of the
 * arena (arena_bytes may be null). The outputs' data are neither read nor
 * changed. */
TENON_API tenon_status tenon_plan(tenon_context *context, const char *function,
                                  const tenon_tensor *inputs, size_t num_inputs,
                                  tenon_tensor *outputs, size_t num_outputs,
                                  uint64_t *arena_bytes);

/* Ends the current run, or the next one if none is active, with TENON_CANCELLED
 * after its current kernel. May be called from any thread. */
TENON_API void tenon_cancel(tenon_context *context);

/* Calls `profile` before and after each kernel of later runs; null: no calls.
 * It may call tenon_cancel, but no other function of the context. */
TENON_API tenon_status tenon_context_set_profile(tenon_context *context,
                                                 tenon_profile_fn profile,
                                                 void *state);

/* Sets tenon_context_options.timeout_ns for later runs. */
TENON_API tenon_status tenon_context_set_timeout(tenon_context *context,
                                                 int64_t timeout_ns);

/* Bytes that the context holds: arena, state and outputs; on a device also
 * copies of tensors in host memory. The system gives a state of zeros memory
 * when it is first written. */
TENON_API uint64_t tenon_context_memory(const tenon_context *context);

/* Sets all state of the context to its initial values. */
TENON_API tenon_status tenon_context_reset_state(tenon_context *context);

/* The memory of the context's state: tenon_context_state_bytes bytes in which
 * each state lies at its offset. Between runs the caller may copy these bytes,
 * to save or move the context's state to a context with the same extents, and
 * may write them. The pointer is valid as long as the context lives. Null if
 * the model has no state. If the model runs on a device, the memory is the
 * device's. */
TENON_API void *tenon_context_state(tenon_context *context);
TENON_API uint64_t tenon_context_state_bytes(const tenon_context *context);

/* Writes the sizes that the context has for the model's extents, in their
 * order. `count` must be tenon_model_desc.num_extents. */
TENON_API tenon_status tenon_context_get_extents(const tenon_context *context,
                                                 int64_t *sizes, size_t count);

/* Describes the state called `name` in this context: its dtype, rank, extents,
 * memory and bytes. Set the struct_size of `state`. Extents and memory belong
 * to the context. Fails if there is no such state. */
TENON_API tenon_status tenon_context_find_state(const tenon_context *context,
                                                const char *name,
                                                tenon_tensor *state);

#ifdef __cplusplus
}
#endif

#endif /* TENON_RUNTIME_TENON_H */
