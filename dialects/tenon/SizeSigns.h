// Proves that sizes are not negative, by one table with a rule per op. The
// rules assume that no size overflows 64 bits, and that a float which becomes
// a size fits it.
#ifndef TENON_DIALECTS_TENON_SIZESIGNS_H
#define TENON_DIALECTS_TENON_SIZESIGNS_H

#include "mlir/IR/OpDefinition.h"

namespace tenon {

/// Tells whether an operand is at least a number, which is 0 or the number that
/// is asked of the result.
using OperandProof = llvm::function_ref<bool(mlir::Value, int64_t)>;

/// True if the op that computes `size`, an integer, an index or a float, makes
/// it at least `least`, given proofs about its operands. `least` must not be
/// negative. A float may also be NaN.
bool provesAtLeast(mlir::Value size, int64_t least, OperandProof operand);

/// Applies the rules to the ops behind `size`, along chains of at most `depth`
/// ops.
bool isAtLeast(mlir::OpFoldResult size, int64_t least, int depth = 8);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_SIZESIGNS_H
