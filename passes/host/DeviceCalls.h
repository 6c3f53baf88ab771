// Lowers the ops that work with a device to calls of the functions that the
// runtime passes in tenon_call.device.
#ifndef TENON_PASSES_HOST_DEVICECALLS_H
#define TENON_PASSES_HOST_DEVICECALLS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// Launches, transfers and accesses of elements.
void populateDeviceCallPatterns(const mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

/// Replaces each tenon.host_memory by its operand with an address that the call
/// has: before functions are converted, while arguments are memrefs.
void readHostMemory(mlir::ModuleOp module);

/// Gives the entries of a device's module, which are of the LLVM dialect now,
/// the calling convention of kernels and their number of threads.
void markEntries(mlir::ModuleOp device);

} // namespace tenon

#endif // TENON_PASSES_HOST_DEVICECALLS_H
