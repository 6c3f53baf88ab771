/* The binary interface between a compiled model and the runtime.
 *
 * A compiled model exports one constant `tenon_model_desc`; everything else is
 * reached from it. The runtime (or a generated header) fills a `tenon_call` and
 * calls the two entries of a function: `plan` computes output shapes and the
 * arena size, `run` computes the outputs. Neither allocates memory nor takes
 * locks, and neither has hidden state, except for the version that this machine
 * runs, which is found once.
 *
 * C11, also valid C++17. No type here changes its meaning within one
 * TENON_ABI_VERSION. */
#ifndef TENON_RUNTIME_TENON_ABI_H
#define TENON_RUNTIME_TENON_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_ABI_VERSION 8u

/* The first eight bytes of every descriptor ("TENON\0\0\1" little-endian). */
#define TENON_ABI_MAGIC UINT64_C(0x010000004e4f4e45)

typedef enum tenon_dtype {
  TENON_F32 = 1,
  TENON_F64 = 2,
  TENON_F16 = 3,
  TENON_BF16 = 4,
  TENON_I8 = 5,
  TENON_I16 = 6,
  TENON_I32 = 7,
  TENON_I64 = 8,
  TENON_U8 = 9,
  TENON_U16 = 10,
  TENON_U32 = 11,
  TENON_U64 = 12,
  TENON_BOOL = 13 /* one byte, 0 or 1 */
} tenon_dtype;

/* One extent of a tensor. A static extent has size >= 0 and min == max == size.
 * A dynamic extent has size -1 and a range. Dynamic extents with equal
 * non-empty names are equal at run time. */
typedef struct tenon_dim_desc {
  int64_t size;
  int64_t min;
  int64_t max;      /* INT64_MAX: no upper bound */
  int64_t multiple; /* 1: any value */
  const char *name; /* "" if it has no name */
} tenon_dim_desc;

/* Facts about an input, as bits of tenon_tensor_desc.flags. */
typedef enum tenon_input_flag {
  TENON_INPUT_OPTIONAL = 1 << 0, /* it has a default */
  TENON_INPUT_RANGE = 1 << 1,    /* its elements have bounds */
  TENON_INPUT_HOST = 1 << 2 /* host code reads its elements, in a plan or in
                               a device version */
} tenon_input_flag;

/* A bound of elements. */
typedef union tenon_number {
  int64_t integer; /* of i64 */
  double real;     /* of f32 and f64 */
} tenon_number;

typedef struct tenon_tensor_desc {
  const char *name;
  int32_t dtype; /* tenon_dtype */
  int32_t rank;
  const tenon_dim_desc *dims; /* rank entries */
  /* Outputs: nonzero if the extents are known only after `run`; `plan` then
   * gives upper bounds. */
  int32_t bounded;
  int32_t flags; /* bits of tenon_input_flag; outputs: 0 */
  /* The value of an input that a caller leaves out. A call has no optional
   * inputs: the caller puts the default in. Zero without TENON_INPUT_OPTIONAL.
   */
  const int64_t *default_dims; /* rank extents */
  const void *default_data;    /* dense; aligned to TENON_DEFAULT_ALIGNMENT */
  uint64_t default_bytes;      /* at most TENON_MAX_DEFAULT_BYTES */
  /* With TENON_INPUT_RANGE: every element is at least the one and at most the
   * other; NaN is not. The caller checks it. Zero otherwise. */
  tenon_number least;
  tenon_number greatest;
} tenon_tensor_desc;

#define TENON_DEFAULT_ALIGNMENT 8
#define TENON_MAX_DEFAULT_BYTES (UINT64_C(1) << 20)

/* Why a run stopped. Generated code writes it at most once per run: the first
 * writer wins. */
typedef struct tenon_fault {
  int32_t code;  /* 0: none; else a tenon_fault_code */
  int32_t site;  /* index into tenon_function_desc.sites */
  int64_t found; /* the offending value */
  int64_t low;   /* the allowed range [low, high] */
  int64_t high;
} tenon_fault;

