/* The weights of a model: embedded, or in a safetensors file beside it. Their
 * size and hash are checked against the descriptor. Afterwards the blob is in
 * memory, mapped or copied, aligned to TENON_WEIGHT_ALIGNMENT. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model.h"
#include "note_reader.h"
#include "xxh64.h"

enum {
  MAX_HEADER_BYTES = 100000000, /* the bound set by the format */
  COPY_BYTES = 4 << 20, /* smaller blobs do not profit from huge pages */
  COPY_STEP = 4 << 20,
};

static tenon_status refuse(tenon_text *text, const tenon_model *model,
                           tenon_status status, const char *why) {
  tenon_text_add(text, "weight file ");
  tenon_text_add_name(text, model->weights.path);
  tenon_text_add(text, ": %s", why);
  return status;
}

static tenon_status refuse_errno(tenon_text *text, const tenon_model *model,
                                 int error) {
  const char *why = error > 0 ? strerror(error) : "unexpected end of file";
  return refuse(text, model, error == ENOMEM ? TENON_LIMIT : TENON_IO, why);
}

/* The path of the weight file: `given` if that is a file, else in the folder
 * `given`, else in the artifact's folder. Null if out of memory or if there is
 * no folder to search. */
static char *weights_path(const tenon_model *model, const char *given) {
  struct stat status;
  const char *folder = given ? given : model->path;
  size_t folder_bytes = 0;
  if (!folder)
    return NULL;
  if (!given)
    folder_bytes = (size_t)(strrchr(model->path, '/') - model->path);
  else if (stat(given, &status) == 0 && S_ISDIR(status.st_mode))
    folder_bytes = strlen(given);
  else
    return strdup(given);
  size_t bytes = folder_bytes + strlen(model->desc->weight_file) + 2;
  char *path = malloc(bytes);
  if (path)
    snprintf(path, bytes, "%.*s/%s", (int)folder_bytes, folder,
             model->desc->weight_file);
  return path;
}

/* Reads the hash at TENON_WEIGHTS_METADATA_KEY in a header; returns 1 if found.
 * */
static int stated_hash(const char *header, size_t bytes, uint64_t *hash) {
  static const char key[] = "\"" TENON_WEIGHTS_METADATA_KEY "\"";
  const size_t key_bytes = sizeof key - 1;
  const char *at = header, *end = header + bytes;
  while ((at = memmem(at, (size_t)(end - at), key, key_bytes)) != NULL) {
    at += key_bytes;
    const char *p = at;
    while (p < end && (*p == ' ' || *p == ':'))
      ++p;
    if (end - p < 18 || p[0] != '"' || p[17] != '"')
      continue; /* for example a tensor of this name */
    char digits[17], *stop;
    memcpy(digits, p + 1, 16);
    digits[16] = 0;
    *hash = strtoull(digits, &stop, 16);
    return *stop == 0;
  }
  return 0;
}

/* Reads the header. *start becomes the offset of the blob in the file. */
static tenon_status read_header(const tenon_model *model, int fd,
                                uint64_t file_bytes, uint64_t *start,
                                int *identified, tenon_text *text) {
  uint64_t header_bytes, hash;
  if (file_bytes < 8)
    return refuse(text, model, TENON_BAD_ARTIFACT, "not a safetensors file");
  int error = tenon_read_at(fd, &header_bytes, 8, 0);
  if (error != 0)
    return refuse_errno(text, model, error);
  if (header_bytes > MAX_HEADER_BYTES || header_bytes > file_bytes - 8)
    return refuse(text, model, TENON_BAD_ARTIFACT, "not a safetensors file");
  *start = 8 + header_bytes;
  if (file_bytes - *start != model->desc->weight_bytes) {
    char why[128];
    snprintf(why, sizeof why, "expected %llu bytes of weights, found %llu",
             (unsigned long long)model->desc->weight_bytes,
             (unsigned long long)(file_bytes - *start));
    return refuse(text, model, TENON_BAD_ARTIFACT, why);
  }
  char *header = malloc(header_bytes + 1);
  if (!header)
    return refuse_errno(text, model, ENOMEM);
  error = tenon_read_at(fd, header, header_bytes, 8);
  *identified = error == 0 && stated_hash(header, (size_t)header_bytes, &hash);
  free(header);
  if (error != 0)
    return refuse_errno(text, model, error);
  if (*identified && hash != model->desc->weight_hash)
    return refuse(text, model, TENON_BAD_ARTIFACT,
                  "it belongs to another model or another build\n"
                  "help: give the file written beside this artifact");
  return TENON_OK;
}

/* Copies embedded weights. Pages of an artifact are returned to the system as
 * soon as they are copied, so that the weights are never in memory twice.
 * Memory of the host program is only read. */
static void copy_embedded(const tenon_model *model, char *to) {
  const char *from = model->desc->weights;
  uint64_t bytes = model->desc->weight_bytes;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t given_back = ((uintptr_t)from + page - 1) & ~(page - 1);
  for (uint64_t at = 0, step; at < bytes; at += step) {
    step = bytes - at < COPY_STEP ? bytes - at : COPY_STEP;
    memcpy(to + at, from + at, step);
    uintptr_t done = ((uintptr_t)from + at + step) & ~(page - 1);
    if (!model->library || done <= given_back)
      continue;
    (void)madvise((void *)given_back, done - given_back, MADV_DONTNEED);
    given_back = done;
  }
}

