// One fusion on its way to a function: the input and the result of every kernel
// emitter.
#ifndef TENON_PASSES_KERNEL_KERNEL_H
#define TENON_PASSES_KERNEL_KERNEL_H

#include "dialects/tenon/Machine.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>

namespace tenon {

/// Computes the number of tasks of a kernel, as an index, from the sizes of its
/// first output. It is called where the kernel is launched.
using TaskCounter =
    std::function<mlir::Value(mlir::OpBuilder &, mlir::Location,
                              llvm::ArrayRef<mlir::OpFoldResult> sizes)>;

/// The state of an emitter. The builder stands in the body of `func`, which
/// takes (call, inputs..., outputs..., begin, end); an emitter writes code for
/// the tasks [begin, end) and says how many tasks there are.
struct Kernel {
  FusionOp fusion; ///< its region specifies the result
  mlir::func::FuncOp func;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Value, mlir::Value>
      arguments{}; ///< region argument -> memref or index of the function
  llvm::SmallVector<mlir::Value> outputs{}; ///< memrefs, one per yielded value
  mlir::Value call;                         ///< !llvm.ptr, for faults
  mlir::Value begin, end;                   ///< index
  MachineAttr machine; ///< the machine that the code is made for
  /// The kernel is made for a device.
  bool hasFineTasks = false;
  llvm::SmallVector<mlir::Value>
      scratch{}; ///< memrefs on the stack, in the order of their creation
  llvm::SmallVector<mlir::Value>
      idleScratch{}; ///< those of the other branch, which this one may reuse

  mlir::Location loc() { return fusion.getLoc(); }
  /// The lanes of one vector register for elements of 4 bytes or for the widest
  /// element type of the kernel's tensors, whichever is wider; at least 4.
  int64_t lanes();
};

/// The op of this type in the kernel's region; null if there is none.
template <typename OpT> OpT opOf(Kernel &kernel) {
  for (mlir::Operation &op : kernel.fusion.getBlock())
    if (auto found = llvm::dyn_cast<OpT>(op))
      return found;
  return {};
}

/// The counter of a kernel that has one task, whatever its sizes are.
TaskCounter oneTask();

/// The memref type of a tensor in kernels: signless elements, a bool as one
/// byte.
mlir::MemRefType kernelMemRef(mlir::Type tensorOrMemRef);

/// Index arithmetic that folds constants.
struct IndexBuilder {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value floorDiv(mlir::Value a,
                       mlir::Value b); ///< a and b are not negative
  mlir::Value remainder(mlir::Value a,
                        mlir::Value b); ///< a and b are not negative
  mlir::Value ceilDiv(mlir::Value a, int64_t b);
  mlir::Value
  product(llvm::ArrayRef<mlir::OpFoldResult> sizes); ///< one if there are none
  mlir::Value less(mlir::Value a, mlir::Value b);    ///< signed, i1
  /// The indices of the element with the row-major number `linear` in a tensor
  /// of the given extents.
  llvm::SmallVector<mlir::Value>
  delinearize(mlir::Value linear, llvm::ArrayRef<mlir::Value> extents);
  /// The indices of the next element in row-major order, without divisions; the
  /// same indices if `advances`, an i1, is false. The first index has no limit.
  llvm::SmallVector<mlir::Value> successor(llvm::ArrayRef<mlir::Value> indices,
                                           llvm::ArrayRef<mlir::Value> extents,
                                           mlir::Value advances = {});
};

/// The ops that are emitted where the builder stands now, from here on. An
/// emitter that finds out late that it does not cover a form erases them.
class EmittedOps {
public:
  explicit EmittedOps(mlir::OpBuilder &builder);
  void erase();

private:
  mlir::Block *block;
  mlir::Block::iterator end; ///< the op that the builder stands before
  mlir::Operation *before;   ///< the last earlier op; null if there is none
};

} // namespace tenon

#endif // TENON_PASSES_KERNEL_KERNEL_H
