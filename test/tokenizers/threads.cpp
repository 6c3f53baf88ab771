// One tokenizer in many threads, with ThreadSanitizer: all get the same ids.
#include "test/tokenizers/Files.h"
#include "test/tokenizers/Session.h"

#include <cstdio>
#include <thread>

using namespace tenon::test;

int main() {
  for (const char *kind : {"llama3", "qwen2", "llama2", "expression"}) {
    Session opened(golden(kind));
    std::string text = "It's 1234 n\u00e4ive\u0301 words,\n\n  and <s> more: "
                       "\u4e2d\u6587 \U0001f600";
    std::vector<uint32_t> wanted = opened.encode(text, true);
    std::vector<std::vector<uint32_t>> got(8);
    std::vector<std::thread> threads;
    for (auto &ids : got)
      threads.emplace_back([&ids, &opened, &text] {
        for (int i = 0; i < 100; ++i) {
          ids.resize(text.size() + 16);
          size_t count = 0, bytes = 0;
          tenon_tokenizer_encode(opened.get(), text.data(), text.size(), 1,
                                 ids.data(), ids.size(), &count, nullptr);
          ids.resize(count);
          char buffer[400];
          tenon_tokenizer_decode(opened.get(), ids.data(), count, 0, buffer,
                                 sizeof buffer, &bytes, nullptr);
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    for (const auto &ids : got)
      if (ids != wanted || ids.empty()) {
        std::printf("%s: threads disagree\n", kind);
        return 1;
      }
  }
  return 0;
}
