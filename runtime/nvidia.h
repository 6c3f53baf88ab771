/* Runs of a device version on an NVIDIA GPU. A model has one tenon_gpu: its
 * kernels and weights on the device. A context has one tenon_gpu_context: a
 * stream and the memory of one run.
 *
 * Every call of the driver is made between tenon_gpu_enter and tenon_gpu_leave,
 * on one thread. */
#ifndef TENON_RUNTIME_NVIDIA_H
#define TENON_RUNTIME_NVIDIA_H

#include "model.h"
#include "nvidia_driver.h"

enum { TENON_GPU_NAME = 96, TENON_GPU_MARKS = 2 };

struct tenon_gpu {
  tenon_nvidia_driver driver;
  const tenon_device_desc *desc;
  int32_t ordinal;
  nv_device device;
  nv_context context; /* the device's primary context, shared with the host's
                         own use of CUDA; null: not retained */
  char name[TENON_GPU_NAME];
  int32_t capability;
  int32_t shared_bytes; /* the most a block may have */
  nv_module module;
  nv_function *kernels;
  nv_pointer weights;
  /* The error that ended all use of the device in this process; 0: none. */
  _Atomic nv_result lost;
};

/* Device memory that grows like a tenon_region. */
typedef struct tenon_gpu_region {
  nv_pointer address;
  uint64_t bytes;
} tenon_gpu_region;

struct tenon_gpu_context {
  nv_stream stream;
  /* The host waits at one mark before it sets the next: that many windows of
   * work are in the stream at most, so that a cancelled run ends soon. */
  nv_event marks[TENON_GPU_MARKS];
  int32_t next_mark;
  int is_marked[TENON_GPU_MARKS];
  int64_t window; /* estimated nanoseconds of work since the last mark */
  tenon_gpu_region arena, state, staging, faults;
  tenon_gpu_region *owned; /* one for each output */
  tenon_region host_arena;
  tenon_region *values; /* host copies of inputs that lie on the device */
  /* Pinned memory that writes pass through, and how much of it waits. */
  char *passage;
  uint64_t passing;
  /* Tables of one call. */
  const void **inputs; /* device addresses */
  const void **host_inputs;
  void **outputs;
  uint64_t *input_bytes;
  /* The record that kernels wrote, and why a device call failed. */
  tenon_fault fault;
  int has_old_fault; /* the record on the device is not zero */
  tenon_status status;
};

/* The best image of a kind for a device of this capability, or null. */
const tenon_image_desc *tenon_choose_image(const tenon_device_desc *device,
                                           int32_t capability,
                                           tenon_image_kind kind);

/* Opens device `ordinal` and loads the kernels of `desc`. *gpu is null
 * afterwards if it fails. */
tenon_status tenon_gpu_open(tenon_gpu **gpu, const tenon_device_desc *desc,
                            int32_t ordinal, tenon_text *text);
/* Copies the weights to the device. */
tenon_status tenon_gpu_upload(tenon_gpu *gpu, const void *weights,
                              uint64_t bytes, tenon_text *text);
void tenon_gpu_close(tenon_gpu *gpu);

/* Makes the device current on this thread. Fails if the device is lost. */
tenon_status tenon_gpu_enter(tenon_gpu *gpu, tenon_text *text);
void tenon_gpu_leave(tenon_gpu *gpu);

/* Turns a driver's result into a status; `what` is its object, such as "the
 * arena". A null text is not written to. */
tenon_status tenon_gpu_check(tenon_gpu *gpu, tenon_text *text,
                             const char *function, const char *what,
                             nv_result result);
#define TENON_GPU_CALL(gpu, text, what, function, ...)                         \
  tenon_gpu_check(gpu, text, #function, what,                                  \
                  (gpu)->driver.function(__VA_ARGS__))

/* Makes at least `bytes` bytes usable; growing loses the contents. */
tenon_status tenon_gpu_reserve(tenon_gpu *gpu, tenon_gpu_region *region,
                               uint64_t bytes, const char *what,
                               tenon_text *text);
void tenon_gpu_free(tenon_gpu *gpu, tenon_gpu_region *region);

/* The context's part on the device. Its state is allocated, but not set. */
tenon_status tenon_gpu_context_create(tenon_context *context, tenon_text *text);
void tenon_gpu_context_destroy(tenon_context *context);
uint64_t tenon_gpu_context_memory(const tenon_context *context);

/* Sets all state to its initial values, and waits. */
tenon_status tenon_gpu_reset_state(tenon_context *context, tenon_text *text);

/* Fails with TENON_BAD_INPUT, without a text, if the data are not in the memory
 * of the device. */
tenon_status tenon_gpu_check_address(tenon_context *context, const void *data);
/* Copies an input that lies on the device to host memory of the context. */
tenon_status tenon_gpu_read_input(tenon_context *context, int32_t input,
                                  const void *data, uint64_t bytes,
                                  const void **host);
/* The bytes of device memory that inputs and outputs in host memory need. */
uint64_t tenon_gpu_staging_bytes(const tenon_context *context,
                                 const tenon_function *function);

/* Runs the planned call: copies the inputs, calls the model, waits and copies
 * the outputs. Returns nonzero with a fault in the call. */
int32_t tenon_gpu_run(tenon_context *context, const tenon_function *function,
                      tenon_call *call);

/* Waits for the stream. What waited in the passage has passed. */
tenon_status tenon_gpu_wait(tenon_context *context, const char *what,
                            tenon_text *text);

extern const tenon_device_calls tenon_gpu_calls;

#endif /* TENON_RUNTIME_NVIDIA_H */
