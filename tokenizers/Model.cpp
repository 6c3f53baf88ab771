// The tokens of bytes, which both models have.
#include "tokenizers/Model.h"

namespace tenon::tokenizers {

static std::string byteToken(unsigned byte) {
  static const char digits[] = "0123456789ABCDEF";
  return {'<', '0', 'x', digits[byte >> 4], digits[byte & 15], '>'};
}

std::array<uint32_t, 256> findByteIds(const Vocabulary &vocabulary,
                                      bool areNeeded, const char *place,
                                      Findings &findings) {
  std::array<uint32_t, 256> ids;
  for (unsigned byte = 0; byte < 256; ++byte) {
    ids[byte] = vocabulary.find(byteToken(byte));
    if (areNeeded && ids[byte] == TENON_TOKENIZER_NO_ID)
      findings.invalid(place,
                       "expected a token for each byte, because byte_fallback "
                       "is true; there is no " +
                           quoted(byteToken(byte)));
  }
  return ids;
}

} // namespace tenon::tokenizers