typedef enum tenon_fault_code {
  TENON_FAULT_NONE = 0,
  TENON_FAULT_INDEX = 1,     /* an index is outside its axis */
  TENON_FAULT_SHAPE = 2,     /* a shape given as input values does not fit */
  TENON_FAULT_CANCELLED = 3, /* *call->cancel was seen nonzero */
  TENON_FAULT_CPU = 4,   /* no version runs here: found has the CPU's features,
                            low and high the features that the last version needs
                          */
  TENON_FAULT_VALUE = 5, /* an element is outside the range of its input: site
                            is the input, found the element. Reported by
                            generated headers, not by `plan` or `run` */
  TENON_FAULT_DEVICE = 6 /* a device call failed; the runtime knows why */
} tenon_fault_code;

/* A parallel body: handles the tasks [begin, end). */
typedef void (*tenon_task_fn)(void *args, int64_t begin, int64_t end);

/* Runs fn over [0, count), split in any way over any number of threads; returns
 * when all tasks are done. Any tasks may run at the same time or not. */
typedef void (*tenon_parallel_fn)(void *pool, tenon_task_fn fn, void *args,
                                  int64_t count);

/* Called for each kernel of a run, on the run's own thread: before it with
 * ended 0, after it with ended 1. `launch` is an index into
 * tenon_function_desc.launches. `flops` (operations on elements) and `bytes`
 * (of all tensors read and written) estimate the work of this launch. */
typedef void (*tenon_profile_fn)(void *state, int32_t launch, int32_t ended,
                                 int64_t flops, int64_t bytes);

typedef struct tenon_device_calls tenon_device_calls;

/* The arguments of one call. The caller owns all memory.
 *
 * In a plan everything is in host memory, and a device version reads only the
 * inputs with TENON_INPUT_HOST. In a run of a device version the data of
 * `inputs` and `outputs`, `arena`, `weights` and `state` are in the memory of
 * the device, and the last fields are set. */
typedef struct tenon_call {
  uint64_t struct_size;
  const void *const
      *inputs; /* num_inputs data pointers, each aligned to its element */
  const int64_t *const *input_dims; /* num_inputs arrays of rank extents */
  void *const *outputs;        /* num_outputs data pointers; not read by plan */
  int64_t *const *output_dims; /* num_outputs arrays of rank extents, written by
                                  plan (and by run where bounded) */
  void *arena; /* arena_bytes bytes, aligned to TENON_ARENA_ALIGNMENT; not read
                  by plan */
  uint64_t arena_bytes; /* written by plan */
  const void *weights;  /* the weight blob, aligned to TENON_WEIGHT_ALIGNMENT */
  tenon_parallel_fn parallel;
  void *pool;
  const volatile int32_t
      *cancel;              /* polled between and within kernels; may be null */
  tenon_fault fault;        /* zeroed by the caller */
  tenon_profile_fn profile; /* may be null; not called by plan */
  void *profile_state;
  int32_t variant; /* written by plan and by run: 0 for the code for all sizes,
                      else 1 + an index into the function's variants */
  int32_t version; /* 1 + an index into the model's versions; 0: plan and run
                      set it to the first version that this machine can run */
  void *state;     /* memory of the states, aligned to TENON_STATE_ALIGNMENT,
                      that keeps values from run to run; neither read nor
                      written by plan */
  const int64_t *extents; /* a size for each of tenon_model_desc.extents, the
                             same in all calls with one `state`; null if there
                             are none */
  const uint64_t *state_offsets; /* of each state, as tenon_lay_out_states gives
                                    them; may be null if there are no extents */
  const tenon_device_calls *device; /* null: a CPU version runs; not read by
                                       plan */
  void *device_state;               /* belongs to the functions in `device` */
  void *device_faults; /* device memory where kernels record faults: a zeroed
                          tenon_call, of which they use `fault` alone. The first
                          parameter of each kernel */
  const void *const *host_inputs; /* host addresses of the inputs with
                                     TENON_INPUT_HOST; null for others */
  const void *host_weights;       /* the weight blob in host memory */
  void *host_arena; /* arena_bytes bytes of host memory, aligned like `arena`. A
                       buffer that both sides use has one offset in both. Host
                       code touches only pages of buffers that it uses */
} tenon_call;

