// Sliding windows as convolutions and pools mean them: kernel_shape, strides,
// dilations, pads, auto_pad and ceil_mode, checked and with padding worked out.
#ifndef TENON_COMPILER_IMPORT_ONNX_OPS_WINDOWS_H
#define TENON_COMPILER_IMPORT_ONNX_OPS_WINDOWS_H

#include "compiler/import/onnx/graph/NodeContext.h"

namespace tenon::onnx {

/// One entry per spatial dimension. Padding is static unless auto_pad or
/// ceil_mode meets an extent that is not.
struct Windows {
  llvm::SmallVector<int64_t> kernel, strides, dilations;
  /// The padding the model asks for.
  Sizes low, high;
  /// Further padding behind it, so that ceil_mode's last window is whole.
  Sizes extra;

  size_t rank() const { return kernel.size(); }
  /// (kernel - 1) * dilation + 1.
  int64_t reach(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
  bool staticPadding() const;
  /// low and high + extra, interleaved; staticPadding() holds.
  llvm::SmallVector<int64_t> paddingList(GraphBuilder &g) const;
};

/// Strides and dilations: positive, ones where absent, `rank` many.
llvm::LogicalResult readSteps(NodeContext &c, int64_t rank, Windows &windows);

/// Reads the attributes for windows of `kernel` over the spatial extents
/// `extents`. That it fits each padded extent, or the extent is zero, is
/// checked here where it is known, else in the run.
llvm::FailureOr<Windows> readWindows(NodeContext &c,
                                     llvm::ArrayRef<int64_t> kernel,
                                     llvm::ArrayRef<Size> extents);

/// kernel_shape, checked to be positive and of `rank` entries; `otherwise` when
/// absent (empty: it is required).
llvm::FailureOr<llvm::SmallVector<int64_t>>
readKernel(NodeContext &c, int64_t rank,
           llvm::ArrayRef<int64_t> otherwise = {});

/// kernel_shape of a convolution, checked to be the spatial extents `window` of
/// its kernel `w`.
llvm::FailureOr<llvm::SmallVector<int64_t>>
readKernelOf(NodeContext &c, mlir::Value w, llvm::ArrayRef<int64_t> window);

/// auto_pad, checked to be one of its four words.
llvm::FailureOr<std::string> readAutoPad(NodeContext &c);

/// pads: begins then ends, zeros where absent, `2 * rank` many.
llvm::FailureOr<llvm::SmallVector<int64_t>> readPads(NodeContext &c,
                                                     int64_t rank);

/// `x`, [N, spatial..., C], padded with `value` where padding is not static;
/// then `windows` pads no more.
mlir::Value padDynamic(GraphBuilder &g, mlir::Value x, double value,
                       Windows &windows);

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_OPS_WINDOWS_H
