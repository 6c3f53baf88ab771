// The transpose of a square block in registers.
#ifndef TENON_PASSES_KERNEL_NUMERICS_TRANSPOSESQUARE_H
#define TENON_PASSES_KERNEL_NUMERICS_TRANSPOSESQUARE_H

#include "mlir/IR/Builders.h"

namespace tenon {

/// Makes lane i of `lines[j]` lane j of `lines[i]`. There are as many lines as
/// lanes, a power of two.
void transposeSquare(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::MutableArrayRef<mlir::Value> lines);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_TRANSPOSESQUARE_H
