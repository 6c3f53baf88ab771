// Which values of a placed function may be the same memory, and where that
// memory is.
#ifndef TENON_PASSES_GPU_BUFFERCLASSES_H
#define TENON_PASSES_GPU_BUFFERCLASSES_H

#include "dialects/tenon/Device.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace tenon {

/// What is known of all values that may be one memory.
struct BufferClass {
  /// The memory is in host memory alone: on the stack, a table of extents or a
  /// constant.
  bool isOfHost = false;
  /// Host memory has a copy or a counterpart of it: an input, the weights or
  /// the arena, seen through views and selections alone.
  bool hasCounterpart = true;
  bool isInput = false, isState = false, isOutput = false;
  bool isReadByHost = false;
  bool isReadByDevice = false, isWrittenByDevice = false;

  /// True if the device must see what host code writes: it uses the values, or
  /// host code reads them there.
  bool isOfDevice() const {
    return isReadByDevice || isWrittenByDevice || isState || isOutput ||
           !hasCounterpart;
  }
  /// True if the counterpart misses values that only the device has.
  bool isStaleOnHost() const { return isWrittenByDevice || isState; }
};

class BufferClasses {
public:
  explicit BufferClasses(mlir::func::FuncOp func);

  BufferClass &of(mlir::Value memref) {
    return classes[values.getLeaderValue(key(memref))];
  }
  const llvm::EquivalenceClasses<const void *> &all() const { return values; }

private:
  static const void *key(mlir::Value value) {
    return value.getAsOpaquePointer();
  }
  void join(mlir::Value a, mlir::Value b);
  void joinValues(mlir::Operation *op);
  void describe(mlir::Value value);

  llvm::EquivalenceClasses<const void *> values;
  llvm::DenseMap<const void *, BufferClass> classes;
};

} // namespace tenon

#endif // TENON_PASSES_GPU_BUFFERCLASSES_H
