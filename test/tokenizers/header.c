/* Tests the public header as strict C11 and strict C++17: a short program on the
 * shared library. */
#include "tokenizers/tenon_tokenizers.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  char why[256];
  tenon_tokenizer_error error;
  tenon_tokenizer *tokenizer;
  uint32_t ids[16];
  char text[16];
  size_t count, bytes;
  error.text = why;
  error.bytes = sizeof why;
  if (argc != 2 ||
      tenon_tokenizer_open(argv[1], &error, &tokenizer) != TENON_TOKENIZER_OK)
    return 1;
  if (tenon_tokenizer_encode(tokenizer, "abc", 3, 0, ids, 16, &count, &error) !=
          TENON_TOKENIZER_OK ||
      tenon_tokenizer_decode(tokenizer, ids, count, 0, text, sizeof text, &bytes,
                             &error) != TENON_TOKENIZER_OK) {
    puts(why);
    return 2;
  }
  tenon_tokenizer_close(tokenizer);
  return bytes == 3 && memcmp(text, "abc", 3) == 0 ? 0 : 3;
}
