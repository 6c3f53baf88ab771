// Helpers of tenon-find-attention: recognition of causal masks, and patterns
// for operands with merged or sliced heads.
#ifndef TENON_PASSES_GRAPH_ATTENTION_H
#define TENON_PASSES_GRAPH_ATTENTION_H

#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// The offset for which `mask`, bools over [..., row, key], is true exactly if
/// key <= row + offset. Nullopt if there is none or it is not known.
std::optional<int64_t> causalOffset(mlir::Value mask);

/// Adds patterns for the heads of attention operands (AttentionHeads.cpp): a
/// split of a slice becomes a slice of heads, heads merged with the batch get a
/// dimension of their own, and repeated heads are shared.
void populateHeadPatterns(mlir::RewritePatternSet &patterns);

} // namespace tenon

#endif // TENON_PASSES_GRAPH_ATTENTION_H
