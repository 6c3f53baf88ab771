// Products of bytes, summed exactly: of operands that QLinearConv,
// MatMulInteger and the like have as bytes, and of operands that
// DequantizeLinear makes of bytes.
#ifndef TENON_COMPILER_IMPORT_ONNX_OPS_BYTEPRODUCTS_H
#define TENON_COMPILER_IMPORT_ONNX_OPS_BYTEPRODUCTS_H

#include "compiler/import/onnx/graph/NodeContext.h"

namespace tenon::onnx {

/// Two operands of i8 or ui8 and their zero points, which broadcast against
/// them; null zero points are zero.
struct ByteOperands {
  mlir::Value x, xZero, w, wZero;
};

/// The convolution of the operands minus their zero points, channels-last in
/// i32. Padding counts as the zero point.
llvm::FailureOr<mlir::Value> convolutionOfBytes(NodeContext &c,
                                                const ByteOperands &operands);

/// numpy's matmul of the operands minus their zero points, in i32.
llvm::FailureOr<mlir::Value> matmulOfBytes(NodeContext &c,
                                           const ByteOperands &operands);

/// A product whose operands are dequantized: real = bytes * factor.
struct DequantizedProduct {
  ByteOperands operands;
  /// The product of both scales: a scalar or a vector with an element for each
  /// column of the result.
  mlir::Value factor;
  /// A bias in i32, as a vector, whose scale is `factor`; null: there is none.
  mlir::Value bias;
};

/// The node's product of inputs 0 and 1, if both are dequantized bytes, the
/// first has one scale and zero point, and the second has one along dimension
/// `column` at most. Input 2 becomes the bias if its scale is the product's.
std::optional<DequantizedProduct> dequantizedProduct(NodeContext &c,
                                                     int64_t column);

/// The real numbers of a product in i32, [..., columns], of `product`.
mlir::Value realProduct(NodeContext &c, mlir::Value sum,
                        const DequantizedProduct &product);

/// x / scale. If x is a sum of products of bytes times a factor, and `scale` a
/// positive constant, the factor is divided instead, as in QLinearConv.
mlir::Value dividedByScale(GraphBuilder &g, mlir::Value x, mlir::Value scale);

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_OPS_BYTEPRODUCTS_H
