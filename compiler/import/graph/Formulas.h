// Elementwise functions that several formats share: activations, used as nodes
// and as gates of recurrent networks, and special arithmetic.
#ifndef TENON_COMPILER_IMPORT_GRAPH_FORMULAS_H
#define TENON_COMPILER_IMPORT_GRAPH_FORMULAS_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// max(x, 0).
mlir::Value relu(GraphBuilder &g, mlir::Value x);
/// x, or alpha x below zero.
mlir::Value leakyRelu(GraphBuilder &g, mlir::Value x, double alpha);
/// x, or 0 for x <= alpha.
mlir::Value thresholdedRelu(GraphBuilder &g, mlir::Value x, double alpha);
/// x, or alpha (e^x - 1) below zero.
mlir::Value elu(GraphBuilder &g, mlir::Value x, double alpha);
/// alpha x + beta, limited to [0, 1].
mlir::Value hardSigmoid(GraphBuilder &g, mlir::Value x, double alpha,
                        double beta);
/// log(1 + e^x).
mlir::Value softplus(GraphBuilder &g, mlir::Value x);
/// x / (1 + |x|).
mlir::Value softsign(GraphBuilder &g, mlir::Value x);
/// 1 / x.
mlir::Value reciprocal(GraphBuilder &g, mlir::Value x);
/// The remainder with the sign of the divisor. `rest` is the remainder with the
/// sign of the dividend.
mlir::Value withSignOf(GraphBuilder &g, mlir::Value rest, mlir::Value divisor);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_GRAPH_FORMULAS_H
