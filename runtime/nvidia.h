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

enum {
  TENON_GPU_NAME = 96,
  TENON_GPU_MARKS = 2,
  TENON_GPU_GRAPHS = 8, /* that a context keeps */
  TENON_GPU_SIGHTINGS = 16
};

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

/* A piece of work: a kernel, a copy or a fill of device memory, or a copy of
 * pinned host memory to the device. */
typedef enum tenon_gpu_kind {
  TENON_GPU_KERNEL,
  TENON_GPU_COPY,
  TENON_GPU_WRITE,
  TENON_GPU_FILL_BYTE,
  TENON_GPU_FILL_WORD
} tenon_gpu_kind;

typedef struct tenon_gpu_item {
  tenon_gpu_kind kind;
  int32_t kernel;         /* its number; 0: no kernel */
  uint32_t blocks;        /* of a kernel */
  uint32_t value;         /* of a fill */
  int32_t first_argument; /* of a kernel, among the list's */
  nv_pointer to;
  uint64_t from;  /* device address of a copy, host address of a write */
  uint64_t bytes; /* of a copy and a write */
} tenon_gpu_item;

/* Work in its order. */
typedef struct tenon_gpu_list {
  tenon_gpu_item *items;
  uint64_t *arguments;
  int32_t count, room;
  int32_t num_arguments, argument_room;
  uint64_t hash; /* of the kinds and kernels */
  int64_t time;  /* estimated nanoseconds on a small GPU */
} tenon_gpu_list;

/* A list that the driver has as a graph: a chain of nodes, one an item. */
typedef struct tenon_gpu_graph {
  tenon_gpu_list list; /* with the parameters that the nodes have */
  nv_graph graph;
  nv_graph_exec exec; /* null: no graph */
  nv_graph_node *nodes;
  int32_t node_room;
  uint64_t used; /* number of the last list that it did */
} tenon_gpu_graph;

/* A list that has been done: its hash, and its number. */
typedef struct tenon_gpu_sighting {
  uint64_t hash, when;
} tenon_gpu_sighting;

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
  /* What the run has asked for and what has not started. */
  tenon_gpu_list list;
  int is_listing;    /* 0: the run starts all work at once */
  int has_no_graphs; /* making one has failed */
  tenon_gpu_graph graphs[TENON_GPU_GRAPHS];
  tenon_gpu_sighting sightings[TENON_GPU_SIGHTINGS];
  uint64_t lists;    /* how many have been done */
  void **parameters; /* addresses of one kernel's arguments */
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
/* As tenon_gpu_enter, to free what is on a device that may be lost. */
int tenon_gpu_enter_to_free(tenon_gpu *gpu);

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

/* Begins the run's list. */
void tenon_gpu_begin_list(tenon_context *context, int is_profiled);
/* Adds an item that takes about `time` nanoseconds; arguments are those of a
 * kernel. It starts with its list. */
tenon_status tenon_gpu_add(tenon_context *context, tenon_gpu_item item,
                           const uint64_t *arguments, int64_t time);
/* Starts all that was added. */
tenon_status tenon_gpu_submit(tenon_context *context, tenon_text *text);
/* Forgets all that was added and has not started. */
void tenon_gpu_drop_list(tenon_context *context);
void tenon_gpu_free_list(tenon_gpu_list *list);
/* Copies all but the estimated time. Returns 0 if memory is out. */
int tenon_gpu_copy_list(tenon_gpu_list *to, const tenon_gpu_list *from);
/* How many arguments an item has. */
int32_t tenon_gpu_count_arguments(const tenon_gpu *gpu,
                                  const tenon_gpu_item *item);
/* Makes context->gpu->parameters point to a kernel's arguments, and returns
 * it. */
void **tenon_gpu_point_to(tenon_context *context, const tenon_gpu_item *item,
                          const uint64_t *arguments);

/* A graph with the list's work, or null if the list is to start item by item.
 */
tenon_gpu_graph *tenon_gpu_graph_of(tenon_context *context);
/* Destroys the graphs; the stream must be idle. */
void tenon_gpu_destroy_graphs(tenon_context *context);
void tenon_gpu_free_graphs(tenon_context *context);

/* Waits for the stream. What waited in the passage has passed; nothing may be
 * on the list. */
tenon_status tenon_gpu_wait(tenon_context *context, const char *what,
                            tenon_text *text);

extern const tenon_device_calls tenon_gpu_calls;

#endif /* TENON_RUNTIME_NVIDIA_H */
