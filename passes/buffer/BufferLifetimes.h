// The lifetimes of a function's buffers, in regions of their own.
#ifndef TENON_PASSES_BUFFER_BUFFERLIFETIMES_H
#define TENON_PASSES_BUFFER_BUFFERLIFETIMES_H

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"

namespace tenon {

/// Steps of a function, both included.
struct StepRange {
  int64_t first;
  int64_t last;
};

/// Numbers the ops of a function in program order, the ops of its loops and
/// branches included.
class BufferLifetimes {
public:
  explicit BufferLifetimes(mlir::func::FuncOp func);

  /// The steps at which the buffer's elements are needed. A buffer of a loop's
  /// body is needed in each iteration from its first write to its last read,
  /// unless it is carried to the next iteration or out of the loop.
  StepRange of(mlir::memref::AllocOp buffer) const;

private:
  void number(mlir::Block &block);
  StepRange needed(mlir::Operation *buffer, mlir::Operation *user) const;

  llvm::DenseMap<mlir::Operation *, StepRange> steps;
  int64_t numSteps = 0;
  mlir::BufferViewFlowAnalysis views;
};

} // namespace tenon

#endif // TENON_PASSES_BUFFER_BUFFERLIFETIMES_H
