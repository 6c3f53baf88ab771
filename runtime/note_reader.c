/* The reader of `.note.tenon`. Input is a file descriptor or a block of notes.
 * Afterwards the note's fields are copied out, or the file is refused with a
 * reason. The file is read, not mapped: a file that shrinks meanwhile causes an
 * error and not a signal. */
#include "note_reader.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tenon_abi.h"
#include "xxh64.h"

enum { MAX_PROGRAM_HEADERS = 256, MAX_NOTE_BYTES = 1 << 16 };

int tenon_read_at(int fd, void *to, uint64_t size, uint64_t offset) {
  unsigned char *p = to;
  while (size > 0) {
    size_t ask = size < (1u << 30) ? (size_t)size : (1u << 30);
    ssize_t got = pread(fd, p, ask, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return errno;
    if (got == 0)
      return -1;
    p += got;
    offset += (uint64_t)got;
    size -= (uint64_t)got;
  }
  return 0;
}

static uint32_t word32(const unsigned char *p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

static uint64_t word64(const unsigned char *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

static tenon_reason read_description(const unsigned char *d, size_t size,
                                     tenon_note *note) {
  if (size < TENON_NOTE_ABI + 4)
    return "its .note.tenon is too short";
  note->abi_version = word32(d + TENON_NOTE_ABI);
  if (note->abi_version != TENON_ABI_VERSION)
    return NULL;
  if (size <= TENON_NOTE_SYMBOL)
    return "its .note.tenon is too short";
  note->file_bytes = word64(d + TENON_NOTE_FILE_BYTES);
  note->hash = word64(d + TENON_NOTE_HASH);
  note->weights_offset = word64(d + TENON_NOTE_WEIGHTS_OFFSET);
  note->weights_bytes = word64(d + TENON_NOTE_WEIGHTS_BYTES);
  note->cpu_features = word64(d + TENON_NOTE_CPU_FEATURES);
  note->source_hash = word64(d + TENON_NOTE_SOURCE_HASH);
  memcpy(note->compiler, d + TENON_NOTE_COMPILER, TENON_NOTE_COMPILER_BYTES);
  note->compiler[TENON_NOTE_COMPILER_BYTES] = 0;
  const char *symbol = (const char *)d + TENON_NOTE_SYMBOL;
  size_t room = size - TENON_NOTE_SYMBOL;
  size_t length = strnlen(symbol, room);
  if (length == 0 || length == room || length > TENON_NOTE_SYMBOL_MAX)
    return "the symbol in its .note.tenon is not terminated";
  memcpy(note->symbol, symbol, length + 1);
  return NULL;
}

tenon_reason tenon_note_parse(const unsigned char *notes, size_t size,
                              tenon_note *note) {
  static const char name[8] = TENON_NOTE_NAME;
  size_t at = 0;
  while (size - at >= 12) {
    uint64_t name_bytes = word32(notes + at);
    uint64_t desc_bytes = word32(notes + at + 4);
    uint64_t desc = at + 12 + ((name_bytes + 3) & ~UINT64_C(3));
    uint64_t end = desc + ((desc_bytes + 3) & ~UINT64_C(3));
    if (desc > size || desc_bytes > size - desc)
      return "a note of it reaches past its segment";
    if (name_bytes == sizeof TENON_NOTE_NAME &&
        memcmp(notes + at + 12, name, sizeof TENON_NOTE_NAME) == 0 &&
        word32(notes + at + 8) == TENON_NOTE_TYPE) {
      memset(note, 0, sizeof *note);
      note->offset = desc;
      return read_description(notes + desc, (size_t)desc_bytes, note);
    }
    if (end > size)
      break;
    at = (size_t)end;
  }
  return "it has no .note.tenon: not an artifact of Tenon";
}

static tenon_reason check_header(const Elf64_Ehdr *header) {
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return "not an ELF file";
  if (header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB)
    return "not a 64-bit little-endian ELF file";
  if (header->e_machine == EM_AARCH64)
    return "it is built for aarch64, this host is x86-64";
  if (header->e_machine != EM_X86_64)
    return "it is built for another machine, this host is x86-64";
  if (header->e_type != ET_DYN && header->e_type != ET_EXEC)
    return "not a linked ELF file";
  if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0 ||
      header->e_phnum > MAX_PROGRAM_HEADERS)
    return "its ELF header is damaged";
  return NULL;
}

/* Searches one PT_NOTE segment for the note. */
static tenon_reason search_segment(int fd, const Elf64_Phdr *segment,
                                   tenon_note *note, int *error) {
  tenon_reason reason = NULL;
  unsigned char *notes = malloc(segment->p_filesz);
  if (!notes) {
    *error = ENOMEM;
    return NULL;
  }
  *error = tenon_read_at(fd, notes, segment->p_filesz, segment->p_offset);
  if (*error == 0) {
    reason = tenon_note_parse(notes, segment->p_filesz, note);
    note->offset += segment->p_offset;
  }
  free(notes);
  return reason;
}

tenon_reason tenon_note_find(int fd, uint64_t file_bytes, tenon_note *note,
                             int *error) {
  Elf64_Ehdr header;
  Elf64_Phdr segments[MAX_PROGRAM_HEADERS];
  unsigned char magic[SELFMAG];
  *error = 0;
  if (file_bytes < sizeof magic)
    return "not an ELF file";
  if ((*error = tenon_read_at(fd, magic, sizeof magic, 0)) != 0)
    return NULL;
  if (memcmp(magic, ELFMAG, SELFMAG) != 0)
    return "not an ELF file";
  if (file_bytes < sizeof header)
    return "damaged: it ends within its ELF header";
  if ((*error = tenon_read_at(fd, &header, sizeof header, 0)) != 0)
    return NULL;
  tenon_reason reason = check_header(&header);
  if (reason)
    return reason;
  uint64_t table_bytes = (uint64_t)header.e_phnum * sizeof(Elf64_Phdr);
  if (header.e_phoff > file_bytes || table_bytes > file_bytes - header.e_phoff)
    return "damaged: its program headers reach past the end of the file";
  *error = tenon_read_at(fd, segments, table_bytes, header.e_phoff);
  if (*error != 0)
    return NULL;
  reason = "it has no .note.tenon: not an artifact of Tenon";
  for (int i = 0; i < header.e_phnum; ++i) {
    if (segments[i].p_type != PT_NOTE || segments[i].p_filesz == 0)
      continue;
    if (segments[i].p_offset > file_bytes ||
        segments[i].p_filesz > file_bytes - segments[i].p_offset ||
        segments[i].p_filesz > MAX_NOTE_BYTES) {
      reason = "damaged: its notes reach past the end of the file";
      continue;
    }
    tenon_reason here = search_segment(fd, &segments[i], note, error);
    if (*error != 0 || !here)
      return NULL;
  }
  return reason;
}

/* Adds the file's bytes [from, to) to the hash. */
static int add_range(int fd, uint64_t from, uint64_t to, unsigned char *buffer,
                     size_t buffer_bytes, tenon_xxh64 *state) {
  while (from < to) {
    size_t take = to - from < buffer_bytes ? (size_t)(to - from) : buffer_bytes;
    int error = tenon_read_at(fd, buffer, take, from);
    if (error != 0)
      return error;
    tenon_xxh64_add(state, buffer, take);
    from += take;
  }
  return 0;
}

int tenon_note_hash(int fd, uint64_t file_bytes, const tenon_note *note,
                    uint64_t *hash) {
  static const unsigned char zeros[8] = {0};
  const size_t buffer_bytes = 1 << 18;
  uint64_t field = note->offset + TENON_NOTE_HASH;
  uint64_t skip_from = note->weights_offset;
  uint64_t skip_to = skip_from + note->weights_bytes;
  unsigned char *buffer = malloc(buffer_bytes);
  tenon_xxh64 state;
  int error = 0;
  if (!buffer)
    return ENOMEM;
  /* The hash skips two ranges, the hash field and the weights. They are visited
   * in the order in which they stand in the file. */
  uint64_t holes[2][2] = {{field, field + 8}, {skip_from, skip_to}};
  int first = note->weights_bytes != 0 && skip_from < field;
  uint64_t at = 0;
  tenon_xxh64_begin(&state, 0);
  for (int i = 0; i < 2 && error == 0; ++i) {
    int which = i ^ first;
    if (which == 1 && note->weights_bytes == 0)
      continue;
    error = add_range(fd, at, holes[which][0], buffer, buffer_bytes, &state);
    if (which == 0)
      tenon_xxh64_add(&state, zeros, sizeof zeros);
    at = holes[which][1];
  }
  if (error == 0)
    error = add_range(fd, at, file_bytes, buffer, buffer_bytes, &state);
  free(buffer);
  *hash = tenon_xxh64_end(&state);
  return error;
}
