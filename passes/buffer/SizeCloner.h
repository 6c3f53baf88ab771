// Builds sizes anew at one place of a function: the index arithmetic behind a
// value, and small tensors that sizes are read from.
#ifndef TENON_PASSES_BUFFER_SIZECLONER_H
#define TENON_PASSES_BUFFER_SIZECLONER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tenon {

/// Buffers in the arena and of the stack start at multiples of this.
constexpr int64_t bufferAlignment = 64;

int64_t elementBytes(mlir::MemRefType type);

/// The small buffers behind numbers that are read one by one, as sizes are: a
/// plan may have to compute them anew, so each must hold one tensor alone.
llvm::DenseSet<mlir::Value> buffersBehindNumbers(mlir::func::FuncOp func);

class SizeCloner {
public:
  SizeCloner(mlir::OpBuilder &builder, mlir::IRMapping &mapping)
      : builder(builder), mapping(mapping) {}

  /// Whether everything behind the value can be computed at the builder's
  /// place.
  bool canClone(mlir::Value value) { return !obstacleTo(value); }

  /// The value at the builder's place, or null after an error at the op whose
  /// result is known only during the run.
  mlir::Value clone(mlir::Value value);

  /// The op whose result is known only during the run; nothing where the value
  /// can be cloned.
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
