// Conversions between element types of kernels. Input: a scalar or vector of
// one tenon element type. Output: its lanes converted to another type with the
// semantics of tenon.convert on every target, without library calls.
#ifndef TENON_PASSES_KERNEL_NUMERICS_CONVERSIONS_H
#define TENON_PASSES_KERNEL_NUMERICS_CONVERSIONS_H

#include "mlir/IR/Builders.h"

namespace tenon {

/// The kernel type of a tenon element type: integers become signless, floats
/// and bool (i1) stay. In memory a bool is one byte (kernelMemRef).
mlir::Type kernelElementType(mlir::Type tenonElement);

/// Converts `value`, a scalar or vector of `from`'s kernel type, to `to`'s.
/// Float to integer truncates and saturates, and NaN becomes zero. Any type to
/// bool is true for nonzero values, NaN included. Integer to integer is
/// modular. Conversions to float round once, to nearest even.
mlir::Value emitConvert(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, mlir::Type from, mlir::Type to);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_CONVERSIONS_H
