// Kernels for matrix units as one would write them by hand, with loops over
// registers unrolled here. Tests execute them, plant mistakes in them, and give
// them to NVIDIA's assembler.
#ifndef TENON_TEST_GPU_MATRIXKERNELS_H
#define TENON_TEST_GPU_MATRIXKERNELS_H

#include <string>

namespace tenon::ptx {

/// "name0, name1, .." of `count` registers.
inline std::string registersOf(const std::string &name, int first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i ? ", " : "") + name + std::to_string(first + i);
  return text;
}

/// C = A * B for sm_80: kernel `product`(A, B, C, depth, columns). A is rows of
/// bf16, B columns of bf16, C rows of f32. A block of 256 threads computes 128
/// x 128 elements; two stages of 32 products each are copied by cp.async. Rows
/// of 64 bytes are swizzled, so that ldmatrix has no bank conflicts.
std::string mmaProduct();

/// C = A * B for sm_90a: kernel `product`(C, depth, columns, map of A, map of
/// B). A block of 160 threads computes 64 x 64 elements: its last warp copies
/// boxes of 64 x 64 bf16 with swizzling into two stages, the others multiply
/// them by wgmma. A stage has an mbarrier that says it is full and one that
/// says it is free.
std::string wgmmaProduct();

} // namespace tenon::ptx

#endif