/* What host code of a device version asks of the device. Each function returns
 * 0, or 1 after it has set call->fault; the run then returns. Work is done in
 * the order of the calls. `to` and `from` are device addresses, `host` is a
 * host address. */
struct tenon_device_calls {
  uint64_t struct_size;
  /* Starts kernel number `kernel` of the version in `blocks` blocks; 0 blocks
   * start nothing. arguments[i] has the value of the kernel's parameter i in
   * its first bytes; they may change as soon as it returns. Polls call->cancel
   * before it starts a kernel. Calls call->profile before and after the kernel,
   * as for kernels of CPUs; `launch`, `flops` and `bytes` are those of
   * tenon_profile_fn. */
  int32_t (*launch)(tenon_call *call, int32_t kernel, int32_t launch,
                    int64_t blocks, const uint64_t *arguments, int64_t flops,
                    int64_t bytes);
  /* The two ranges must not overlap. */
  int32_t (*copy)(tenon_call *call, void *to, const void *from, uint64_t bytes);
  /* Waits for all work before it; the bytes are there when it returns. */
  int32_t (*read)(tenon_call *call, void *host, const void *from,
                  uint64_t bytes);
  /* The bytes at `host` may change as soon as it returns. */
  int32_t (*write)(tenon_call *call, void *to, const void *host,
                   uint64_t bytes);
};

#define TENON_ARENA_ALIGNMENT 64
#define TENON_STATE_ALIGNMENT 64
#define TENON_WEIGHT_ALIGNMENT 64

typedef struct tenon_kernel_desc {
  const char *name;  /* its symbol; with several versions, the part after the
                        version's prefix */
  const char *nodes; /* the model nodes it computes, separated by newlines */
} tenon_kernel_desc;

/* A place where a function launches a kernel. Equal layers share a kernel, but
 * each has its own launch. */
typedef struct tenon_launch_desc {
  const char *nodes; /* the model nodes of this launch, separated by newlines */
  int32_t kernel;    /* index into tenon_function_desc.kernels */
  int32_t reserved;
} tenon_launch_desc;

/* One extent and the size that a variant is compiled for. */
typedef struct tenon_size_desc {
  const char *dim; /* the name of the extent */
  int64_t size;
} tenon_size_desc;

/* Code of a function for certain sizes only. The function runs the first
 * variant whose sizes all match. */
typedef struct tenon_variant_desc {
  const char *name; /* "batch=1,seq=128" */
  const tenon_size_desc *sizes;
  int32_t num_sizes;
  int32_t reserved;
} tenon_variant_desc;

typedef struct tenon_function_desc {
  const char *name;
  int32_t num_inputs;
  int32_t num_outputs;
  const tenon_tensor_desc *inputs;
  const tenon_tensor_desc *outputs;
  /* Both return 0, or 1 with call->fault filled in. */
  int32_t (*plan)(tenon_call *call);
  int32_t (*run)(tenon_call *call);
  int32_t num_sites;
  int32_t num_kernels;
  const char *const *sites; /* the text of each fault site: node and operator */
  const tenon_kernel_desc *kernels;
  const tenon_launch_desc *launches;
  int32_t num_launches;
  int32_t num_variants;
  const tenon_variant_desc *variants;
} tenon_function_desc;

