// Keys or values that attention joins while it reads them. Earlier and new ones
// become an output of the kernel, one block of rows after another. Attention
// reads each block when it is copied.
#ifndef TENON_PASSES_CPU_ATTENTION_JOINEDROWS_H
#define TENON_PASSES_CPU_ATTENTION_JOINEDROWS_H

#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/nest/StridedOperand.h"

namespace tenon {

class JoinedRows : KernelLoops {
public:
  /// `join` concatenates two tensors along the rows, the last dimension but
  /// one. Dimension i here is dimension `order[i]` of `join`. Nullopt if `join`
  /// is not yielded, if an operand is computed or if the width is dynamic.
  /// Otherwise maps `join` to the memory of the output.
  static std::optional<JoinedRows> of(Kernel &kernel, ConcatenateOp join,
                                      llvm::ArrayRef<int64_t> order);

  /// Copies the rows [first, first + count) at `batch`, the indices of the
  /// dimensions before. Returns memory in which these rows are contiguous, and
  /// the place of the first row.
  std::pair<mlir::Value, mlir::Value>
  join(llvm::ArrayRef<mlir::Value> batch, mlir::Value first, mlir::Value count);

  /// Makes non-temporal stores visible to other threads. Call it after the last
  /// copy.
  static void settle(Kernel &kernel);

private:
  struct Rows {
    const StridedOperand &tensor;
    mlir::Value first;
  };
  JoinedRows(Kernel &kernel, StridedOperand whole, StridedOperand earlier,
             StridedOperand later, int64_t width)
      : KernelLoops(kernel), whole(whole), earlier(earlier), later(later),
        width(width) {}
  /// True if the rows are contiguous.
  bool sideBySide(const StridedOperand &tensor);
  mlir::Value place(llvm::ArrayRef<mlir::Value> batch, const Rows &rows);
  void copyRows(llvm::ArrayRef<mlir::Value> batch, const Rows &from,
                const Rows &to, mlir::Value count);
  /// Copies `count` contiguous elements.
  void copyRun(mlir::Value source, mlir::Value from, mlir::Value to,
               mlir::Value count, bool streamed);

  StridedOperand whole, earlier, later;
  int64_t width; ///< elements of a row
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_JOINEDROWS_H
