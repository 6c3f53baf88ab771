// The choice of the architecture.
#include "compiler/import/huggingface/models/EncoderDecoder.h"

namespace tenon::hf {

std::unique_ptr<Decoder> makeDecoder(const Config &config, const Part &root) {
  if (const auto *gpt2 = std::get_if<Gpt2Config>(&config.model))
    return makeGpt2(*gpt2, root);
  if (const auto *opt = std::get_if<OptConfig>(&config.model))
    return makeOpt(*opt, root);
  if (config.hasEncoder())
    return makeEncoderDecoder(config, root);
  return makeLlama(std::get<LlamaConfig>(config.model), root);
}

} // namespace tenon::hf
