// Affine quantization: real = (quantized - zero point) * scale.
#ifndef TENON_COMPILER_IMPORT_ONNX_OPS_QUANTIZATION_H
#define TENON_COMPILER_IMPORT_ONNX_OPS_QUANTIZATION_H

#include "compiler/import/onnx/graph/NodeContext.h"

namespace tenon::onnx {

/// round(x / scale) + zeroPoint, rounded to nearest even and saturated to the
/// range of `to`. The parameters are broadcast against x; a null zero point is
/// zero.
mlir::Value quantize(GraphBuilder &g, mlir::Value x, mlir::Value scale,
                     mlir::Value zeroPoint, mlir::Type to);

/// x - zeroPoint as i32; a null zero point is zero.
mlir::Value centered(GraphBuilder &g, mlir::Value x, mlir::Value zeroPoint);

/// real = (integers - zero) * scale, with parameters that broadcast; a null
/// zero is zero.
struct Dequantized {
  mlir::Value integers, zero, scale;
};

/// The real numbers, in the type of the scale.
mlir::Value dequantize(GraphBuilder &g, const Dequantized &x);

/// The operand of the broadcast that made `x`; `x` if none did.
mlir::Value withoutBroadcast(mlir::Value x);

/// The integers behind `x`, if it is in f32 what dequantize makes. `zero` is
/// then a number of their type; a constant may be of i32.
std::optional<Dequantized> dequantizedFrom(mlir::Value x);

/// Operand `i`, a scalar or vector of parameters, in a shape that broadcasts
/// along `dim` of a tensor of rank `rank`. A vector must have one element or
/// `extent`. Null if absent. Reports errors on the node.
llvm::FailureOr<mlir::Value> alongDim(NodeContext &c, size_t i, int64_t dim,
                                      int64_t rank, Size extent);

/// Checks operand `i`, a scale: its constant elements must be positive and
/// finite.
llvm::LogicalResult checkScale(NodeContext &c, size_t i);

/// Checks that operand `i` is a scale of f32, as quantized products require.
llvm::LogicalResult checkSingleScale(NodeContext &c, size_t i);

/// Checks that operand `i`, if present, has the element type `element`.
llvm::LogicalResult checkZeroPoint(NodeContext &c, size_t i,
                                   mlir::Type element);

/// Checks that operand `i` has type i8 or ui8.
llvm::LogicalResult expectByte(NodeContext &c, size_t i);

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_OPS_QUANTIZATION_H