/* CPU features that a model needs, as bits of tenon_model_desc.cpu_features. */
typedef enum tenon_cpu_feature {
  TENON_CPU_SSE42 = 1 << 0,
  TENON_CPU_AVX = 1 << 1,
  TENON_CPU_AVX2 = 1 << 2,
  TENON_CPU_FMA = 1 << 3,
  TENON_CPU_F16C = 1 << 4,
  TENON_CPU_BMI2 = 1 << 5,
  TENON_CPU_AVX512F = 1 << 6,
  TENON_CPU_AVX512DQ = 1 << 7,
  TENON_CPU_AVX512BW = 1 << 8,
  TENON_CPU_AVX512VL = 1 << 9,
  TENON_CPU_AVX512CD = 1 << 10,
  TENON_CPU_AVX512VNNI = 1 << 11,
  TENON_CPU_AVX512BF16 = 1 << 12,
  TENON_CPU_AVX512FP16 = 1 << 13,
  TENON_CPU_AMX_TILE = 1 << 14,
  TENON_CPU_AMX_BF16 = 1 << 15,
  TENON_CPU_AMX_INT8 = 1 << 16,
  TENON_CPU_LZCNT = 1 << 17,
  TENON_CPU_MOVBE = 1 << 18,
  TENON_CPU_AVX512VBMI = 1 << 19,
  TENON_CPU_AVX512VBMI2 = 1 << 20,
  TENON_CPU_AVX512IFMA = 1 << 21,
  TENON_CPU_AVX512BITALG = 1 << 22,
  TENON_CPU_AVX512VPOPCNTDQ = 1 << 23,
  TENON_CPU_BMI = 1 << 24,
  TENON_CPU_GFNI = 1 << 25,
  TENON_CPU_VAES = 1 << 26,
  TENON_CPU_VPCLMULQDQ = 1 << 27,
  TENON_CPU_AVXVNNI = 1 << 28
} tenon_cpu_feature;

/* An extent of states that is chosen when a context is made. */
typedef struct tenon_extent_desc {
  const char *name;
  int64_t least; /* at least 0 */
  int64_t most;
  int64_t initial; /* the size in a context that chooses none */
} tenon_extent_desc;

/* A tensor that keeps its value between runs. */
typedef struct tenon_state_desc {
  const char *name;
  int32_t dtype; /* tenon_dtype */
  int32_t rank;
  /* rank entries: a size, or -1 - e for the model's extent number e */
  const int64_t *dims;
  uint64_t offset;  /* into the state's memory; TENON_STATE_OPEN if dims has
                       extents */
  uint64_t bytes;   /* 0 if dims has extents */
  uint64_t initial; /* offset of its initial value in the weight blob, or
                       TENON_STATE_ZERO if all bytes start as zero */
} tenon_state_desc;

#define TENON_STATE_OPEN UINT64_MAX

#define TENON_STATE_ZERO UINT64_MAX

typedef enum tenon_image_kind {
  TENON_IMAGE_PTX = 1,  /* text that a driver compiles, with a final 0 that
                           `bytes` counts */
  TENON_IMAGE_CUBIN = 2 /* machine code */
} tenon_image_kind;

/* All kernels of a device version, in one form. */
typedef struct tenon_image_desc {
  const char *architecture; /* what it is compiled for: "sm_80", "sm_90a" */
  int32_t capability;       /* of the architecture: 10 x major + minor */
  int32_t kind;             /* tenon_image_kind */
  int32_t exact; /* 1: runs on this capability alone, as sm_90a. 0: PTX runs
                    from this capability on, a cubin on this major from this
                    minor on */
  int32_t reserved;
  const void *data;
  uint64_t bytes;
} tenon_image_desc;

/* A kernel of a device version. */
typedef struct tenon_device_kernel_desc {
  const char *name;       /* its symbol in the images */
  int32_t threads;        /* of a block */
  int32_t shared_bytes;   /* dynamic shared memory of a block */
  int32_t num_parameters; /* at least 1 and at most TENON_MOST_PARAMETERS; none
                             is larger than 8 bytes */
  int32_t reserved;
} tenon_device_kernel_desc;

#define TENON_MOST_PARAMETERS 512

