// The loop over the columns of one row, several at a time.
#ifndef TENON_PASSES_KERNEL_ELEMENT_COLUMNLOOP_H
#define TENON_PASSES_KERNEL_ELEMENT_COLUMNLOOP_H

#include "passes/kernel/element/ElementEmitter.h"

namespace tenon {

/// Emits the elements from a column on with the given emitter, which computes
/// as many as it has lanes. Returns false if it cannot.
using ColumnWriter =
    llvm::function_ref<bool(ElementEmitter &emitter, mlir::Value column)>;

/// Emits the columns [low, high) as vectors of `lanes`, the remainder included.
/// Returns false, with nothing emitted, if `write` cannot compute vectors.
bool emitVectorColumns(Kernel &kernel, mlir::Value low, mlir::Value high,
                       int64_t lanes, ColumnWriter write);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ELEMENT_COLUMNLOOP_H
