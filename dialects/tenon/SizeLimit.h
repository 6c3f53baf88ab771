// The limit on tensors that code and shape arithmetic rely on: strides,
// collapsed extents and counts of elements are products of extents, of those
// beside a zero too, and all fit 64 bits with room to add.
#ifndef TENON_DIALECTS_TENON_SIZELIMIT_H
#define TENON_DIALECTS_TENON_SIZELIMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenon {

/// The product of a tensor's known extents other than zero is at most this.
constexpr int64_t maxSpan = int64_t(1) << 62;

bool isWithinSpan(llvm::ArrayRef<int64_t> extents);

/// Emits `limit: ...` at the first op with a tensor past `maxSpan`.
llvm::LogicalResult checkSpans(mlir::ModuleOp module);

/// `a + b` and `a * b`, or the nearest number there is: what is past `maxSpan`
/// stays past it instead of coming back as a small or unknown extent.
int64_t saturatingAdd(int64_t a, int64_t b);
int64_t saturatingMul(int64_t a, int64_t b);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_SIZELIMIT_H
