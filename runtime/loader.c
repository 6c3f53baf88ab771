/* Loads an artifact from a path. The file's note, size, hash, ABI and CPU needs
 * are checked by reading the file. Only then does the dynamic linker load it,
 * and the loaded note is compared with the checked one. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu.h"
#include "detect.h"
#include "model.h"
#include "note_reader.h"

static tenon_status io_error(tenon_text *text, const char *what, int error) {
  tenon_text_add(text, "%s: %s", what,
                 error > 0 ? strerror(error) : "unexpected end of file");
  return error == ENOMEM ? TENON_LIMIT : TENON_IO;
}

tenon_status tenon_check_cpu(uint64_t needed, uint64_t mask, tenon_text *text) {
  uint64_t host = tenon_masked_features(mask);
  if (tenon_can_run(needed, host))
    return TENON_OK;
  uint64_t missing = needed & ~host;
  if (missing == 0) /* all features are present: the system refuses AMX tiles */
    missing = needed & TENON_CPU_TILES;
  tenon_text_add(text, "needs CPU features this host does not have: ");
  tenon_cpu_add_names(text, missing);
  tenon_text_add(text, "\n  this host has ");
  tenon_cpu_add_names(text, host);
  tenon_text_add(text, "\nhelp: compile the model with -mcpu= set to this "
                       "machine's CPU or to x86-64-v3");
  return TENON_BAD_ARTIFACT;
}

/* Checks everything that can be checked without loading the file. */
static tenon_status check_file(int fd, uint64_t file_bytes, tenon_note *note,
                               tenon_text *text) {
  int error;
  uint64_t hash;
  tenon_reason reason = tenon_note_find(fd, file_bytes, note, &error);
  if (error != 0)
    return io_error(text, "cannot read", error);
  if (reason) {
    tenon_text_add(text, "%s", reason);
    return TENON_BAD_ARTIFACT;
  }
  if (note->abi_version != TENON_ABI_VERSION) {
    tenon_text_add(text,
                   "needs runtime ABI %u, this runtime has ABI %u\n"
                   "help: compile the model again, or install the %s runtime",
                   note->abi_version, TENON_ABI_VERSION,
                   note->abi_version > TENON_ABI_VERSION ? "newer" : "older");
    return TENON_BAD_ARTIFACT;
  }
  if (note->file_bytes != file_bytes) {
    tenon_text_add(text, "damaged: the file has %llu bytes, sealed were %llu",
                   (unsigned long long)file_bytes,
                   (unsigned long long)note->file_bytes);
    return TENON_BAD_ARTIFACT;
  }
  if (note->weights_offset > file_bytes ||
      note->weights_bytes > file_bytes - note->weights_offset) {
    tenon_text_add(text, "damaged: its weights reach past the end");
    return TENON_BAD_ARTIFACT;
  }
  if ((error = tenon_note_hash(fd, file_bytes, note, &hash)) != 0)
    return io_error(text, "cannot read", error);
  if (hash != note->hash) {
    tenon_text_add(text,
                   "damaged: the hash of the file is %016llx, sealed was "
                   "%016llx",
                   (unsigned long long)hash, (unsigned long long)note->hash);
    return TENON_BAD_ARTIFACT;
  }
  return TENON_OK;
}

typedef struct found_note {
  uintptr_t base;
  tenon_note note;
  int found;
} found_note;

static int read_loaded_note(struct dl_phdr_info *info, size_t size,
                            void *argument) {
  found_note *result = argument;
  (void)size;
  if (info->dlpi_addr != result->base)
    return 0;
  for (int i = 0; i < info->dlpi_phnum && !result->found; ++i) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE)
      continue;
    const unsigned char *notes = (const unsigned char *)info->dlpi_addr +
                                 segment->p_vaddr; /* as mapped */
    result->found =
        tenon_note_parse(notes, segment->p_memsz, &result->note) == NULL;
  }
  return 1;
}

/* True if the loaded library is the file that was checked. */
static int is_checked(void *library, const tenon_note *note) {
  struct link_map *map;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
    return 0;
  found_note result = {.base = map->l_addr};
  dl_iterate_phdr(read_loaded_note, &result);
  return result.found && result.note.hash == note->hash &&
         result.note.file_bytes == note->file_bytes &&
         strcmp(result.note.symbol, note->symbol) == 0;
}

/* Loads the file at `path`. The dynamic linker identifies a library by its path
 * and returns the one already loaded, although the file may have been replaced
 * since. So further attempts add "./" to the path, which makes a name that is
 * new to the linker. */
static tenon_status load_checked(const char *path, const tenon_note *note,
                                 void **library, tenon_text *text) {
  enum { ATTEMPTS = 64 };
  size_t length = strlen(path);
  const char *base = strrchr(path, '/') + 1;
  char *alias = malloc(length + 2 * ATTEMPTS + 1);
  if (!alias)
    return io_error(text, "cannot load", ENOMEM);
  for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
    size_t folder = (size_t)(base - path);
    memcpy(alias, path, folder);
    for (int i = 0; i < attempt; ++i)
      memcpy(alias + folder + 2 * i, "./", 2);
    strcpy(alias + folder + 2 * attempt, base);
    *library = dlopen(alias, RTLD_NOW | RTLD_LOCAL);
    if (!*library)
      break;
    if (is_checked(*library, note)) {
      free(alias);
      return TENON_OK;
    }
    dlclose(*library);
    *library = NULL;
  }
  const char *why = dlerror();
  free(alias);
  tenon_text_add(text, "cannot load: ");
  tenon_text_add_name(text, why ? why : "the file is being replaced");
  return TENON_IO;
}

static tenon_status open_regular(const char *path, int *fd, uint64_t *bytes,
                                 tenon_text *text) {
  struct stat status;
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (*fd < 0)
    return io_error(text, "cannot open", errno);
  if (fstat(*fd, &status) != 0)
    return io_error(text, "cannot open", errno);
  if (!S_ISREG(status.st_mode)) {
    tenon_text_add(text, "not a regular file");
    return TENON_IO;
  }
  *bytes = (uint64_t)status.st_size;
  return TENON_OK;
}

tenon_status tenon_load_artifact(tenon_model *model,
                                 const tenon_open_options *options,
                                 tenon_text *text) {
  int fd = -1;
  uint64_t file_bytes = 0;
  tenon_note *note = calloc(1, sizeof *note);
  if (!note)
    return io_error(text, "cannot open", ENOMEM);
  tenon_status status = open_regular(model->path, &fd, &file_bytes, text);
  if (status == TENON_OK)
    status = check_file(fd, file_bytes, note, text);
  if (status == TENON_OK && !options->describe_only)
    status =
        tenon_check_cpu(note->cpu_features, options->cpu_feature_mask, text);
  if (status == TENON_OK)
    status = load_checked(model->path, note, &model->library, text);
  if (status == TENON_OK) {
    model->artifact_hash = note->hash;
    model->desc = dlsym(model->library, note->symbol);
    if (!model->desc) {
      tenon_text_add(text, "it does not define its descriptor ");
      tenon_text_add_name(text, note->symbol);
      status = TENON_BAD_ARTIFACT;
    }
  }
  if (fd >= 0)
    close(fd);
  free(note);
  return status;
}
