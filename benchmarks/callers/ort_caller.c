/* ONNX Runtime, called through its C API. Arguments: LIBRARY MODEL THREADS
 * MANIFEST.
 *
 * The library is opened by path, because the npm package that contains it has
 * no header. Its API is a table of functions with fixed positions; the few
 * functions used here are named with their positions. Inputs and outputs are
 * bound once to the caller's buffers: a call copies and allocates nothing
 * beyond what ONNX Runtime itself does. */
#include "caller.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum {
  API_VERSION = 16,
  GET_ERROR_MESSAGE = 2,
  CREATE_ENV = 3,
  CREATE_SESSION = 7,
  RUN = 9,
  CREATE_SESSION_OPTIONS = 10,
  SET_SESSION_GRAPH_OPTIMIZATION_LEVEL = 23,
  SET_INTRA_OP_NUM_THREADS = 24,
  SET_INTER_OP_NUM_THREADS = 25,
  CREATE_TENSOR_WITH_DATA = 49,
  CREATE_CPU_MEMORY_INFO = 69,
};

/* An opaque object of ONNX Runtime. */
typedef struct ort_thing ort_thing;

typedef struct ort_api_base {
  void *const *(*get_api)(uint32_t version);
  const char *(*get_version)(void);
} ort_api_base;

static void *const *api;

/* The function at a position of the table. */
#define ORT(place, ...) ((ort_thing * (*)(__VA_ARGS__)) api[place])

static void check(ort_thing *status, const char *what) {
  if (status)
    fail(what, ((const char *(*)(ort_thing *))api[GET_ERROR_MESSAGE])(status));
}

static ort_thing *session;
static const char *input_names[MAX_TENSORS], *output_names[MAX_TENSORS];
static ort_thing *inputs[MAX_TENSORS], *outputs[MAX_TENSORS];

/* The ONNX number of an element type. */
static int onnx_type(const char *type) {
  static const char *const names[] = {
      "",      "float32", "uint8", "int8",    "uint16",  "int16",  "int32",
      "int64", "",        "bool",  "float16", "float64", "uint32", "uint64"};
  for (int i = 1; i < (int)(sizeof names / sizeof *names); ++i)
    if (strcmp(names[i], type) == 0)
      return i;
  fail("manifest: unknown element type", type);
}

static void bind(call_tensor *from, int count, ort_thing *memory,
                 const char **names, ort_thing **values) {
  for (int i = 0; i < count; ++i, ++from) {
    names[i] = from->name;
    check(ORT(CREATE_TENSOR_WITH_DATA, ort_thing *, void *, size_t,
              const int64_t *, size_t, int, ort_thing **)(
              memory, from->data, from->bytes, from->dims, (size_t)from->rank,
              onnx_type(from->type), &values[i]),
          from->name);
  }
}

static void call(void *state) {
  const call_tensors *tensors = state;
  check(ORT(RUN, ort_thing *, ort_thing *, const char *const *,
            ort_thing *const *, size_t, const char *const *, size_t,
            ort_thing **)(session, NULL, input_names, inputs,
                          (size_t)tensors->num_inputs, output_names,
                          (size_t)tensors->num_outputs, outputs),
        "Run");
}

int main(int argc, char **argv) {
  if (argc != 5)
    fail("usage", "ort_caller LIBRARY MODEL THREADS MANIFEST");
  static call_tensors tensors;
  read_tensors(argv[4], &tensors);
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    fail(argv[1], dlerror());
  const ort_api_base *(*base)(void) =
      (const ort_api_base *(*)(void))dlsym(library, "OrtGetApiBase");
  if (!base || !(api = base()->get_api(API_VERSION)))
    fail(argv[1], "has no C API of the version wanted");

  ort_thing *env, *options, *memory;
  check(ORT(CREATE_ENV, int, const char *, ort_thing **)(3, "bench", &env),
        "CreateEnv");
  check(ORT(CREATE_SESSION_OPTIONS, ort_thing **)(&options),
        "CreateSessionOptions");
  check(
      ORT(SET_SESSION_GRAPH_OPTIMIZATION_LEVEL, ort_thing *, int)(options, 99),
      "SetSessionGraphOptimizationLevel");
  check(ORT(SET_INTRA_OP_NUM_THREADS, ort_thing *, int)(options, atoi(argv[3])),
        "SetIntraOpNumThreads");
  check(ORT(SET_INTER_OP_NUM_THREADS, ort_thing *, int)(options, 1),
        "SetInterOpNumThreads");
  check(ORT(CREATE_SESSION, ort_thing *, const char *, ort_thing *,
            ort_thing **)(env, argv[2], options, &session),
        "CreateSession");
  check(ORT(CREATE_CPU_MEMORY_INFO, int, int, ort_thing **)(0, 0, &memory),
        "CreateCpuMemoryInfo");
  bind(tensors.inputs, tensors.num_inputs, memory, input_names, inputs);
  bind(tensors.outputs, tensors.num_outputs, memory, output_names, outputs);
  serve(&tensors, call, &tensors);
}
