// Emits what kernels have in common whose threads share a task: memory of the
// block, barriers, shuffles, and accesses of 16 bytes.
#ifndef TENON_PASSES_GPU_BLOCKKERNEL_H
#define TENON_PASSES_GPU_BLOCKKERNEL_H

#include "passes/gpu/AlignedQuads.h"
#include "passes/kernel/KernelLoops.h"

namespace tenon {

/// Threads of a block unless its plan says otherwise; TENON_BLOCK_THREADS in
/// runtime/core/block.h.
inline constexpr int64_t blockThreads = 256;

class BlockKernel : protected KernelLoops {
protected:
  explicit BlockKernel(Kernel &kernel) : KernelLoops(kernel) {}

  /// Shared memory of a block for `elements` of a type, or f32; `name` is
  /// unique in the kernel.
  mlir::Value shared(llvm::StringRef name, int64_t elements,
                     mlir::Type element = {});
  /// The number of the thread in its block, as an index.
  mlir::Value threadNumber();
  /// All threads of the block wait for one another here.
  void barrier();
  /// All threads of the warp wait for one another here.
  void warpBarrier();
  /// The scalar that the lane has whose number differs in the bits of
  /// `distance`. All lanes of the warp come here together.
  mlir::Value fromLane(mlir::Value value, int64_t distance);

  static constexpr int64_t warpThreads = 32;
  /// The `count` elements of type `element` from `place` on in `memory`, as
  /// f32. They are aligned if `count` is a quad.
  Values loadSeveral(mlir::Value memory, mlir::Type element, mlir::Value place,
                     int64_t count);
  /// `count` elements, at most a quad, of shared memory. `place` is a multiple
  /// of `count`.
  Values loadShared(mlir::Value memory, mlir::Value place, int64_t count);
  void storeShared(mlir::ValueRange values, mlir::Value memory,
                   mlir::Value place);
};

} // namespace tenon

#endif // TENON_PASSES_GPU_BLOCKKERNEL_H
