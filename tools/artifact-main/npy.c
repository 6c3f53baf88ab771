/* The header of an .npy file is a Python dict with three known keys. Each key
 * is found by its name; any other content is refused. */
#include "npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
  const char *name, *descr;
  size_t bytes;
} types[] = {
    [TENON_F32] = {"f32", "<f4", 4},   [TENON_F64] = {"f64", "<f8", 8},
    [TENON_F16] = {"f16", "<f2", 2},   [TENON_BF16] = {"bf16", "<V2", 2},
    [TENON_I8] = {"i8", "|i1", 1},     [TENON_I16] = {"i16", "<i2", 2},
    [TENON_I32] = {"i32", "<i4", 4},   [TENON_I64] = {"i64", "<i8", 8},
    [TENON_U8] = {"u8", "|u1", 1},     [TENON_U16] = {"u16", "<u2", 2},
    [TENON_U32] = {"u32", "<u4", 4},   [TENON_U64] = {"u64", "<u8", 8},
    [TENON_BOOL] = {"bool", "|b1", 1},
};

size_t npy_element_bytes(int32_t dtype) { return types[dtype].bytes; }
const char *npy_dtype_name(int32_t dtype) { return types[dtype].name; }

static tenon_status fail(tenon_status status, char *why, size_t why_bytes,
                         const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, why_bytes, format, arguments);
  va_end(arguments);
  return status;
}

/* The text after 'key': in the dict, without leading spaces; null if there is
 * no such key. */
static const char *value_of(const char *header, const char *key) {
  const char *at = strstr(header, key);
  if (!at)
    return NULL;
  at += strlen(key);
  while (*at == ' ')
    ++at;
  if (*at++ != ':')
    return NULL;
  while (*at == ' ')
    ++at;
  return at;
}

static int same_type(const char *found, int32_t dtype) {
  const char *wanted = types[dtype].descr;
  if (found[0] != '\'' || strlen(found) < 5 || found[4] != '\'')
    return 0;
  ++found;
  if (dtype == TENON_BF16)
    return !strncmp(found + 1, "V2", 2) || !strncmp(found, "<u2", 3);
  if (types[dtype].bytes == 1)
    return !strncmp(found + 1, wanted + 1, 2);
  return !strncmp(found, wanted, 3) ||
         (found[0] == '=' && !strncmp(found + 1, wanted + 1, 2));
}

/* Reads the extents in "(2, 3)". Returns the array's size in bytes; 0 if the
 * text is damaged. */
static int read_shape(const char *text, size_t element, npy_array *array) {
  size_t bytes = element;
  int empty = 0;
  array->rank = 0;
  if (*text++ != '(')
    return 0;
  for (;;) {
    while (*text == ' ' || *text == ',')
      ++text;
    if (*text == ')')
      break;
    char *end;
    errno = 0;
    long long extent = strtoll(text, &end, 10);
    if (end == text || errno || extent < 0 || array->rank == NPY_MAX_RANK)
      return 0;
    array->dims[array->rank++] = extent;
    if (extent == 0)
      empty = 1;
    else if (__builtin_mul_overflow(bytes, (size_t)extent, &bytes))
      return 0;
    text = end;
  }
  array->bytes = empty ? 0 : bytes;
  return 1;
}

