// Emits elementwise ops of tenon on registers. Input: an op and its operands as
// scalars or vectors of kernel types. Output: arith, math and vector ops;
// scalars and vectors get the same bits.
#ifndef TENON_PASSES_KERNEL_NUMERICS_ELEMENTWISEEMITTER_H
#define TENON_PASSES_KERNEL_NUMERICS_ELEMENTWISEEMITTER_H

#include "dialects/tenon/TenonDialect.h"
#include "mlir/IR/Builders.h"
#include "passes/kernel/numerics/Conversions.h"

namespace tenon {

/// Emits `op`, which must have the Elementwise trait and be no check. Element
/// types and signedness come from the op's tensors. The operands are scalars or
/// vectors of one shape. May emit an `scf.for` (integer power, float
/// remainder).
mlir::Value emitElementwise(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Operation *op, mlir::ValueRange operands);

/// One step of a reduction: combines `a` with `c`, both of the kernel type of
/// `element`. Maximum and minimum propagate NaN.
mlir::Value emitCombine(mlir::OpBuilder &b, mlir::Location loc, ReduceKind kind,
                        mlir::Type element, mlir::Value a, mlir::Value c);

/// True if the bits of a reduction depend on the order of its steps.
bool isOrdered(ReduceKind kind, mlir::Type element);

/// One step of a sum of products: `x * y + sum`. Floats use a fused
/// multiply-add, rounded once; integers are modular.
mlir::Value emitMultiplyAdd(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value x, mlir::Value y, mlir::Value sum);

/// The initial value of a reduction, as a scalar or vector of type `type`.
mlir::Value emitIdentity(mlir::OpBuilder &b, mlir::Location loc,
                         ReduceKind kind, mlir::Type element, mlir::Type type);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_ELEMENTWISEEMITTER_H
