/* ONNX Runtime's C API, opened by path, because the npm package that contains
 * the library has no header. Its API is a table of functions with fixed
 * positions; the few functions used here are named with their positions. */
#ifndef TENON_BENCHMARKS_CALLERS_ORT_H
#define TENON_BENCHMARKS_CALLERS_ORT_H

#include <stddef.h>
#include <stdint.h>

/* An opaque object of ONNX Runtime. */
typedef struct ort_thing ort_thing;

typedef struct ort_session {
  ort_thing *session, *memory;
} ort_session;

enum ort_type { ORT_F32 = 1, ORT_I32 = 6, ORT_I64 = 7 };

/* Opens `model` with the library at `path`. Errors end the program. */
ort_session ort_open(const char *path, const char *model, int threads);

/* A tensor over the caller's memory. `dims` is copied; `type` is ONNX's number
 * of the element type. */
ort_thing *ort_tensor(const ort_session *of, void *data, size_t bytes,
                      const int64_t *dims, int rank, int type);

/* Releases a tensor, but not the caller's memory. */
void ort_release(ort_thing *tensor);

/* One run with inputs and outputs in tensors that exist. */
void ort_run(const ort_session *of, const char *const *input_names,
             ort_thing *const *inputs, size_t num_inputs,
             const char *const *output_names, ort_thing **outputs,
             size_t num_outputs);

#endif /* TENON_BENCHMARKS_CALLERS_ORT_H */
