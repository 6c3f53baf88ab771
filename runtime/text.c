/* Builds failure texts: appends pieces to one terminated string. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_NAME_BYTES = 200 };

void tenon_text_clear(tenon_text *text) {
  text->length = 0;
  text->bytes[0] = 0;
}

void tenon_text_add(tenon_text *text, const char *format, ...) {
  size_t room = sizeof text->bytes - text->length;
  va_list arguments;
  va_start(arguments, format);
  int wanted = vsnprintf(text->bytes + text->length, room, format, arguments);
  va_end(arguments);
  if (wanted > 0)
    text->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

void tenon_text_add_name(tenon_text *text, const char *name) {
  for (size_t i = 0; name[i]; ++i) {
    unsigned char c = (unsigned char)name[i];
    if (i == MAX_NAME_BYTES) {
      tenon_text_add(text, "...");
      return;
    }
    tenon_text_add(text, c < 0x20 || c == 0x7f ? "\\x%02x" : "%c", c);
  }
}
