// Products as ONNX means them, for the families that multiply: floats,
// integers and quantized numbers. Shapes are checked and reported on the node.
#ifndef TENON_COMPILER_IMPORT_ONNX_OPS_CONTRACTIONS_H
#define TENON_COMPILER_IMPORT_ONNX_OPS_CONTRACTIONS_H

#include "compiler/import/onnx/graph/NodeContext.h"

namespace tenon::onnx {

/// numpy's matmul: vectors at either side, batch extents broadcast. `result`
/// is the element type of products and sums; null: the operands'.
llvm::FailureOr<mlir::Value> numpyMatmul(NodeContext &c, mlir::Value a,
                                         mlir::Value b, mlir::Type result = {});

/// Conv's attributes applied to [N, C, spatial...] and [M, C / group,
/// spatial...]: the result is channels-last, for the caller to add a bias to.
llvm::FailureOr<mlir::Value> convolution(NodeContext &c, mlir::Value x,
                                         mlir::Value w);

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_OPS_CONTRACTIONS_H
