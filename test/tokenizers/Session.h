// The C API for tests in C++.
#ifndef TENON_TEST_TOKENIZERS_SESSION_H
#define TENON_TEST_TOKENIZERS_SESSION_H

#include "tokenizers/tenon_tokenizers.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::test {

/// True if all of `text` is well-formed UTF-8. Written apart from the library.
inline bool isText(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    unsigned char c = text[i];
    size_t tails = c < 0x80 ? 0 : c >> 5 == 6 ? 1 : c >> 4 == 14 ? 2 : 3;
    if (c >= 0x80 && (c < 0xc2 || c > 0xf4))
      return false;
    uint32_t value = tails == 0 ? c : c & (0x3f >> tails);
    for (size_t k = 1; k <= tails; ++k) {
      if (i + k >= text.size() || (text[i + k] & 0xc0) != 0x80)
        return false;
      value = value << 6 | (text[i + k] & 0x3f);
    }
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (value < least[tails] || value > 0x10ffff ||
        (value >= 0xd800 && value < 0xe000))
      return false;
    i += tails + 1;
  }
  return true;
}

class Session {
public:
  /// Opens the folder or file `path`.
  explicit Session(const std::string &path) {
    tenon_tokenizer_error error = room();
    status = tenon_tokenizer_open(path.c_str(), &error, &tokenizer);
  }
  /// Opens files in memory, by name.
  explicit Session(const std::map<std::string, std::string> &files) {
    std::vector<tenon_tokenizer_file> list;
    for (const auto &[name, content] : files)
      list.push_back({name.c_str(), content.data(), content.size()});
    tenon_tokenizer_error error = room();
    status = tenon_tokenizer_open_files(list.data(), list.size(), &error,
                                        &tokenizer);
  }
  ~Session() { tenon_tokenizer_close(tokenizer); }
  Session(const Session &) = delete;

  bool isOpen() const { return tokenizer != nullptr; }
  tenon_tokenizer_status getStatus() const { return status; }
  std::string getError() const { return text; }
  const tenon_tokenizer *get() const { return tokenizer; }

  size_t size() const { return tenon_tokenizer_vocabulary_size(tokenizer); }

  std::string token(uint32_t id) const {
    size_t bytes = 0;
    const char *token = tenon_tokenizer_token(tokenizer, id, &bytes);
    return token ? std::string(token, bytes) : "(none)";
  }

  /// The ids; none after a failure, which `getError` then tells.
  std::vector<uint32_t> encode(std::string_view text, bool addSpecial) {
    std::vector<uint32_t> ids(text.size() + 16);
    tenon_tokenizer_error error = room();
    for (int i = 0; i < 2; ++i) {
      size_t count = 0;
      status = tenon_tokenizer_encode(tokenizer, text.data(), text.size(),
                                      addSpecial, ids.data(), ids.size(),
                                      &count, &error);
      bool isTooSmall = count > ids.size();
      ids.resize(count);
      if (!isTooSmall)
        break;
    }
    return ids;
  }

  std::string decode(const std::vector<uint32_t> &ids, bool skipSpecial) {
    std::string result(16 * ids.size() + 16, '\0');
    tenon_tokenizer_error error = room();
    for (int i = 0; i < 2; ++i) {
      size_t bytes = 0;
      status =
          tenon_tokenizer_decode(tokenizer, ids.data(), ids.size(), skipSpecial,
                                 result.data(), result.size(), &bytes, &error);
      bool isTooSmall = bytes > result.size();
      result.resize(bytes);
      if (!isTooSmall)
        break;
    }
    return result;
  }

  /// The text of a decoder that gets the ids one by one; "(torn)" if a piece
  /// has a part of a character.
  std::string decodePieces(const std::vector<uint32_t> &ids, bool skipSpecial) {
    tenon_text_decoder *decoder = nullptr;
    tenon_text_decoder_create(tokenizer, skipSpecial, nullptr, &decoder);
    std::string whole;
    bool isTorn = false;
    auto take = [&](const char *piece, size_t bytes) {
      isTorn |= !isText({piece, bytes});
      whole.append(piece, bytes);
    };
    const char *piece;
    size_t bytes;
    for (uint32_t id : ids) {
      tenon_text_decoder_push(decoder, id, &piece, &bytes);
      take(piece, bytes);
    }
    tenon_text_decoder_finish(decoder, &piece, &bytes);
    take(piece, bytes);
    tenon_text_decoder_destroy(decoder);
    return isTorn ? "(torn)" : whole;
  }

private:
  tenon_tokenizer_error room() { return {text, sizeof text}; }

  tenon_tokenizer *tokenizer = nullptr;
  tenon_tokenizer_status status = TENON_TOKENIZER_OK;
  char text[8192] = "";
};

} // namespace tenon::test

#endif // TENON_TEST_TOKENIZERS_SESSION_H
