// libFuzzer on the readers of tokenizers. The first byte says which file the
// others are; a tokenizer that is read must also encode and decode.
#include "tokenizers/tenon_tokenizers.h"

#include <cstdlib>
#include <string_view>
#include <vector>

static void use(const tenon_tokenizer *tokenizer) {
  std::string_view text = "It's 12 na\u00efve e\u0301 \u4e2d\n\n  <s>\xff";
  uint32_t ids[256];
  size_t count = 0, bytes = 0;
  if (tenon_tokenizer_encode(tokenizer, text.data(), text.size(), 1, ids, 256,
                             &count, nullptr) != TENON_TOKENIZER_OK)
    return;
  std::vector<char> back(1 << 16);
  tenon_tokenizer_decode(tokenizer, ids, count, 0, back.data(), back.size(),
                         &bytes, nullptr);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  static constexpr std::string_view vocabulary =
      R"({"a": 0, "b": 1, "ab": 2, "<s>": 3})";
  static constexpr std::string_view merges = "#version: 0.2\na b\n";
  tenon_tokenizer_file whole[] = {{"tokenizer.json", data + 1, size - 1}};
  tenon_tokenizer_file parts[] = {
      {"vocab.json", vocabulary.data(), vocabulary.size()},
      {"merges.txt", merges.data(), merges.size()},
      {"tokenizer_config.json", "{}", 2}};
  bool isWhole = data[0] % 5 >= 3;
  if (data[0] % 5 == 4)
    whole[0].name = "spiece.model";
  if (!isWhole) {
    parts[data[0] % 5].data = data + 1;
    parts[data[0] % 5].bytes = size - 1;
  }
  char why[512];
  tenon_tokenizer_error error{why, sizeof why};
  tenon_tokenizer *tokenizer = nullptr;
  tenon_tokenizer_status status = tenon_tokenizer_open_files(
      isWhole ? whole : parts, isWhole ? 1 : 3, &error, &tokenizer);
  if (status == TENON_TOKENIZER_INTERNAL)
    abort();
  if (tokenizer)
    use(tokenizer);
  tenon_tokenizer_close(tokenizer);
  return 0;
}
