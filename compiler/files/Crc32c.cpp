// Processes eight bytes per step with eight tables (Kounavis and Berry, 2005).
#include "compiler/files/Crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace tenon::tf {

using Tables = std::array<std::array<uint32_t, 256>, 8>;

static constexpr Tables makeTables() {
  Tables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    tables[0][i] = crc;
  }
  for (size_t t = 1; t < 8; ++t)
    for (size_t i = 0; i < 256; ++i)
      tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 0xff];
  return tables;
}

uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before) {
  static constexpr Tables tables = makeTables();
  static_assert(std::endian::native == std::endian::little);
  uint32_t crc = ~before;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    word ^= crc;
    crc = 0;
    for (size_t t = 0; t < 8; ++t)
      crc ^= tables[7 - t][word >> 8 * t & 0xff];
  }
  for (; i < bytes.size(); ++i)
    crc = crc >> 8 ^ tables[0][(crc ^ uint32_t(bytes[i])) & 0xff];
  return ~crc;
}

} // namespace tenon::tf
