// What the lowerings of launches on the CPU and on a device share.
#ifndef TENON_PASSES_HOST_LAUNCHING_H
#define TENON_PASSES_HOST_LAUNCHING_H

#include "mlir/Transforms/DialectConversion.h"

namespace tenon {

/// The call, which is the first argument of every graph function; null if the
/// function around `op` has none.
mlir::Value callOf(mlir::Operation *op);

/// Returns before `op` if `stop` is not zero. To skip only the op would not do:
/// a loop of the model may wait for its result. A plan returns zero.
void returnWhere(mlir::Operation *op, mlir::ConversionPatternRewriter &rewriter,
                 mlir::Value stop);

/// Stack memory for a value of `type`, taken once at the start of the function
/// around `op`.
mlir::Value allocateAtEntry(mlir::Operation *op,
                            mlir::ConversionPatternRewriter &rewriter,
                            mlir::Type type);

} // namespace tenon

#endif // TENON_PASSES_HOST_LAUNCHING_H
