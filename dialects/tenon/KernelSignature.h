// The signature that a launched kernel must have.
#ifndef TENON_DIALECTS_TENON_KERNELSIGNATURE_H
#define TENON_DIALECTS_TENON_KERNELSIGNATURE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tenon {

/// Emits an error at `launch` unless `kernel`, which may be null, is a function
/// without results (C1) that takes a pointer, the operands and two `index`
/// (C2).
llvm::LogicalResult verifyLaunched(mlir::Operation *launch,
                                   mlir::FlatSymbolRefAttr name,
                                   mlir::Operation *kernel,
                                   mlir::TypeRange operands);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_KERNELSIGNATURE_H
