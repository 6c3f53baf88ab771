/* Fields are only ever added at the end of a struct, so its size tells which of
 * them a caller knows. */
#include "caller.h"

#include <string.h>

int tenon_read_options(void *to, size_t size, size_t least, const void *from) {
  size_t given;
  memset(to, 0, size);
  if (!from)
    return 1;
  memcpy(&given, from, sizeof given);
  if (given < least || given > 4096)
    return 0;
  for (size_t i = size; i < given; ++i)
    if (((const char *)from)[i] != 0)
      return 0; /* a newer client sets a field that we do not know */
  memcpy(to, from, given < size ? given : size);
  return 1;
}

void tenon_give_text(char *buffer, size_t bytes, const char *text) {
  if (!buffer || bytes == 0)
    return;
  size_t length = strlen(text);
  if (length >= bytes)
    length = bytes - 1;
  memcpy(buffer, text, length);
  buffer[length] = 0;
}
