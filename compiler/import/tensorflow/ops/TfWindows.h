// Sliding windows of TensorFlow's convolutions and pools: lists with an entry
// per dimension, and SAME, VALID or EXPLICIT padding.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFWINDOWS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFWINDOWS_H

#include "compiler/import/tensorflow/graph/TfNodeContext.h"

namespace tenon::tf {

/// One entry per spatial dimension.
struct Windows {
  llvm::SmallVector<int64_t> kernel, strides, dilations;
  Sizes low, high;

  size_t rank() const { return kernel.size(); }
  /// The number of elements that a window spans: (kernel - 1) * dilation + 1.
  int64_t reach(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

/// True if the images in operand `i`, with `spatial` dimensions, are
/// channels-first. Fails after an error.
llvm::FailureOr<bool> channelsFirst(NodeContext &c, int64_t spatial);

/// The spatial entries of a list attribute; the entries for batch and channels
/// must be one. If the attribute is absent, each is `otherwise`; 0 means that
/// it is required.
llvm::FailureOr<llvm::SmallVector<int64_t>>
spatialList(NodeContext &c, llvm::StringRef name, bool first, int64_t spatial,
            int64_t otherwise);

/// Reads the steps of a kernel with the spatial extents `window`, which must be
/// static and positive. Padding is not set.
llvm::FailureOr<Windows> readSteps(NodeContext &c,
                                   llvm::ArrayRef<int64_t> window, bool first);

/// Computes the padding of `w` over `extents`. A window that does not fit is an
/// error.
llvm::LogicalResult readPadding(NodeContext &c, Windows &w,
                                llvm::ArrayRef<Size> extents, bool first);

/// The extents between batch and channels of a channels-last image.
Sizes spatialSizes(GraphBuilder &g, mlir::Value x);

/// Pads `x`, channels-last, with `value` if the padding is dynamic; then
/// removes the padding from `w`.
mlir::Value padDynamic(GraphBuilder &g, mlir::Value x, double value,
                       Windows &w);

/// A `tenon.convolution` of a channels-last image and a kernel [spatial...,
/// features / groups, outputs]. An error if the shapes do not fit.
llvm::FailureOr<mlir::Value>
convolve(NodeContext &c, mlir::Value x, mlir::Value kernel,
         llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> padding,
         llvm::ArrayRef<int64_t> spreading, llvm::ArrayRef<int64_t> dilations,
         int64_t groups);

/// Spreads `x`, channels-last with one entry per window, for the gradient:
/// inserts stride - 1 times `value` between neighbours and pads with `value`. A
/// reversed window with stride one over the result then has the extents
/// `extents`.
mlir::Value spreadWindows(GraphBuilder &g, mlir::Value x, double value,
                          const Windows &w, llvm::ArrayRef<Size> extents);

/// The number of windows along dimension `i` of `extent` elements.
Size windowCount(GraphBuilder &g, const Windows &w, size_t i, Size extent);

/// Requires `x`, channels-last, to have one entry per window over `extents`: an
/// error if static extents differ, else a check at run time.
llvm::LogicalResult expectWindows(NodeContext &c, mlir::Value x,
                                  const Windows &w,
                                  llvm::ArrayRef<Size> extents);

/// Low and high padding, interleaved; both must be static.
llvm::SmallVector<int64_t> paddingList(GraphBuilder &g, const Windows &w);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFWINDOWS_H
