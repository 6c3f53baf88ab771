// The checksum of TensorFlow's bundles: CRC-32C (Castagnoli).
#ifndef TENON_COMPILER_FILES_CRC32C_H
#define TENON_COMPILER_FILES_CRC32C_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace tenon::tf {

/// The checksum of `bytes` after those that gave `before`.
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before = 0);

/// As bundles store it: rotated and shifted, so that a checksum of bytes with
/// checksums in them is as good as any.
inline uint32_t maskedCrc32c(uint32_t crc) {
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

} // namespace tenon::tf

#endif // TENON_COMPILER_FILES_CRC32C_H
