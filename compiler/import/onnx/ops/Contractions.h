// Products with ONNX's semantics for floats, integers and quantized numbers.
// Errors in shapes are reported on the node.
#ifndef TENON_COMPILER_IMPORT_ONNX_OPS_CONTRACTIONS_H
#define TENON_COMPILER_IMPORT_ONNX_OPS_CONTRACTIONS_H

#include "compiler/import/onnx/graph/NodeContext.h"

namespace tenon::onnx {

/// numpy's matmul: either side may be a vector, and batch extents are
/// broadcast. `result` is the element type of products and sums (null: that of
/// the operands).
llvm::FailureOr<mlir::Value> numpyMatmul(NodeContext &c, mlir::Value a,
                                         mlir::Value b, mlir::Type result = {});

/// Applies Conv's attributes to `x`, [N, C, spatial...], and `w`, [M, C /
/// group, spatial...]. The result is channels-last and without bias, which the
/// caller adds. `border` is the value of padding (rank 0; null: zero), and
/// `result` the element type of products and sums (null: that of the operands).
llvm::FailureOr<mlir::Value> convolution(NodeContext &c, mlir::Value x,
                                         mlir::Value w, mlir::Value border = {},
                                         mlir::Type result = {});

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_OPS_CONTRACTIONS_H
