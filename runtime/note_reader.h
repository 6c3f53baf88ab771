/* Reads `.note.tenon` from an untrusted file or block of memory. Every offset
 * is checked against the available bytes before it is used. */
#ifndef TENON_RUNTIME_NOTE_READER_H
#define TENON_RUNTIME_NOTE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "tenon_note.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_note {
  uint32_t abi_version;
  uint64_t file_bytes;
  uint64_t hash;
  uint64_t weights_offset;
  uint64_t weights_bytes;
  uint64_t cpu_features;
  uint64_t source_hash;
  char compiler[TENON_NOTE_COMPILER_BYTES + 1];
  char symbol[TENON_NOTE_SYMBOL_MAX + 1];
  uint64_t offset; /* of the note's description, in the searched bytes */
} tenon_note;

/* Null if the note was found, else a constant sentence that says why not. */
typedef const char *tenon_reason;

/* Reads `size` bytes at `offset`. Returns 0, an errno, or -1 at the end of the
 * file. */
int tenon_read_at(int fd, void *to, uint64_t size, uint64_t offset);

/* Finds the note among the `size` bytes of ELF notes at `notes`. If its ABI
 * version is not ours, the fields after abi_version are not read. */
tenon_reason tenon_note_parse(const unsigned char *notes, size_t size,
                              tenon_note *note);

/* Finds the note in the file. *error is 0, or an errno if reading failed (the
 * returned reason is then null), or -1 if the file ended early. */
tenon_reason tenon_note_find(int fd, uint64_t file_bytes, tenon_note *note,
                             int *error);

/* Hashes the file by the rule of tenon_note.h. Returns 0, an errno, or -1 at
 * the end of the file. */
int tenon_note_hash(int fd, uint64_t file_bytes, const tenon_note *note,
                    uint64_t *hash);

#ifdef __cplusplus
}
#endif

#endif /* TENON_RUNTIME_NOTE_READER_H */