/* The part of a version that runs on a device. */
typedef struct tenon_device_desc {
  const char *kind; /* "nvptx": an NVIDIA GPU */
  int32_t num_images;
  int32_t num_kernels;
  const tenon_image_desc *images;
  const tenon_device_kernel_desc *kernels;
} tenon_device_desc;

/* Code of the whole model for one kind of CPU, or for a CPU and a device. */
typedef struct tenon_version_desc {
  const char *name; /* the CPU it is compiled for: "x86-64-v4"; of a device
                       version: the kind of device */
  uint64_t
      cpu_features;    /* bits of tenon_cpu_feature that its host code needs */
  uint64_t code_bytes; /* size of its functions' code; 0: unknown */
  const tenon_device_desc *device; /* null: a version for CPUs alone */
} tenon_version_desc;

typedef struct tenon_model_desc {
  uint64_t magic;       /* TENON_ABI_MAGIC */
  uint32_t abi_version; /* TENON_ABI_VERSION */
  uint32_t struct_size; /* sizeof(tenon_model_desc) */
  const char *name;
  const char *source;    /* the model file's base name and hash, for people */
  const char *compiler;  /* "tenon 0.1.0" */
  const char *target;    /* triple and CPU, for people */
  uint64_t cpu_features; /* needed by every version */
  uint64_t weight_bytes; /* size of the blob; 0: no weights */
  uint64_t weight_hash;  /* XXH64 (seed 0) of the blob: runtime/xxh64.h */
  const void *weights; /* embedded blob, or null if the weights are in a file */
  const char
      *weight_file; /* base name of the safetensors file, or null; the blob is
                       its data section, see runtime/tenon_note.h */
  int32_t num_functions;
  int32_t num_states;
  const tenon_function_desc *functions;
  const tenon_state_desc
      *states;          /* sorted by offset; no two overlap; those with
                           extents come last and have zeros first */
  uint64_t state_bytes; /* size of the memory of states without extents; 0: no
                           such states */
  /* At least one; versions for CPUs come first. A machine runs the first
   * version for CPUs whose features it has, and a device version only if it is
   * asked to. The last version for CPUs needs exactly cpu_features; if there is
   * none, the last device version does. */
  const tenon_version_desc *versions;
  int32_t num_versions;
  int32_t num_extents;
  const tenon_extent_desc *extents;
} tenon_model_desc;

/* The size of dimension `dim` of a state in a context with these extents. */
static inline int64_t tenon_state_dim(const tenon_state_desc *state,
                                      int32_t dim, const int64_t *extents) {
  int64_t size = state->dims[dim];
  return size < 0 ? extents[-1 - size] : size;
}

/* Places the states of a context with these extents. A state with extents
 * begins at the next multiple of TENON_STATE_ALIGNMENT after the state before
 * it. Writes the offset of each state and returns the bytes of all. Returns
 * UINT64_MAX if an extent is outside its range or the bytes exceed INT64_MAX.
 */
static inline uint64_t tenon_lay_out_states(const tenon_model_desc *desc,
                                            const int64_t *extents,
                                            uint64_t *offsets) {
  static const unsigned char element[] = {1, 4, 8, 2, 2, 1, 2,
                                          4, 8, 1, 2, 4, 8, 1};
  uint64_t end = desc->state_bytes;
  int32_t i, d;
  for (i = 0; i < desc->num_extents; ++i)
    if (extents[i] < desc->extents[i].least ||
        extents[i] > desc->extents[i].most)
      return UINT64_MAX;
  for (i = 0; i < desc->num_states; ++i) {
    const tenon_state_desc *state = &desc->states[i];
    uint64_t bytes = element[state->dtype];
    offsets[i] = state->offset;
    if (state->offset != TENON_STATE_OPEN)
      continue;
    end = (end + TENON_STATE_ALIGNMENT - 1) / TENON_STATE_ALIGNMENT *
          TENON_STATE_ALIGNMENT;
    offsets[i] = end;
    for (d = 0; d < state->rank; ++d) {
      uint64_t size = (uint64_t)tenon_state_dim(state, d, extents);
      if (size != 0 && bytes > INT64_MAX / size)
        return UINT64_MAX;
      bytes *= size;
    }
    if (bytes > INT64_MAX - TENON_STATE_ALIGNMENT - end)
      return UINT64_MAX;
    end += bytes;
  }
  return end;
}

