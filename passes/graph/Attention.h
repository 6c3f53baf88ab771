// What finding attention is made of: masks that are causal, and operands whose
// heads were merged or sliced.
#ifndef TENON_PASSES_GRAPH_ATTENTION_H
#define TENON_PASSES_GRAPH_ATTENTION_H

#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// The offset for which `mask`, bools over [..., row, key], is
/// key <= row + offset everywhere; nothing where it is not, or not known to be.
std::optional<int64_t> causalOffset(mlir::Value mask);

/// Turns operands of attention whose heads are split from a slice into slices
/// of heads, gives heads that were merged with the batch a dimension of their
/// own, and undoes the repetition of shared heads (AttentionHeads.cpp).
void populateHeadPatterns(mlir::RewritePatternSet &patterns);

} // namespace tenon

#endif // TENON_PASSES_GRAPH_ATTENTION_H
