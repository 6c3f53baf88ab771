/* Sealing of an artifact: the compiler calls it after the linker. It is a
 * separate library, so that the compiler need not link the runtime. */
#ifndef TENON_RUNTIME_SEAL_H
#define TENON_RUNTIME_SEAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the bytes of an unsealed `.note.tenon`, at most `capacity` of them,
 * and returns the full size: call with capacity 0 to learn the size. Returns 0
 * if the symbol is empty or longer than TENON_NOTE_SYMBOL_MAX. */
size_t tenon_make_note(unsigned char *note, size_t capacity,
                       uint64_t cpu_features, uint64_t source_hash,
                       const char *compiler, const char *symbol);

/* Fills size, weights and hash into the note of the linked file `fd`, which is
 * open for reading and writing. Returns 0, or 1 with the reason in `text`.
 * Sealing a sealed file gives equal bytes. */
int tenon_seal_fd(int fd, char *text, size_t text_bytes);

/* Seals the file at `path`; returns as tenon_seal_fd does. */
int tenon_seal_artifact(const char *path, char *text, size_t text_bytes);

#ifdef __cplusplus
}
#endif

#endif /* TENON_RUNTIME_SEAL_H */