static tenon_status read_open(FILE *file, int32_t dtype, npy_array *array,
                              char *why, size_t why_bytes) {
  static const char damaged[] = "is no .npy file, or a damaged one";
  unsigned char start[12];
  struct stat info;
  if (fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode))
    return fail(TENON_IO, why, why_bytes, "is no regular file");
  if (fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0)
    return fail(TENON_INVALID, why, why_bytes, damaged);
  size_t length = start[8] | (size_t)start[9] << 8;
  if (start[6] >= 2) {
    if (fread(start + 10, 1, 2, file) != 2)
      return fail(TENON_INVALID, why, why_bytes, damaged);
    length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
  }
  if (length > 1 << 20)
    return fail(TENON_INVALID, why, why_bytes, damaged);
  char *header = malloc(length + 1);
  if (!header)
    return fail(TENON_LIMIT, why, why_bytes, "out of memory");
  tenon_status status = TENON_OK;
  const char *descr = NULL, *order = NULL, *shape = NULL;
  if (fread(header, 1, length, file) == length) {
    header[length] = 0;
    descr = value_of(header, "'descr'");
    order = value_of(header, "'fortran_order'");
    shape = value_of(header, "'shape'");
  }
  if (!descr || !order || !shape ||
      !read_shape(shape, types[dtype].bytes, array))
    status = fail(TENON_INVALID, why, why_bytes, damaged);
  else if (strncmp(order, "False", 5) != 0)
    status = fail(TENON_UNSUPPORTED, why, why_bytes,
                  "is in Fortran order; save numpy.ascontiguousarray(x)");
  else if (!same_type(descr, dtype))
    status = fail(TENON_BAD_INPUT, why, why_bytes,
                  "has elements of type %.5s, expected %s", descr,
                  types[dtype].name);
  free(header);
  if (status != TENON_OK)
    return status;
  off_t at = ftello(file);
  if (at < 0 || (uint64_t)info.st_size - (uint64_t)at != array->bytes)
    return fail(TENON_INVALID, why, why_bytes,
                "has another size than its header says");
  if (posix_memalign(&array->data, 64, array->bytes ? array->bytes : 1) != 0) {
    array->data = NULL;
    return fail(TENON_LIMIT, why, why_bytes, "out of memory");
  }
  if (fread(array->data, 1, array->bytes, file) == array->bytes)
    return TENON_OK;
  free(array->data);
  array->data = NULL;
  return fail(TENON_IO, why, why_bytes, "cannot be read: %s", strerror(errno));
}

tenon_status npy_read(const char *path, int32_t dtype, npy_array *array,
                      char *why, size_t why_bytes) {
  FILE *file = fopen(path, "rbe");
  if (!file)
    return fail(TENON_IO, why, why_bytes, "cannot be opened: %s",
                strerror(errno));
  memset(array, 0, sizeof *array);
  tenon_status status = read_open(file, dtype, array, why, why_bytes);
  array->dtype = dtype;
  fclose(file);
  return status;
}

tenon_status npy_write(const char *path, int32_t dtype, int32_t rank,
                       const int64_t *dims, const void *data, char *why,
                       size_t why_bytes) {
  char header[2048], name[4096];
  size_t bytes = types[dtype].bytes;
  int at = snprintf(header, sizeof header,
                    "{'descr': '%s', 'fortran_order': False, 'shape': (",
                    types[dtype].descr);
  for (int32_t d = 0; d < rank; ++d) {
    bytes *= (size_t)dims[d];
    at += snprintf(header + at, sizeof header - (size_t)at, "%s%lld%s",
                   d ? ", " : "", (long long)dims[d], rank == 1 ? "," : "");
  }
  at += snprintf(header + at, sizeof header - (size_t)at, "), }");
  while ((10 + at + 1) % 64 != 0)
    header[at++] = ' ';
  header[at++] = '\n';
  unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  start[8] = (unsigned char)at;
  start[9] = (unsigned char)(at >> 8);

  if (snprintf(name, sizeof name, "%s.%d.part", path, (int)getpid()) >=
      (int)sizeof name)
    return fail(TENON_IO, why, why_bytes, "has too long a name");
  FILE *file = fopen(name, "wbe");
  int done = file && fwrite(start, 1, 10, file) == 10 &&
             fwrite(header, 1, (size_t)at, file) == (size_t)at &&
             fwrite(data, 1, bytes, file) == bytes && fflush(file) == 0 &&
             fsync(fileno(file)) == 0;
  int reason = errno;
  if (file && fclose(file) != 0 && done) {
    done = 0;
    reason = errno;
  }
  if (done && rename(name, path) != 0) {
    done = 0;
    reason = errno;
  }
  if (done)
    return TENON_OK;
  unlink(name);
  return fail(TENON_IO, why, why_bytes, "cannot be written: %s",
              strerror(reason));
}
