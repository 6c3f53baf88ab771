// Keys or values that attention joins as it meets them: earlier ones and new
// ones become an output of the kernel, block of rows by block, and are read
// while they are at hand.
#ifndef TENON_PASSES_CPU_ATTENTION_JOINEDROWS_H
#define TENON_PASSES_CPU_ATTENTION_JOINEDROWS_H

#include "passes/cpu/tile/KernelLoops.h"
#include "passes/kernel/nest/StridedOperand.h"

namespace tenon {

class JoinedRows : KernelLoops {
public:
  /// `join` concatenates two tensors along the last dimension but one, the
  /// rows; its dimension `order[i]` is the i-th. Nothing where it is not
  /// yielded or they are computed; else it has the output's memory from now on.
  static std::optional<JoinedRows> of(Kernel &kernel, ConcatenateOp join,
                                      llvm::ArrayRef<int64_t> order);

  /// Copies the rows [first, first + count) at `batch`, the indices of the
  /// dimensions before. Returns memory that has them, and the place of the
  /// first; one follows directly behind the other.
  std::pair<mlir::Value, mlir::Value>
  join(llvm::ArrayRef<mlir::Value> batch, mlir::Value first, mlir::Value count);

  /// Behind the last copy: lets other threads see what went past the caches.
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
  /// Whether one row follows directly behind the other.
  bool sideBySide(const StridedOperand &tensor);
  mlir::Value place(llvm::ArrayRef<mlir::Value> batch, const Rows &rows);
  void copyRows(llvm::ArrayRef<mlir::Value> batch, const Rows &from,
                const Rows &to, mlir::Value count);
  /// Elements that lie side by side.
  void copyRun(mlir::Value source, mlir::Value from, mlir::Value to,
               mlir::Value count, bool streamed);

  StridedOperand whole, earlier, later;
  int64_t width; ///< elements of a row
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_JOINEDROWS_H