static tenon_status copy_blob(tenon_model *model, int fd, uint64_t start,
                              tenon_text *text) {
  tenon_weights *weights = &model->weights;
  uint64_t bytes = model->desc->weight_bytes;
  int error = tenon_region_reserve(&weights->copy, bytes ? bytes : 1);
  if (error == 0 && fd >= 0)
    error = tenon_read_at(fd, weights->copy.data, bytes, start);
  else if (error == 0)
    copy_embedded(model, weights->copy.data);
  if (error == ENOMEM) {
    tenon_text_add(text, "out of memory: the weights need %llu bytes",
                   (unsigned long long)bytes);
    return TENON_LIMIT;
  }
  if (error != 0)
    return refuse_errno(text, model, error);
  weights->data = weights->copy.data;
  weights->copied = 1;
  return TENON_OK;
}

static tenon_status load_file(tenon_model *model, int fd, int copy,
                              int *identified, tenon_text *text) {
  struct stat status;
  uint64_t start;
  if (fstat(fd, &status) != 0)
    return refuse_errno(text, model, errno);
  if (!S_ISREG(status.st_mode))
    return refuse(text, model, TENON_IO, "not a regular file");
  uint64_t file_bytes = (uint64_t)status.st_size;
  tenon_status result =
      read_header(model, fd, file_bytes, &start, identified, text);
  if (result != TENON_OK)
    return result;
  if (copy || start % TENON_WEIGHT_ALIGNMENT != 0)
    return copy_blob(model, fd, start, text);
  void *mapping = mmap(NULL, file_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapping == MAP_FAILED)
    return refuse_errno(text, model, errno);
  model->weights.mapping = mapping;
  model->weights.mapped = file_bytes;
  model->weights.data = (const char *)mapping + start;
  return TENON_OK;
}

/* Loads the file at weights.path. */
static tenon_status load_path(tenon_model *model, int copy, int *identified,
                              tenon_text *text) {
  int fd =
      open(model->weights.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    int missing = errno == ENOENT;
    tenon_status status = refuse_errno(text, model, errno);
    return missing ? TENON_BAD_ARTIFACT : status;
  }
  tenon_status status = load_file(model, fd, copy, identified, text);
  close(fd);
  return status;
}

/* Loads the file by the temporary name it has until the compiler has renamed
 * it, see tenon_note.h. On failure `status` and its text stay unchanged. */
static tenon_status load_keyed(tenon_model *model, int copy, int *identified,
                               tenon_status status, tenon_text *text) {
  char *path = model->weights.path;
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash + 1 - path) : 0;
  size_t bytes = strlen(path) + sizeof ".." + 16;
  char *keyed = malloc(bytes);
  if (!keyed)
    return status;
  snprintf(keyed, bytes, "%.*s.%s.%016llx", folder, path, path + folder,
           (unsigned long long)model->desc->weight_hash);
  tenon_text unused;
  tenon_text_clear(&unused);
  model->weights.path = keyed;
  if (load_path(model, copy, identified, &unused) == TENON_OK) {
    free(path);
    tenon_text_clear(text);
    return TENON_OK;
  }
  model->weights.path = path;
  free(keyed);
  return status;
}

tenon_status tenon_load_weights(tenon_model *model,
                                const tenon_open_options *options,
                                tenon_text *text) {
  const tenon_model_desc *desc = model->desc;
  int copy = options->weights_mode == TENON_WEIGHTS_COPY ||
             (options->weights_mode == TENON_WEIGHTS_AUTO &&
              desc->weight_bytes >= COPY_BYTES);
  int identified = 1;
  tenon_status status = TENON_OK;
  if (desc->weight_bytes == 0)
    return TENON_OK;
  if (desc->weights) {
    model->weights.data = desc->weights;
    if (copy || (uintptr_t)desc->weights % TENON_WEIGHT_ALIGNMENT != 0)
      status = copy_blob(model, -1, 0, text);
  } else {
    if (!desc->weight_file || strchr(desc->weight_file, '/') ||
        !*desc->weight_file) {
      tenon_text_add(text, "its weights are neither embedded nor in a file");
      return TENON_BAD_ARTIFACT;
    }
    model->weights.path = weights_path(model, options->weights_path);
    if (!model->weights.path) {
      int lost = !options->weights_path && !model->path;
      tenon_text_add(text, lost ? "the model is linked in, so its weight file "
                                  "must be named: "
                                : "out of memory: ");
      tenon_text_add_name(text, desc->weight_file);
      return lost ? TENON_BAD_ARTIFACT : TENON_LIMIT;
    }
    status = load_path(model, copy, &identified, text);
    if (status == TENON_BAD_ARTIFACT)
      status = load_keyed(model, copy, &identified, status, text);
  }
  if (status != TENON_OK)
    return status;
  /* A file that does not state its hash must be identified by its contents. */
  if ((options->verify_weights || !identified) &&
      tenon_xxh64_of(model->weights.data, desc->weight_bytes) !=
          desc->weight_hash) {
    tenon_text_add(text,
                   "the weights are damaged or of another model: their "
                   "hash is not %016llx",
                   (unsigned long long)desc->weight_hash);
    return TENON_BAD_ARTIFACT;
  }
  return TENON_OK;
}

void tenon_free_weights(tenon_weights *weights) {
  if (weights->mapping)
    munmap(weights->mapping, weights->mapped);
  tenon_region_free(&weights->copy);
  free(weights->path);
  *weights = (tenon_weights){0};
}
