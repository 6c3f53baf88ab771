// The choice of the architecture with an encoder.
#include "compiler/import/huggingface/models/EncoderDecoder.h"

namespace tenon::hf {

EncoderInputs encoderInputsOf(const Config &config) {
  return t5EncoderInputs(std::get<T5Config>(config.model));
}

std::unique_ptr<EncoderDecoder> makeEncoderDecoder(const Config &config,
                                                   const Part &root) {
  return makeT5(std::get<T5Config>(config.model), root);
}

} // namespace tenon::hf
