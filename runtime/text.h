/* The text of a failure, built without allocation; text that does not fit is
 * cut off. Names from files are escaped, so every line break in the text is
 * ours. */
#ifndef TENON_RUNTIME_TEXT_H
#define TENON_RUNTIME_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct tenon_text {
  size_t length;
  char bytes[1024];
} tenon_text;

void tenon_text_clear(tenon_text *text);

__attribute__((format(printf, 2, 3))) void
tenon_text_add(tenon_text *text, const char *format, ...);

/* Adds `name` with control bytes as \xNN; a very long name is shortened. */
void tenon_text_add_name(tenon_text *text, const char *name);

#endif /* TENON_RUNTIME_TEXT_H */
