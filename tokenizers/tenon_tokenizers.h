/* The C API of Tenon's tokenizers: text to token ids and back, as the files of
 * a checkpoint say. C11, also valid C++17.
 *
 * A tokenizer is opened once and then only read: any number of threads may use
 * it at the same time. A text decoder belongs to one thread at a time. The
 * caller owns every buffer that it passes. Nothing here prints, exits or
 * throws.
 *
 * Text is UTF-8 with a length, so it may contain NUL. Each ill-formed part of a
 * text counts as U+FFFD. */
#ifndef TENON_TOKENIZERS_TENON_TOKENIZERS_H
#define TENON_TOKENIZERS_TENON_TOKENIZERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TENON_API
#define TENON_API __attribute__((visibility("default")))
#endif

/* The result of a call. The values are the exit codes of the command line. */
typedef enum tenon_tokenizer_status {
  TENON_TOKENIZER_OK = 0,
  TENON_TOKENIZER_INVALID = 3,     /* a file is damaged or contradicts itself */
  TENON_TOKENIZER_UNSUPPORTED = 4, /* a file asks for something unsupported */
  TENON_TOKENIZER_LIMIT = 5,       /* out of memory, or beyond a limit */
  TENON_TOKENIZER_IO = 6,          /* a file could not be opened or read */
  TENON_TOKENIZER_BAD_INPUT = 8,   /* an argument is wrong */
  TENON_TOKENIZER_INTERNAL = 70    /* a bug of Tenon */
} tenon_tokenizer_status;

typedef struct tenon_tokenizer tenon_tokenizer;
typedef struct tenon_text_decoder tenon_text_decoder;

/* Where the reason of a failure goes: `text` gets at most `bytes` bytes,
 * including the final NUL. The first line names the file, the place in it, what
 * was expected and what was found; there is one line for each problem. */
typedef struct tenon_tokenizer_error {
  char *text;
  size_t bytes;
} tenon_tokenizer_error;

/* A file in memory. `name` is one of tokenizer.json, vocab.json, merges.txt,
 * spiece.model, tokenizer_config.json, special_tokens_map.json,
 * added_tokens.json. */
typedef struct tenon_tokenizer_file {
  const char *name;
  const void *data;
  size_t bytes;
} tenon_tokenizer_file;

/* The answer for a token that the vocabulary does not have. */
#define TENON_TOKENIZER_NO_ID UINT32_MAX

/* Opens the tokenizer at `path`: the folder of a checkpoint, with
 * tokenizer.json, with vocab.json and merges.txt or with spiece.model; or a
 * file with the content of a tokenizer.json, or of a spiece.model if its name
 * ends with `.model`. `error` may be null. On failure *tokenizer is null. */
TENON_API tenon_tokenizer_status
tenon_tokenizer_open(const char *path, tenon_tokenizer_error *error,
                     tenon_tokenizer **tokenizer);

/* Opens a tokenizer from files in memory, which may be freed afterwards. */
TENON_API tenon_tokenizer_status tenon_tokenizer_open_files(
    const tenon_tokenizer_file *files, size_t count,
    tenon_tokenizer_error *error, tenon_tokenizer **tokenizer);

/* Frees a tokenizer. None of its text decoders may be used afterwards. Null is
 * allowed. */
TENON_API void tenon_tokenizer_close(tenon_tokenizer *tokenizer);

/* Writes the ids of `text` to `ids` and their number to *count. With
 * `add_special` the ids have the special tokens of the model's template, such
 * as one for the beginning of the text. If there are more than `capacity` ids,
 * nothing is written to `ids`, *count is the capacity that is needed, and the
 * result is TENON_TOKENIZER_BAD_INPUT. */
TENON_API tenon_tokenizer_status tenon_tokenizer_encode(
    const tenon_tokenizer *tokenizer, const char *text, size_t text_bytes,
    int add_special, uint32_t *ids, size_t capacity, size_t *count,
    tenon_tokenizer_error *error);

/* Writes the text of `ids` to `text`, without a final NUL, and its length to
 * *text_bytes. With `skip_special` special tokens are left out. Ids that the
 * vocabulary does not have stand for no text. A `capacity` that is too small is
 * handled as by tenon_tokenizer_encode. */
TENON_API tenon_tokenizer_status tenon_tokenizer_decode(
    const tenon_tokenizer *tokenizer, const uint32_t *ids, size_t count,
    int skip_special, char *text, size_t capacity, size_t *text_bytes,
    tenon_tokenizer_error *error);

/* The number of tokens, added tokens included. Ids may have gaps. */
TENON_API size_t
tenon_tokenizer_vocabulary_size(const tenon_tokenizer *tokenizer);

/* The id of a token, or TENON_TOKENIZER_NO_ID. */
TENON_API uint32_t tenon_tokenizer_id(const tenon_tokenizer *tokenizer,
                                      const char *token, size_t token_bytes);

/* The token of an id as the vocabulary spells it, not as the text that it
 * stands for. It is valid until the tokenizer is closed. Null if the vocabulary
 * does not have the id. */
TENON_API const char *tenon_tokenizer_token(const tenon_tokenizer *tokenizer,
                                            uint32_t id, size_t *token_bytes);

/* Nonzero if `skip_special` leaves out the token. */
TENON_API int tenon_tokenizer_is_special(const tenon_tokenizer *tokenizer,
                                         uint32_t id);

/* Makes a decoder that takes ids one by one. Each piece of text that it gives
 * consists of whole characters. */
TENON_API tenon_tokenizer_status tenon_text_decoder_create(
    const tenon_tokenizer *tokenizer, int skip_special,
    tenon_tokenizer_error *error, tenon_text_decoder **decoder);

/* Frees a decoder. Null is allowed. */
TENON_API void tenon_text_decoder_destroy(tenon_text_decoder *decoder);

/* Adds an id. *text is the text that has become complete, *text_bytes long,
 * perhaps empty; it is valid until the decoder's next call. */
TENON_API tenon_tokenizer_status
tenon_text_decoder_push(tenon_text_decoder *decoder, uint32_t id,
                        const char **text, size_t *text_bytes);

/* Ends the text: *text is the rest, in which each part of an unfinished
 * character is U+FFFD. Then the decoder is as new. */
TENON_API tenon_tokenizer_status tenon_text_decoder_finish(
    tenon_text_decoder *decoder, const char **text, size_t *text_bytes);

#ifdef __cplusplus
}
#endif

#endif /* TENON_TOKENIZERS_TENON_TOKENIZERS_H */
