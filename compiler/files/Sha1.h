// SHA-1 (FIPS 180-4), the checksum that ONNX defines for external data. It
// detects damaged files, not forged ones.
#ifndef TENON_COMPILER_FILES_SHA1_H
#define TENON_COMPILER_FILES_SHA1_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tenon {

class Sha1 {
public:
  void update(std::span<const std::byte> bytes);
  /// The digest in lower-case hexadecimal. Call no function afterwards.
  std::string finish();

private:
  void block(const uint8_t *bytes);

  std::array<uint32_t, 5> state = {0x67452301, 0xefcdab89, 0x98badcfe,
                                   0x10325476, 0xc3d2e1f0};
  std::array<uint8_t, 64> buffer = {};
  uint64_t total = 0;
};

} // namespace tenon

#endif // TENON_COMPILER_FILES_SHA1_H
