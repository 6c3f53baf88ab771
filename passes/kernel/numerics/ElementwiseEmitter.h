// Elementwise ops of tenon as code on registers. Comes in: an op that says what
// is computed, and its operands as scalars or vectors of kernel types. Goes
// out: arith, math and vector ops that compute the same bits in either form.
#ifndef TENON_PASSES_KERNEL_NUMERICS_ELEMENTWISEEMITTER_H
#define TENON_PASSES_KERNEL_NUMERICS_ELEMENTWISEEMITTER_H

#include "dialects/tenon/TenonDialect.h"
#include "mlir/IR/Builders.h"
#include "passes/kernel/numerics/Conversions.h"

namespace tenon {

/// Emits `op`, which has the Elementwise trait and is not a check. Element
/// types, and with them signedness, are read from the op's tensors. Operands
/// are scalars or vectors of one shape. May emit an `scf.for` (power of
/// integers), calls into libm (f64 functions) and their declarations.
mlir::Value emitElementwise(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Operation *op, mlir::ValueRange operands);

/// One step of a reduction: `a` combined with `b`, both of `element`'s kernel
/// type. Maximum and minimum propagate NaN.
mlir::Value emitCombine(mlir::OpBuilder &b, mlir::Location loc, ReduceKind kind,
                        mlir::Type element, mlir::Value a, mlir::Value c);

/// One step of a sum of products, `x * y + sum`: fused, rounded once, for
/// floats, modular for integers.
mlir::Value emitMultiplyAdd(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value x, mlir::Value y, mlir::Value sum);

/// The value that a reduction starts from, of the scalar or vector type `type`.
mlir::Value emitIdentity(mlir::OpBuilder &b, mlir::Location loc,
                         ReduceKind kind, mlir::Type element, mlir::Type type);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_ELEMENTWISEEMITTER_H
