/* Reads `.note.tenon` out of a file or out of memory that nobody vouches for.
 * Every offset is checked against what is there before it is followed. */
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
  uint64_t offset; /* of the description, in what was searched */
} tenon_note;

/* Null: found. Else why not, a constant sentence. */
typedef const char *tenon_reason;

/* Reads `size` bytes at `offset`; 0, or an errno, or -1 at the end of file. */
int tenon_read_at(int fd, void *to, uint64_t size, uint64_t offset);

/* Finds the note among the `size` bytes of ELF notes at `notes`. An ABI other
 * than ours leaves the fields after abi_version unread. */
tenon_reason tenon_note_parse(const unsigned char *notes, size_t size,
                              tenon_note *note);

/* Finds the note in the file. *error is 0, or an errno when reading failed
 * (the reason is then null), or -1 when the file ended early. */
tenon_reason tenon_note_find(int fd, uint64_t file_bytes, tenon_note *note,
                             int *error);

/* The hash of the file by the rule of tenon_note.h; 0 or an errno or -1. */
int tenon_note_hash(int fd, uint64_t file_bytes, const tenon_note *note,
                    uint64_t *hash);

#ifdef __cplusplus
}
#endif

#endif /* TENON_RUNTIME_NOTE_READER_H */
