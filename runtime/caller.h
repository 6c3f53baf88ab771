/* Structs that a caller gives, of any version, and texts in its buffers. */
#ifndef TENON_RUNTIME_CALLER_H
#define TENON_RUNTIME_CALLER_H

#include <stddef.h>

/* Copies the struct whose struct_size is at `from` into the zeroed struct `to`
 * of `size` bytes. That of an older client is shorter; in that of a newer
 * client every byte past `size` must be zero. Returns 0 if the struct_size is
 * less than `least` or a field is not understood. */
int tenon_read_options(void *to, size_t size, size_t least, const void *from);

/* Copies `text` to a buffer of `bytes` bytes, with a NUL at its end; text that
 * does not fit is cut off. Without a buffer nothing is copied. */
void tenon_give_text(char *buffer, size_t bytes, const char *text);

#endif /* TENON_RUNTIME_CALLER_H */
