// Calls from kernels into the C core that is linked into each model.
#ifndef TENON_PASSES_CPU_CORECALLS_H
#define TENON_PASSES_CPU_CORECALLS_H

#include "passes/cpu/Kernel.h"

namespace tenon {

/// The address of an element of a memref, as !llvm.ptr.
mlir::Value addressOf(Kernel &kernel, mlir::Value memref,
                      llvm::ArrayRef<mlir::Value> indices);

/// `value`, an index, as i64.
mlir::Value asInteger(Kernel &kernel, mlir::Value value);

/// Calls the core function `name`, declared at its first use; null when
/// `result` is.
mlir::Value callCore(Kernel &kernel, llvm::StringRef name,
                     mlir::ValueRange arguments, mlir::Type result = {});

} // namespace tenon

#endif // TENON_PASSES_CPU_CORECALLS_H
