// How wgmma finds a matrix in shared memory: a word of 64 bits, and pieces of
// 16 bytes. A multiplicand has rows (of A, or columns of B) and a depth. Along
// the dimension whose elements stand together, a piece has 16 bytes of them.
#ifndef TENON_TEST_GPU_EMULATOR_MATRIXDESCRIPTOR_H
#define TENON_TEST_GPU_EMULATOR_MATRIXDESCRIPTOR_H

#include "test/gpu/emulator/TensorMap.h"

namespace tenon::ptx {

class MatrixDescriptor {
public:
  explicit constexpr MatrixDescriptor(uint64_t bits)
      : start((bits & 0x3fff) << 4), leading((bits >> 16 & 0x3fff) << 4),
        stride((bits >> 32 & 0x3fff) << 4), baseOffset(bits >> 49 & 7),
        swizzle(swizzleOf(bits >> 62)),
        isValid((bits & 0x3fe1c000c000c000) == 0) {}

  /// The address of a piece of the depth, of one row.
  constexpr uint64_t pieceOfDepth(uint32_t row, uint32_t piece) const {
    uint64_t width = swizzleBytes(swizzle),
             inRow = width ? piece * 16 : piece * leading;
    return swizzled(swizzle, start + row % 8 * (width ? width : 16) +
                                 row / 8 * stride + inRow);
  }
  /// The address of a piece of rows, at one depth.
  constexpr uint64_t pieceOfRows(uint32_t depth, uint32_t piece) const {
    uint64_t width = swizzleBytes(swizzle);
    if (width == 0)
      return start + piece * stride + depth % 8 * 16 + depth / 8 * leading;
    uint64_t pieces = width / 16;
    return swizzled(swizzle, start + piece % pieces * 16 +
                                 piece / pieces * leading + depth % 8 * width +
                                 depth / 8 * stride);
  }

  uint64_t start, leading, stride;
  uint32_t baseOffset;
  Swizzle swizzle;
  bool isValid; ///< the bits that mean nothing are zero

private:
  static constexpr Swizzle swizzleOf(uint64_t mode) {
    return mode == 0   ? Swizzle::None
           : mode == 1 ? Swizzle::Of128
           : mode == 2 ? Swizzle::Of64
                       : Swizzle::Of32;
  }
};

} // namespace tenon::ptx

#endif
