// Byte counts that cannot overflow: every product stops at one limit.
#ifndef TENON_PASSES_BUFFER_BYTECOUNTS_H
#define TENON_PASSES_BUFFER_BYTECOUNTS_H

#include "mlir/IR/Builders.h"

namespace tenon {

/// The limit of byte counts: more than a process can address, and small enough
/// that sums of many do not overflow.
constexpr int64_t maxBytes = int64_t(1) << 48;

/// a * b, at most `maxBytes`; a and b are not negative.
int64_t multiplyBytes(int64_t a, int64_t b);

/// a * b, at most `maxBytes`, computed at run time; a and b are index values
/// that are not negative.
mlir::Value multiplyBytes(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value a, mlir::Value b);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_BYTECOUNTS_H
