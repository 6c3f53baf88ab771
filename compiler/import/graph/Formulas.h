// Functions of one and two elements that formats write alike: activations, for
// nodes of their own and for the gates of recurrent networks, and arithmetic
// with rules of its own.
#ifndef TENON_COMPILER_IMPORT_GRAPH_FORMULAS_H
#define TENON_COMPILER_IMPORT_GRAPH_FORMULAS_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// max(x, 0).
mlir::Value relu(GraphBuilder &g, mlir::Value x);
/// alpha x below zero.
mlir::Value leakyRelu(GraphBuilder &g, mlir::Value x, double alpha);
/// Zero up to alpha.
mlir::Value thresholdedRelu(GraphBuilder &g, mlir::Value x, double alpha);
/// alpha (e^x - 1) below zero.
mlir::Value elu(GraphBuilder &g, mlir::Value x, double alpha);
/// alpha x + beta within [0, 1].
mlir::Value hardSigmoid(GraphBuilder &g, mlir::Value x, double alpha,
                        double beta);
/// log(1 + e^x).
mlir::Value softplus(GraphBuilder &g, mlir::Value x);
/// x / (1 + |x|).
mlir::Value softsign(GraphBuilder &g, mlir::Value x);
/// 1 / x.
mlir::Value reciprocal(GraphBuilder &g, mlir::Value x);
/// The remainder with the sign of the divisor; `rest` is that with the sign of
/// the dividend.
mlir::Value withSignOf(GraphBuilder &g, mlir::Value rest, mlir::Value divisor);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_GRAPH_FORMULAS_H
