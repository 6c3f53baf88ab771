/* Arrays in .npy files. Supports the part of the format that models need:
 * little-endian, row-major, one array. */
#ifndef TENON_TOOLS_ARTIFACT_MAIN_NPY_H
#define TENON_TOOLS_ARTIFACT_MAIN_NPY_H

#include "runtime/tenon.h"

enum { NPY_MAX_RANK = 64 };

/* An array in memory; npy_free frees `data`. */
typedef struct {
  int32_t dtype;
  int32_t rank;
  int64_t dims[NPY_MAX_RANK];
  void *data;
  size_t bytes;
} npy_array;

size_t npy_element_bytes(int32_t dtype);
const char *npy_dtype_name(int32_t dtype);

/* Reads `path` as elements of `dtype`; the file must have this type (for bf16
 * any type of two bytes). Returns TENON_OK, or an error class with the reason
 * in `why`. */
tenon_status npy_read(const char *path, int32_t dtype, npy_array *array,
                      char *why, size_t why_bytes);

/* Writes the array to a new file, which is then renamed to `path`. Returns as
 * npy_read does. */
tenon_status npy_write(const char *path, int32_t dtype, int32_t rank,
                       const int64_t *dims, const void *data, char *why,
                       size_t why_bytes);

#endif /* TENON_TOOLS_ARTIFACT_MAIN_NPY_H */
