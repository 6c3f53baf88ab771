// Sliding windows of convolutions and pools: kernel_shape, strides, dilations,
// pads, auto_pad and ceil_mode, with checked values and computed padding.
#ifndef TENON_COMPILER_IMPORT_ONNX_OPS_WINDOWS_H
#define TENON_COMPILER_IMPORT_ONNX_OPS_WINDOWS_H

#include "compiler/import/onnx/graph/NodeContext.h"

namespace tenon::onnx {

/// One entry per spatial dimension. Padding is static unless auto_pad or
/// ceil_mode is used with a dynamic extent.
struct Windows {
  llvm::SmallVector<int64_t> kernel, strides, dilations;
  /// The padding that the model's attributes give.
  Sizes low, high;
  /// Further padding after `high` that completes the last window of ceil_mode.
  Sizes extra;

  size_t rank() const { return kernel.size(); }
  /// The number of elements that a window spans: (kernel - 1) * dilation + 1.
  int64_t reach(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
  bool staticPadding() const;
  /// low and high + extra, interleaved. Only if staticPadding().
  llvm::SmallVector<int64_t> paddingList(GraphBuilder &g) const;
};

/// Reads strides and dilations: `rank` positive numbers each, ones if absent.
llvm::LogicalResult readSteps(NodeContext &c, int64_t rank, Windows &windows);

/// Reads the attributes for windows of `kernel` over the spatial extents
/// `extents`. A window must fit each padded extent, or the extent must be zero.
/// Dynamic extents are checked at run time.
llvm::FailureOr<Windows> readWindows(NodeContext &c,
                                     llvm::ArrayRef<int64_t> kernel,
                                     llvm::ArrayRef<Size> extents);

/// kernel_shape, `rank` positive numbers; `otherwise` if absent (empty: it is
/// required).
llvm::FailureOr<llvm::SmallVector<int64_t>>
readKernel(NodeContext &c, int64_t rank,
           llvm::ArrayRef<int64_t> otherwise = {});

/// kernel_shape of a convolution, which must equal the spatial extents `window`
/// of its kernel `w`.
llvm::FailureOr<llvm::SmallVector<int64_t>>
readKernelOf(NodeContext &c, mlir::Value w, llvm::ArrayRef<int64_t> window);

/// auto_pad, which must be one of its four values.
llvm::FailureOr<std::string> readAutoPad(NodeContext &c);

/// pads: all begins, then all ends, `2 * rank` numbers; zeros if absent.
llvm::FailureOr<llvm::SmallVector<int64_t>> readPads(NodeContext &c,
                                                     int64_t rank);

/// Pads `x`, [N, spatial..., C], with `value` if the padding is dynamic; then
/// removes the padding from `windows`.
mlir::Value padDynamic(GraphBuilder &g, mlir::Value x, double value,
                       Windows &windows);

/// Pads `x`, [N, spatial..., C], with `value`, of rank 0; then removes the
/// padding from `windows`.
mlir::Value padAll(GraphBuilder &g, mlir::Value x, mlir::Value value,
                   Windows &windows);

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_OPS_WINDOWS_H
