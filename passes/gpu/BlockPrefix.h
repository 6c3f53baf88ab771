// Divides elements among the threads of a block, a part of neighbours each, and
// combines what the threads before have found in theirs.
#ifndef TENON_PASSES_GPU_BLOCKPREFIX_H
#define TENON_PASSES_GPU_BLOCKPREFIX_H

#include "passes/gpu/BlockKernel.h"

namespace tenon {

class BlockPrefix : protected BlockKernel {
protected:
  explicit BlockPrefix(Kernel &kernel)
      : BlockKernel(kernel), thread(threadNumber()) {}

  /// The thread's part of [0, count), in the order of threads.
  struct Part {
    mlir::Value low, high;
  };
  Part partOf(mlir::Value count);

  /// `identity` combined with the values `own` of the threads before, in their
  /// order. All threads of the block come here.
  mlir::Value
  before(mlir::Value own, mlir::Value identity,
         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

  mlir::Value thread; ///< its number in the block
};

} // namespace tenon

#endif // TENON_PASSES_GPU_BLOCKPREFIX_H
