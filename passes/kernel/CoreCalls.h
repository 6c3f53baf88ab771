// Calls of the C core, which is linked into each model.
#ifndef TENON_PASSES_KERNEL_CORECALLS_H
#define TENON_PASSES_KERNEL_CORECALLS_H

#include "passes/kernel/Kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tenon {

/// The address of the element of `memref` at `indices`, as !llvm.ptr. The
/// memref must be contiguous.
mlir::Value addressOf(Kernel &kernel, mlir::Value memref,
                      llvm::ArrayRef<mlir::Value> indices);

/// Converts an index to i64.
mlir::Value asInteger(Kernel &kernel, mlir::Value value);

/// The core function `name`, declared in `module` at its first use. A null
/// `result` means that it returns nothing.
mlir::LLVM::LLVMFuncOp coreFunction(mlir::OpBuilder &builder,
                                    mlir::ModuleOp module, llvm::StringRef name,
                                    llvm::ArrayRef<mlir::Type> types,
                                    mlir::Type result = {});

/// The name of the core function that does `what` with rows of a tenon element
/// type: "sort" or "top".
std::string coreRowFunction(llvm::StringRef what, mlir::Type element);

/// Calls the core function `name`, declared at its first use. Null if `result`
/// is null.
mlir::Value callCore(Kernel &kernel, llvm::StringRef name,
                     mlir::ValueRange arguments, mlir::Type result = {});

} // namespace tenon

#endif // TENON_PASSES_KERNEL_CORECALLS_H
