// Instructions of AVX-512 whose LLVM intrinsics have a mask.
#ifndef TENON_PASSES_KERNEL_NUMERICS_MASKEDINTRINSIC_H
#define TENON_PASSES_KERNEL_NUMERICS_MASKEDINTRINSIC_H

#include "mlir/IR/Builders.h"

namespace tenon {

/// Calls the intrinsic `name` for all lanes, with the rounding of the current
/// mode. The result has the type of the first operand, a vector.
mlir::Value emitMaskedIntrinsic(mlir::OpBuilder &b, mlir::Location loc,
                                llvm::StringRef name,
                                llvm::ArrayRef<mlir::Value> operands);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_MASKEDINTRINSIC_H
