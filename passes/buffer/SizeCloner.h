// Clones the computation of sizes at one place of a function: index arithmetic,
// and the small tensors that sizes are read from.
#ifndef TENON_PASSES_BUFFER_SIZECLONER_H
#define TENON_PASSES_BUFFER_SIZECLONER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tenon {

/// The alignment in bytes of buffers in the arena and on the stack.
constexpr int64_t bufferAlignment = 64;

int64_t elementBytes(mlir::MemRefType type);

/// The small buffers from which single numbers, such as sizes, are read. A plan
/// may have to compute them, so each must hold only one tensor.
llvm::DenseSet<mlir::Value> buffersBehindNumbers(mlir::func::FuncOp func);

class SizeCloner {
public:
  SizeCloner(mlir::OpBuilder &builder, mlir::IRMapping &mapping)
      : builder(builder), mapping(mapping) {}

  /// True if the value can be computed at the builder's insertion point.
  bool canClone(mlir::Value value) { return !obstacleTo(value); }

  /// Clones the value at the builder's insertion point. Null after an error at
  /// an op whose result is known only during the run.
  mlir::Value clone(mlir::Value value);

  /// The op whose result is known only during the run; nullopt if the value can
  /// be cloned.
  std::optional<mlir::Location> obstacleTo(mlir::Value value);

private:
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  needs(mlir::Value value) const;
  void cloneKnown(mlir::Value value);
  void evaluate(mlir::memref::AllocOp alloc);

  mlir::OpBuilder &builder;
  mlir::IRMapping &mapping;
  llvm::DenseMap<mlir::Value, std::optional<mlir::Location>> obstacles;
};

} // namespace tenon

#endif // TENON_PASSES_BUFFER_SIZECLONER_H
