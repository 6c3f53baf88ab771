// The limit on tensor sizes. Strides, collapsed extents and element counts are
// products of extents, also of the other extents of a tensor that has a zero
// extent. The limit lets all of them, and small sums of them, fit 64 bits.
#ifndef TENON_DIALECTS_TENON_SIZELIMIT_H
#define TENON_DIALECTS_TENON_SIZELIMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenon {

/// The largest allowed product of a tensor's known nonzero extents.
constexpr int64_t maxSpan = int64_t(1) << 62;

bool isWithinSpan(llvm::ArrayRef<int64_t> extents);

/// Emits `limit: ...` at the first op with a tensor beyond `maxSpan`; fails
/// then.
llvm::LogicalResult checkSpans(mlir::ModuleOp module);

/// `a + b` and `a * b`, or the nearest int64_t. An extent beyond `maxSpan`
/// stays beyond it: it cannot wrap to a small or unknown extent.
int64_t saturatingAdd(int64_t a, int64_t b);
int64_t saturatingMul(int64_t a, int64_t b);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_SIZELIMIT_H
