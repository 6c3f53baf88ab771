// The choice of the architecture with an encoder.
#include "compiler/import/huggingface/models/EncoderDecoder.h"

namespace tenon::hf {

EncoderInputs encoderInputsOf(const Config &config) {
  if (const auto *t5 = std::get_if<T5Config>(&config.model))
    return t5EncoderInputs(*t5);
  return whisperEncoderInputs(std::get<WhisperConfig>(config.model));
}

std::unique_ptr<EncoderDecoder> makeEncoderDecoder(const Config &config,
                                                   const Part &root) {
  if (const auto *t5 = std::get_if<T5Config>(&config.model))
    return makeT5(*t5, root);
  return makeWhisper(std::get<WhisperConfig>(config.model), root);
}

} // namespace tenon::hf
