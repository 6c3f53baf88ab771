/* Seals a linked artifact: fills its size, the place of its weights and its
 * hash into the note that the compiler left open. Afterwards the loader detects
 * a change of any byte outside the weights. */
#include "seal.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "note_reader.h"
#include "tenon_abi.h"

static void put32(unsigned char *p, uint32_t v) { memcpy(p, &v, sizeof v); }
static void put64(unsigned char *p, uint64_t v) { memcpy(p, &v, sizeof v); }

size_t tenon_make_note(unsigned char *note, size_t capacity,
                       uint64_t cpu_features, uint64_t source_hash,
                       const char *compiler, const char *symbol) {
  size_t length = strlen(symbol);
  if (length == 0 || length > TENON_NOTE_SYMBOL_MAX)
    return 0;
  size_t desc_bytes = (TENON_NOTE_SYMBOL + length + 1 + 3) & ~(size_t)3;
  size_t bytes = TENON_NOTE_HEADER_BYTES + desc_bytes;
  if (capacity < bytes)
    return bytes;
  memset(note, 0, bytes);
  put32(note, sizeof TENON_NOTE_NAME);
  put32(note + 4, (uint32_t)desc_bytes);
  put32(note + 8, TENON_NOTE_TYPE);
  memcpy(note + 12, TENON_NOTE_NAME, sizeof TENON_NOTE_NAME);
  unsigned char *desc = note + TENON_NOTE_HEADER_BYTES;
  put32(desc + TENON_NOTE_ABI, TENON_ABI_VERSION);
  put64(desc + TENON_NOTE_CPU_FEATURES, cpu_features);
  put64(desc + TENON_NOTE_SOURCE_HASH, source_hash);
  memcpy(desc + TENON_NOTE_COMPILER, compiler,
         strnlen(compiler, TENON_NOTE_COMPILER_BYTES));
  memcpy(desc + TENON_NOTE_SYMBOL, symbol, length);
  return bytes;
}

static int fail(char *text, size_t bytes, const char *what, int error) {
  if (error > 0)
    snprintf(text, bytes, "%s: %s", what, strerror(error));
  else
    snprintf(text, bytes, "%s", what);
  return 1;
}

/* Finds the section TENON_WEIGHTS_SECTION by the section headers, which the
 * linker has just written. Returns 0, an errno, or -1 at the end of the file.
 * */
static int find_weights(int fd, uint64_t file_bytes, tenon_note *note) {
  Elf64_Ehdr header;
  note->weights_offset = note->weights_bytes = 0;
  int error = tenon_read_at(fd, &header, sizeof header, 0);
  if (error != 0 || header.e_shnum == 0)
    return error;
  uint64_t table = (uint64_t)header.e_shnum * sizeof(Elf64_Shdr);
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > file_bytes ||
      table > file_bytes - header.e_shoff ||
      header.e_shstrndx >= header.e_shnum)
    return -1;
  Elf64_Shdr *sections = malloc(table);
  if (!sections)
    return ENOMEM;
  error = tenon_read_at(fd, sections, table, header.e_shoff);
  const Elf64_Shdr *names = &sections[header.e_shstrndx];
  for (int i = 0; error == 0 && i < header.e_shnum; ++i) {
    char name[sizeof TENON_WEIGHTS_SECTION];
    if (sections[i].sh_type == SHT_NOBITS || sections[i].sh_size == 0 ||
        sections[i].sh_name > names->sh_size ||
        names->sh_size - sections[i].sh_name < sizeof name)
      continue;
    error = tenon_read_at(fd, name, sizeof name,
                          names->sh_offset + sections[i].sh_name);
    if (error != 0 || memcmp(name, TENON_WEIGHTS_SECTION, sizeof name) != 0)
      continue;
    if (sections[i].sh_offset > file_bytes ||
        sections[i].sh_size > file_bytes - sections[i].sh_offset)
      error = -1;
    note->weights_offset = sections[i].sh_offset;
    note->weights_bytes = sections[i].sh_size;
    break;
  }
  free(sections);
  return error;
}

static int write_at(int fd, const unsigned char *from, size_t size,
                    uint64_t offset) {
  while (size > 0) {
    ssize_t put = pwrite(fd, from, size, (off_t)offset);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return errno;
    from += put;
    offset += (uint64_t)put;
    size -= (size_t)put;
  }
  return 0;
}

int tenon_seal_fd(int fd, char *text, size_t text_bytes) {
  struct stat status;
  tenon_note note;
  unsigned char fields[32]; /* file size, hash and weights are adjacent */
  uint64_t hash;
  int error;
  if (fstat(fd, &status) != 0)
    return fail(text, text_bytes, "cannot seal", errno);
  uint64_t file_bytes = (uint64_t)status.st_size;
  tenon_reason reason = tenon_note_find(fd, file_bytes, &note, &error);
  if (reason || error != 0)
    return fail(text, text_bytes, reason ? reason : "cannot seal", error);
  if ((error = find_weights(fd, file_bytes, &note)) != 0)
    return fail(text, text_bytes, "cannot read its sections", error);
  note.file_bytes = file_bytes;
  put64(fields, file_bytes);
  put64(fields + 8, 0);
  put64(fields + 16, note.weights_offset);
  put64(fields + 24, note.weights_bytes);
  uint64_t place = note.offset + TENON_NOTE_FILE_BYTES;
  error = write_at(fd, fields, sizeof fields, place);
  if (error == 0)
    error = tenon_note_hash(fd, file_bytes, &note, &hash);
  if (error == 0) {
    put64(fields + 8, hash);
    error = write_at(fd, fields, sizeof fields, place);
  }
  return error == 0 ? 0 : fail(text, text_bytes, "cannot seal", error);
}

int tenon_seal_artifact(const char *path, char *text, size_t text_bytes) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return fail(text, text_bytes, "cannot open", errno);
  int result = tenon_seal_fd(fd, text, text_bytes);
  if (close(fd) != 0 && result == 0)
    return fail(text, text_bytes, "cannot close", errno);
  return result;
}
