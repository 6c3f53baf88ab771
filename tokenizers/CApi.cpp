// The C functions. No exception leaves them: a failure becomes a status and a
// text.
#include "tokenizers/Tokenizer.h"

#include <algorithm>
#include <cstring>
#include <new>

using tenon::tokenizers::Decoding;
using tenon::tokenizers::Failure;
using tenon::tokenizers::Files;
using tenon::tokenizers::Tokenizer;

struct tenon_tokenizer {
  std::unique_ptr<const Tokenizer> parts;
};

struct tenon_text_decoder {
  const Tokenizer &tokenizer;
  bool skipSpecial;
  Decoding decoding;
  std::string text;
};

static void tell(tenon_tokenizer_error *error, std::string_view text) {
  if (!error || !error->text || error->bytes == 0)
    return;
  size_t length = std::min(text.size(), error->bytes - 1);
  std::memcpy(error->text, text.data(), length);
  error->text[length] = '\0';
}

/// Runs `body`, which returns a status or throws.
template <typename Body>
static tenon_tokenizer_status guarded(tenon_tokenizer_error *error, Body body) {
  tell(error, "");
  try {
    return body();
  } catch (const Failure &failure) {
    tell(error, failure.text);
    return failure.status;
  } catch (const std::bad_alloc &) {
    tell(error, "out of memory");
    return TENON_TOKENIZER_LIMIT;
  } catch (const std::exception &unexpected) {
    tell(error, unexpected.what());
    return TENON_TOKENIZER_INTERNAL;
  }
}

[[noreturn]] static void failArgument(const char *what) {
  throw Failure{TENON_TOKENIZER_BAD_INPUT, what};
}

/// Copies `from` to the caller's buffer, or fails if it has no room.
template <typename From, typename T>
static tenon_tokenizer_status deliver(const From &from, T *to, size_t capacity,
                                      size_t *count, const char *unit) {
  *count = from.size();
  if (from.size() > capacity)
    throw Failure{TENON_TOKENIZER_BAD_INPUT,
                  "expected room for " + std::to_string(from.size()) + " " +
                      unit + ", got room for " + std::to_string(capacity)};
  std::copy(from.begin(), from.end(), to);
  return TENON_TOKENIZER_OK;
}

static tenon_tokenizer_status open(const Files &files,
                                   tenon_tokenizer **tokenizer) {
  *tokenizer = new tenon_tokenizer{Tokenizer::make(files)};
  return TENON_TOKENIZER_OK;
}

