/* Encodes and decodes a text by the tokenizer named on the command line. */
#include <stdio.h>
#include <string.h>
#include <tenon/tenon_tokenizers.h>

int main(int count, char **arguments) {
  char why[1024] = "", back[64];
  tenon_tokenizer_error error = {why, sizeof why};
  tenon_tokenizer *tokenizer = NULL;
  const char *text = "brown fox";
  uint32_t ids[32];
  size_t used = 0, bytes = 0;
  if (count != 2 ||
      tenon_tokenizer_open(arguments[1], &error, &tokenizer) !=
          TENON_TOKENIZER_OK ||
      tenon_tokenizer_encode(tokenizer, text, strlen(text), 0, ids, 32, &used,
                             &error) != TENON_TOKENIZER_OK ||
      tenon_tokenizer_decode(tokenizer, ids, used, 0, back, sizeof back, &bytes,
                             &error) != TENON_TOKENIZER_OK) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  tenon_tokenizer_close(tokenizer);
  return bytes == strlen(text) && memcmp(back, text, bytes) == 0 ? 0 : 2;
}
