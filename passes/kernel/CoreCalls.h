// Calls into the C core that is linked into each model.
#ifndef TENON_PASSES_KERNEL_CORECALLS_H
#define TENON_PASSES_KERNEL_CORECALLS_H

#include "passes/kernel/Kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tenon {

/// The address of an element of a memref, as !llvm.ptr.
mlir::Value addressOf(Kernel &kernel, mlir::Value memref,
                      llvm::ArrayRef<mlir::Value> indices);

/// `value`, an index, as i64.
mlir::Value asInteger(Kernel &kernel, mlir::Value value);

/// The core function `name`, declared in the module at its first use; without
/// `result` it returns nothing.
mlir::LLVM::LLVMFuncOp coreFunction(mlir::OpBuilder &builder,
                                    mlir::ModuleOp module, llvm::StringRef name,
                                    llvm::ArrayRef<mlir::Type> types,
                                    mlir::Type result = {});

/// Calls the core function `name`, declared at its first use; null when
/// `result` is.
mlir::Value callCore(Kernel &kernel, llvm::StringRef name,
                     mlir::ValueRange arguments, mlir::Type result = {});

} // namespace tenon

#endif // TENON_PASSES_KERNEL_CORECALLS_H
