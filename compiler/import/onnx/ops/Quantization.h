// Affine quantization: real = (quantized - zero point) * scale.
#ifndef TENON_COMPILER_IMPORT_ONNX_OPS_QUANTIZATION_H
#define TENON_COMPILER_IMPORT_ONNX_OPS_QUANTIZATION_H

#include "compiler/import/onnx/graph/NodeContext.h"

namespace tenon::onnx {

/// round(x / scale) + zeroPoint, ties to even, saturated to the ends of `to`.
/// The parameters are broadcast against x; a null zero point is zero.
mlir::Value quantize(GraphBuilder &g, mlir::Value x, mlir::Value scale,
                     mlir::Value zeroPoint, mlir::Type to);

/// x - zeroPoint as i32; a null zero point is zero.
mlir::Value centered(GraphBuilder &g, mlir::Value x, mlir::Value zeroPoint);

/// Operand `i`, a scalar or a vector of parameters, in the shape that lets it
/// be broadcast along `dim` of a tensor of rank `rank`: a vector has one
/// element or `extent`. Null where it is absent. Reports on the node.
llvm::FailureOr<mlir::Value> alongDim(NodeContext &c, size_t i, int64_t dim,
                                      int64_t rank, Size extent);

/// Operand `i`, a scale: refused when a constant element is not a positive
/// finite number.
llvm::LogicalResult checkScale(NodeContext &c, size_t i);

/// `checkScale` of an f32 scale that multiplies products of quantized operands.
llvm::LogicalResult checkSingleScale(NodeContext &c, size_t i);

/// Operand `i`, when present, has the element type `element`.
llvm::LogicalResult checkZeroPoint(NodeContext &c, size_t i,
                                   mlir::Type element);

/// Operand `i` is of i8 or ui8.
llvm::LogicalResult expectByte(NodeContext &c, size_t i);

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_OPS_QUANTIZATION_H