extern "C" {

tenon_tokenizer_status tenon_tokenizer_open(const char *path,
                                            tenon_tokenizer_error *error,
                                            tenon_tokenizer **tokenizer) {
  if (tokenizer)
    *tokenizer = nullptr;
  return guarded(error, [&] {
    if (!path || !tokenizer)
      failArgument("expected a path and a place for the tokenizer, got null");
    return open(Files::read(path), tokenizer);
  });
}

tenon_tokenizer_status
tenon_tokenizer_open_files(const tenon_tokenizer_file *files, size_t count,
                           tenon_tokenizer_error *error,
                           tenon_tokenizer **tokenizer) {
  if (tokenizer)
    *tokenizer = nullptr;
  return guarded(error, [&] {
    if (!tokenizer || (!files && count))
      failArgument("expected files and a place for the tokenizer, got null");
    Files all;
    for (size_t i = 0; i < count; ++i) {
      if (!files[i].name || (!files[i].data && files[i].bytes))
        failArgument("expected files with a name and data, got null");
      all.add(files[i].name,
              std::string(static_cast<const char *>(files[i].data),
                          files[i].bytes));
    }
    return open(all, tokenizer);
  });
}

void tenon_tokenizer_close(tenon_tokenizer *tokenizer) { delete tokenizer; }

tenon_tokenizer_status tenon_tokenizer_encode(const tenon_tokenizer *tokenizer,
                                              const char *text,
                                              size_t text_bytes,
                                              int add_special, uint32_t *ids,
                                              size_t capacity, size_t *count,
                                              tenon_tokenizer_error *error) {
  return guarded(error, [&] {
    if (!tokenizer || (!text && text_bytes) || (!ids && capacity) || !count)
      failArgument("expected a tokenizer, a text, room for ids and a place for "
                   "their number, got null");
    return deliver(tokenizer->parts->encode({text, text_bytes}, add_special),
                   ids, capacity, count, "ids");
  });
}

tenon_tokenizer_status tenon_tokenizer_decode(const tenon_tokenizer *tokenizer,
                                              const uint32_t *ids, size_t count,
                                              int skip_special, char *text,
                                              size_t capacity,
                                              size_t *text_bytes,
                                              tenon_tokenizer_error *error) {
  return guarded(error, [&] {
    if (!tokenizer || (!ids && count) || (!text && capacity) || !text_bytes)
      failArgument("expected a tokenizer, ids, room for a text and a place for "
                   "its length, got null");
    return deliver(tokenizer->parts->decode({ids, count}, skip_special), text,
                   capacity, text_bytes, "bytes");
  });
}

size_t tenon_tokenizer_vocabulary_size(const tenon_tokenizer *tokenizer) {
  return tokenizer ? tokenizer->parts->size() : 0;
}

uint32_t tenon_tokenizer_id(const tenon_tokenizer *tokenizer, const char *token,
                            size_t token_bytes) {
  if (!tokenizer || (!token && token_bytes))
    return TENON_TOKENIZER_NO_ID;
  return tokenizer->parts->find({token, token_bytes});
}

const char *tenon_tokenizer_token(const tenon_tokenizer *tokenizer, uint32_t id,
                                  size_t *token_bytes) {
  std::string_view token;
  if (tokenizer)
    token = tokenizer->parts->tokenOf(id);
  if (token_bytes)
    *token_bytes = token.size();
  return token.data();
}

int tenon_tokenizer_is_special(const tenon_tokenizer *tokenizer, uint32_t id) {
  return tokenizer && tokenizer->parts->isSpecial(id);
}

tenon_tokenizer_status
tenon_text_decoder_create(const tenon_tokenizer *tokenizer, int skip_special,
                          tenon_tokenizer_error *error,
                          tenon_text_decoder **decoder) {
  if (decoder)
    *decoder = nullptr;
  return guarded(error, [&] {
    if (!tokenizer || !decoder)
      failArgument(
          "expected a tokenizer and a place for the decoder, got null");
    *decoder = new tenon_text_decoder{
        *tokenizer->parts,
        skip_special != 0,
        Decoding(tokenizer->parts->getDecoder(), /*promptly=*/true),
        {}};
    return TENON_TOKENIZER_OK;
  });
}

void tenon_text_decoder_destroy(tenon_text_decoder *decoder) { delete decoder; }

tenon_tokenizer_status tenon_text_decoder_push(tenon_text_decoder *decoder,
                                               uint32_t id, const char **text,
                                               size_t *text_bytes) {
  return guarded(nullptr, [&] {
    if (!decoder || !text || !text_bytes)
      failArgument("null");
    decoder->text.clear();
    std::string_view token = decoder->tokenizer.tokenOf(id);
    bool isLeftOut = decoder->skipSpecial && decoder->tokenizer.isSpecial(id);
    if (token.data() && !isLeftOut)
      decoder->decoding.push(token, decoder->text);
    *text = decoder->text.data();
    *text_bytes = decoder->text.size();
    return TENON_TOKENIZER_OK;
  });
}

tenon_tokenizer_status tenon_text_decoder_finish(tenon_text_decoder *decoder,
                                                 const char **text,
                                                 size_t *text_bytes) {
  return guarded(nullptr, [&] {
    if (!decoder || !text || !text_bytes)
      failArgument("null");
    decoder->text.clear();
    decoder->decoding.finish(decoder->text);
    *text = decoder->text.data();
    *text_bytes = decoder->text.size();
    return TENON_TOKENIZER_OK;
  });
}

} // extern "C"
