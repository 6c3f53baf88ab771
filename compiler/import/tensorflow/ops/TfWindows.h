// Sliding windows as TensorFlow's convolutions and pools mean them: lists with
// an entry per dimension, SAME, VALID and EXPLICIT padding.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFWINDOWS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFWINDOWS_H

#include "compiler/import/tensorflow/graph/TfNodeContext.h"

namespace tenon::tf {

/// One entry per spatial dimension.
struct Windows {
  llvm::SmallVector<int64_t> kernel, strides, dilations;
  Sizes low, high;

  size_t rank() const { return kernel.size(); }
  /// (kernel - 1) * dilation + 1.
  int64_t reach(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

/// Images of operand `i` with `spatial` dimensions: whether they are
/// channels-first; nothing after a refusal.
llvm::FailureOr<bool> channelsFirst(NodeContext &c, int64_t spatial);

/// An attribute with an entry per dimension of the image; those of batch and
/// channels must be one. `otherwise` is every dimension's entry if the
/// attribute is absent; 0: it is required.
llvm::FailureOr<llvm::SmallVector<int64_t>>
spatialList(NodeContext &c, llvm::StringRef name, bool first, int64_t spatial,
            int64_t otherwise);

/// The steps of a kernel whose spatial extents are `window`: they must be known
/// and positive. No padding yet.
llvm::FailureOr<Windows> readSteps(NodeContext &c,
                                   llvm::ArrayRef<int64_t> window, bool first);

/// Works out the padding of `w` over `extents`; a window that does not fit is
/// an error.
llvm::LogicalResult readPadding(NodeContext &c, Windows &w,
                                llvm::ArrayRef<Size> extents, bool first);

/// The extents between batch and channels of a channels-last image.
Sizes spatialSizes(GraphBuilder &g, mlir::Value x);

/// `x`, channels-last, padded with `value` where padding is not static; then
/// the windows pad no more.
mlir::Value padDynamic(GraphBuilder &g, mlir::Value x, double value,
                       Windows &w);

/// `tenon.convolution` of a channels-last image and a kernel [spatial...,
/// features / groups, outputs]; an error where its shapes do not fit.
llvm::FailureOr<mlir::Value>
convolve(NodeContext &c, mlir::Value x, mlir::Value kernel,
         llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> padding,
         llvm::ArrayRef<int64_t> spreading, llvm::ArrayRef<int64_t> dilations,
         int64_t groups);

/// The step of a window's gradient: `x`, channels-last, with an entry per
/// window, becomes an image in which stride - 1 times `value` stand between
/// neighbours, and around them what makes a window of stride one over it, which
/// reads it from the far end, give `extents`.
mlir::Value spreadWindows(GraphBuilder &g, mlir::Value x, double value,
                          const Windows &w, llvm::ArrayRef<Size> extents);

/// How many windows there are along dimension `i` of `extent` elements.
Size windowCount(GraphBuilder &g, const Windows &w, size_t i, Size extent);

/// `x`, channels-last, has an entry per window over `extents`: an error where
/// it is known not to, else checked in the run.
llvm::LogicalResult expectWindows(NodeContext &c, mlir::Value x,
                                  const Windows &w,
                                  llvm::ArrayRef<Size> extents);

/// Low and high, interleaved; both are static.
llvm::SmallVector<int64_t> paddingList(GraphBuilder &g, const Windows &w);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFWINDOWS_H
