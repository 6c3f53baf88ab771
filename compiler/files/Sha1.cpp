// A simple implementation of FIPS 180-4, section 6.1. Checksums are rare, so it
// is not optimized.
#include "compiler/files/Sha1.h"

#include <bit>

namespace tenon {

void Sha1::block(const uint8_t *bytes) {
  uint32_t w[80];
  for (int i = 0; i < 16; ++i)
    w[i] = uint32_t(bytes[4 * i]) << 24 | uint32_t(bytes[4 * i + 1]) << 16 |
           uint32_t(bytes[4 * i + 2]) << 8 | bytes[4 * i + 3];
  for (int i = 16; i < 80; ++i)
    w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  auto [a, b, c, d, e] = state;
  for (int i = 0; i < 80; ++i) {
    uint32_t f, k;
    if (i < 20)
      f = (b & c) | (~b & d), k = 0x5a827999;
    else if (i < 40)
      f = b ^ c ^ d, k = 0x6ed9eba1;
    else if (i < 60)
      f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdc;
    else
      f = b ^ c ^ d, k = 0xca62c1d6;
    uint32_t next = std::rotl(a, 5) + f + e + k + w[i];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d,
           state[4] + e};
}

void Sha1::update(std::span<const std::byte> bytes) {
  for (std::byte byte : bytes) {
    buffer[total++ % 64] = static_cast<uint8_t>(byte);
    if (total % 64 == 0)
      block(buffer.data());
  }
}

std::string Sha1::finish() {
  uint64_t bits = total * 8;
  std::byte pad{0x80};
  do {
    update({&pad, 1});
    pad = std::byte{0};
  } while (total % 64 != 56);
  for (int shift = 56; shift >= 0; shift -= 8) {
    std::byte byte{static_cast<uint8_t>(bits >> shift)};
    update({&byte, 1});
  }
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4)
      text += digits[word >> shift & 15];
  return text;
}

} // namespace tenon
