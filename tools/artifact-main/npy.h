/* Arrays in .npy files, as much of the format as models need: little-endian,
 * row-major, one array. */
#ifndef TENON_TOOLS_ARTIFACT_MAIN_NPY_H
#define TENON_TOOLS_ARTIFACT_MAIN_NPY_H

#include "runtime/tenon.h"

enum { NPY_MAX_RANK = 64 };

/* An array in memory; `data` and `dims` are freed by npy_free. */
typedef struct {
  int32_t dtype;
  int32_t rank;
  int64_t dims[NPY_MAX_RANK];
  void *data;
  size_t bytes;
} npy_array;

size_t npy_element_bytes(int32_t dtype);
const char *npy_dtype_name(int32_t dtype);

/* Reads `path` as elements of `dtype`, which the file's must be (bf16 as two
 * bytes of any kind). TENON_OK, or the class of what is written to `why`. */
tenon_status npy_read(const char *path, int32_t dtype, npy_array *array,
                      char *why, size_t why_bytes);

/* Writes a new file, renamed into place. */
tenon_status npy_write(const char *path, int32_t dtype, int32_t rank,
                       const int64_t *dims, const void *data, char *why,
                       size_t why_bytes);

#endif /* TENON_TOOLS_ARTIFACT_MAIN_NPY_H */
