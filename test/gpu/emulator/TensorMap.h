// The description of a tensor in global memory that copies of boxes use. Only
// the stand-in for the driver makes it, and only the emulator reads it: what a
// device's looks like is not published.
#ifndef TENON_TEST_GPU_EMULATOR_TENSORMAP_H
#define TENON_TEST_GPU_EMULATOR_TENSORMAP_H

#include <array>
#include <cstdint>
#include <string>

namespace tenon::ptx {

constexpr uint32_t maxTensorRank = 5, tensorMapBytes = 128, tensorMapAlign = 64;

/// How pieces of 16 bytes change places in a row of shared memory.
enum class Swizzle : uint8_t { None, Of32, Of64, Of128 };

/// The bytes of a row that is swizzled, or 0.
constexpr uint32_t swizzleBytes(Swizzle swizzle) {
  return swizzle == Swizzle::None ? 0 : 16u << uint32_t(swizzle);
}

/// Where the byte at an address of shared memory stands with swizzling: the
/// bits from 4 on change by those from 7 on.
constexpr uint64_t swizzled(Swizzle swizzle, uint64_t address) {
  uint64_t bits = (uint64_t(1) << uint32_t(swizzle)) - 1;
  return address ^ ((address >> 7 & bits) << 4);
}

/// The innermost dimension is the first.
struct TensorMap {
  static constexpr uint64_t madeHere = 0x54656e6f6e4d6170;

  uint64_t magic = madeHere;
  uint64_t address = 0;
  std::array<uint64_t, maxTensorRank> extents{};
  std::array<uint64_t, maxTensorRank - 1>
      strides{}; // of dimensions 1 .., bytes
  std::array<uint16_t, maxTensorRank> box{};
  uint8_t elementBytes = 0, rank = 0;
  Swizzle swizzle = Swizzle::None;

  uint32_t rowBytes() const { return uint32_t(box[0]) * elementBytes; }
  uint32_t boxBytes() const {
    uint32_t bytes = elementBytes;
    for (uint32_t i = 0; i < rank; ++i)
      bytes *= box[i];
    return bytes;
  }
};
static_assert(sizeof(TensorMap) <= tensorMapBytes);

/// What the driver refuses about a map; empty if it is right.
std::string tensorMapError(const TensorMap &map);

} // namespace tenon::ptx

#endif
