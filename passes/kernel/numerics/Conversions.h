// Conversions between element types of kernels. Comes in: a scalar or vector
// of one tenon element type. Goes out: the same lanes in another one, with the
// semantics of tenon.convert on every target, and no call into a library.
#ifndef TENON_PASSES_KERNEL_NUMERICS_CONVERSIONS_H
#define TENON_PASSES_KERNEL_NUMERICS_CONVERSIONS_H

#include "mlir/IR/Builders.h"

namespace tenon {

/// The element type a tenon element has in kernels: signless integers, floats
/// as they are, i1 in registers.
mlir::Type kernelElementType(mlir::Type tenonElement);

/// `value` (a scalar or vector of the kernel type of `from`) as `to`: floats
/// to integers truncate and saturate, NaN is zero; to bool, nonzero (NaN too)
/// is true; integers are modular; floats round once, to nearest even.
mlir::Value emitConvert(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, mlir::Type from, mlir::Type to);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_CONVERSIONS_H
