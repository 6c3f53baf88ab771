// The row maximum of attention's scores.
#ifndef TENON_PASSES_KERNEL_ATTENTION_ROWMAXIMUM_H
#define TENON_PASSES_KERNEL_ATTENTION_ROWMAXIMUM_H

#include "mlir/IR/Builders.h"

namespace tenon {

/// The greater of two floats, or of each lane of two vectors; `a` if one is
/// NaN.
mlir::Value greater(mlir::OpBuilder &b, mlir::Location loc, mlir::Value a,
                    mlir::Value other);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ATTENTION_ROWMAXIMUM_H
