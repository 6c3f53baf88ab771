/* Opens ONNX Runtime and makes tensors and runs by its table of functions. */
#include "ort.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

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
  RELEASE_VALUE = 96,
};

typedef struct ort_api_base {
  void *const *(*get_api)(uint32_t version);
  const char *(*get_version)(void);
} ort_api_base;

static void *const *api;

/* The function at a position of the table. */
#define ORT(place, ...) ((ort_thing * (*)(__VA_ARGS__)) api[place])

static _Noreturn void stop(const char *what, const char *why) {
  fprintf(stderr, "bench: %s: %s\n", what, why);
  exit(1);
}

static void check(ort_thing *status, const char *what) {
  if (status)
    stop(what, ((const char *(*)(ort_thing *))api[GET_ERROR_MESSAGE])(status));
}

ort_session ort_open(const char *path, const char *model, int threads) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library)
    stop(path, dlerror());
  const ort_api_base *(*base)(void) =
      (const ort_api_base *(*)(void))dlsym(library, "OrtGetApiBase");
  if (!base || !(api = base()->get_api(API_VERSION)))
    stop(path, "has no C API of the version wanted");

  ort_session made;
  ort_thing *env, *options;
  check(ORT(CREATE_ENV, int, const char *, ort_thing **)(3, "bench", &env),
        "CreateEnv");
  check(ORT(CREATE_SESSION_OPTIONS, ort_thing **)(&options),
        "CreateSessionOptions");
  check(
      ORT(SET_SESSION_GRAPH_OPTIMIZATION_LEVEL, ort_thing *, int)(options, 99),
      "SetSessionGraphOptimizationLevel");
  check(ORT(SET_INTRA_OP_NUM_THREADS, ort_thing *, int)(options, threads),
        "SetIntraOpNumThreads");
  check(ORT(SET_INTER_OP_NUM_THREADS, ort_thing *, int)(options, 1),
        "SetInterOpNumThreads");
  check(ORT(CREATE_SESSION, ort_thing *, const char *, ort_thing *,
            ort_thing **)(env, model, options, &made.session),
        "CreateSession");
  check(ORT(CREATE_CPU_MEMORY_INFO, int, int, ort_thing **)(0, 0, &made.memory),
        "CreateCpuMemoryInfo");
  return made;
}

ort_thing *ort_tensor(const ort_session *of, void *data, size_t bytes,
                      const int64_t *dims, int rank, int type) {
  ort_thing *made;
  check(ORT(CREATE_TENSOR_WITH_DATA, ort_thing *, void *, size_t,
            const int64_t *, size_t, int, ort_thing **)(
            of->memory, data, bytes, dims, (size_t)rank, type, &made),
        "CreateTensorWithDataAsOrtValue");
  return made;
}

void ort_release(ort_thing *tensor) {
  ((void (*)(ort_thing *))api[RELEASE_VALUE])(tensor);
}

void ort_run(const ort_session *of, const char *const *input_names,
             ort_thing *const *inputs, size_t num_inputs,
             const char *const *output_names, ort_thing **outputs,
             size_t num_outputs) {
  check(ORT(RUN, ort_thing *, ort_thing *, const char *const *,
            ort_thing *const *, size_t, const char *const *, size_t,
            ort_thing **)(of->session, NULL, input_names, inputs, num_inputs,
                          output_names, num_outputs, outputs),
        "Run");
}
