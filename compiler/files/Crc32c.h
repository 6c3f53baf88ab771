// CRC-32C (Castagnoli), the checksum of TensorFlow's bundles.
#ifndef TENON_COMPILER_FILES_CRC32C_H
#define TENON_COMPILER_FILES_CRC32C_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace tenon::tf {

/// The checksum of `bytes` behind data with the checksum `before`.
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before = 0);

/// The form in which bundles store a checksum: rotated and shifted, so that
/// data with stored checksums in it has no special checksum.
inline uint32_t maskedCrc32c(uint32_t crc) {
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

} // namespace tenon::tf

#endif // TENON_COMPILER_FILES_CRC32C_H
