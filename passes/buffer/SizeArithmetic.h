// Questions about the index arithmetic behind a size. It may be as long as a
// model is, and shared so that its paths are past counting: each op is looked
// at once, without recursion.
#ifndef TENON_PASSES_BUFFER_SIZEARITHMETIC_H
#define TENON_PASSES_BUFFER_SIZEARITHMETIC_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tenon {

/// Whether the values are equal arithmetic on equal values.
bool isSameSize(mlir::Value x, mlir::Value y);

/// Whether `value` is computed from values that are there before the branch.
bool isKnownBefore(mlir::scf::IfOp branch, mlir::Value value);

/// The arithmetic of `value`, for which isKnownBefore holds, made anew at the
/// builder's place.
mlir::Value hoistBefore(mlir::OpBuilder &builder, mlir::scf::IfOp branch,
                        mlir::Value value);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_SIZEARITHMETIC_H