/* The first of `count` elements at `data` that is outside the range of the
 * input, or -1. */
static inline int64_t tenon_find_outside(const tenon_tensor_desc *input,
                                         const void *data, uint64_t count) {
  uint64_t i;
  for (i = 0; i < count && (input->flags & TENON_INPUT_RANGE) != 0; ++i) {
    if (input->dtype == TENON_I64) {
      int64_t value = ((const int64_t *)data)[i];
      if (value < input->least.integer || value > input->greatest.integer)
        return (int64_t)i;
    } else {
      double value = input->dtype == TENON_F32
                         ? (double)((const float *)data)[i]
                         : ((const double *)data)[i];
      /* Written so that NaN is outside. */
      if (!(value >= input->least.real && value <= input->greatest.real))
        return (int64_t)i;
    }
  }
  return -1;
}

#ifdef __cplusplus
#define TENON_ABI_ASSERT(condition, message) static_assert(condition, message)
#else
#define TENON_ABI_ASSERT(condition, message) _Static_assert(condition, message)
#endif
TENON_ABI_ASSERT(sizeof(tenon_dim_desc) == 40, "tenon_dim_desc changed size");
TENON_ABI_ASSERT(sizeof(tenon_number) == 8, "tenon_number changed size");
TENON_ABI_ASSERT(sizeof(tenon_tensor_desc) == 72,
                 "tenon_tensor_desc changed size");
TENON_ABI_ASSERT(offsetof(tenon_tensor_desc, default_dims) == 32,
                 "tenon_tensor_desc changed");
TENON_ABI_ASSERT(sizeof(tenon_fault) == 32, "tenon_fault changed size");
TENON_ABI_ASSERT(sizeof(tenon_call) == 216, "tenon_call changed size");
TENON_ABI_ASSERT(offsetof(tenon_call, device) == 168, "tenon_call changed");
TENON_ABI_ASSERT(sizeof(tenon_device_calls) == 40,
                 "tenon_device_calls changed size");
TENON_ABI_ASSERT(sizeof(tenon_kernel_desc) == 16,
                 "tenon_kernel_desc changed size");
TENON_ABI_ASSERT(sizeof(tenon_launch_desc) == 16,
                 "tenon_launch_desc changed size");
TENON_ABI_ASSERT(sizeof(tenon_size_desc) == 16, "tenon_size_desc changed size");
TENON_ABI_ASSERT(sizeof(tenon_variant_desc) == 24,
                 "tenon_variant_desc changed size");
TENON_ABI_ASSERT(sizeof(tenon_function_desc) == 96,
                 "tenon_function_desc changed size");
TENON_ABI_ASSERT(sizeof(tenon_extent_desc) == 32,
                 "tenon_extent_desc changed size");
TENON_ABI_ASSERT(sizeof(tenon_state_desc) == 48,
                 "tenon_state_desc changed size");
TENON_ABI_ASSERT(sizeof(tenon_image_desc) == 40,
                 "tenon_image_desc changed size");
TENON_ABI_ASSERT(sizeof(tenon_device_kernel_desc) == 24,
                 "tenon_device_kernel_desc changed size");
TENON_ABI_ASSERT(sizeof(tenon_device_desc) == 32,
                 "tenon_device_desc changed size");
TENON_ABI_ASSERT(sizeof(tenon_version_desc) == 32,
                 "tenon_version_desc changed size");
TENON_ABI_ASSERT(sizeof(tenon_model_desc) == 144,
                 "tenon_model_desc changed size");

#ifdef __cplusplus
}
#endif

#endif /* TENON_RUNTIME_TENON_ABI_H */
