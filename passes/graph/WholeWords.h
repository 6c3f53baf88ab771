// Rows whose depth fills words, for instructions that multiply several
// neighbours at once.
#ifndef TENON_PASSES_GRAPH_WHOLEWORDS_H
#define TENON_PASSES_GRAPH_WHOLEWORDS_H

#include "mlir/IR/Builders.h"

namespace tenon {

/// `x` padded with zeros along its last dimension, whose extent is static, to a
/// multiple of `count`.
mlir::Value inWholeWords(mlir::OpBuilder &b, mlir::Value x, int64_t count);

} // namespace tenon

#endif // TENON_PASSES_GRAPH_WHOLEWORDS_H
