// Queries about the index arithmetic of a size. The arithmetic may have as many
// ops as the model, and exponentially many paths. So each op is visited once,
// and nothing recurses.
#ifndef TENON_PASSES_BUFFER_SIZEARITHMETIC_H
#define TENON_PASSES_BUFFER_SIZEARITHMETIC_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tenon {

/// True if the values are computed by equal arithmetic from equal values.
/// SizeForms prove more, but expand all arithmetic behind a size and end when
/// an op is erased; this costs only the arithmetic that the values do not
/// share.
bool isSameSize(mlir::Value x, mlir::Value y);

/// True if `value` depends only on values that dominate the branch.
bool isKnownBefore(mlir::scf::IfOp branch, mlir::Value value);

/// Clones the arithmetic of `value` at the builder's insertion point. Requires
/// isKnownBefore(branch, value).
mlir::Value hoistBefore(mlir::OpBuilder &builder, mlir::scf::IfOp branch,
                        mlir::Value value);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_SIZEARITHMETIC_H
