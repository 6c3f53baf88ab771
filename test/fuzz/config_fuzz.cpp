// libFuzzer on the readers of JSON texts, configurations and vocabularies: any
// bytes may come, and a configuration that is read has heads that divide.
#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/Config.h"
#include "compiler/import/huggingface/reader/GenerationConfig.h"
#include "compiler/import/huggingface/reader/TokenPieces.h"

#include <cstdlib>

/// Calls a reader, which may refuse the text.
template <typename Reader> static void tryTo(Reader read) {
  try {
    (void)read();
  } catch (const tenon::ReadFailure &) {
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    std::string_view text(reinterpret_cast<const char *>(data), size);
    tenon::Json json = tenon::parseJson(text);
    tryTo([&] { return tenon::hf::readGenerationConfig(json); });
    tryTo([&] { return tenon::hf::readSpeechTokens(json, json); });
    tryTo([&] { return tenon::hf::makeTokenPieces(json, 1 << 16); });
    tenon::hf::Config config = tenon::hf::readConfig(json);
    if (config.vocabulary() < 1 || config.positions() < 1)
      std::abort();
    if (const auto *llama = std::get_if<tenon::hf::LlamaConfig>(&config.model);
        llama && llama->heads % llama->sharedHeads != 0)
      std::abort();
  } catch (const tenon::ReadFailure &) {
  }
  return 0;
}
