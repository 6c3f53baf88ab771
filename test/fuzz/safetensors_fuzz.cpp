// libFuzzer on the reader of safetensors headers: any bytes may come, and the
// ranges of a header that is read must lie in the file.
#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/Safetensors.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    for (const auto &tensor : tenon::hf::parseSafetensors(
             std::as_bytes(std::span(data, size)), size))
      if (tensor.offset > size || tensor.length > size - tensor.offset ||
          tensor.numElements() < 0)
        std::abort();
  } catch (const tenon::ReadFailure &) {
  }
  return 0;
}
