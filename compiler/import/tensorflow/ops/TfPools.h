// Windows of pools and sums over nearby channels, for pools and their
// gradients.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFPOOLS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFPOOLS_H

#include "compiler/import/tensorflow/ops/TfWindows.h"

namespace tenon::tf {

/// Window lists with entries for batch and channels, and the result shape for
/// `x`.
struct WindowLists {
  llvm::SmallVector<int64_t> window = {1}, strides = {1}, ones = {1},
                             padding = {0, 0}, shape;

  WindowLists(GraphBuilder &g, mlir::Value x, const Windows &w);
};

/// Reduces each window of `x`, which is channels-last; the padding of `w` must
/// be static.
mlir::Value reduceWindow(GraphBuilder &g, ReduceKind kind, mlir::Value x,
                         const Windows &w);
/// The position in `x` of the greatest element of each window; the first one if
/// several are equal.
mlir::Value argWindow(GraphBuilder &g, mlir::Value x, const Windows &w);

struct Pool {
  mlir::Value x; ///< channels-last
  Windows windows;
  bool channelsFirst; ///< of the node's images
};

/// Reads the windows of a pool over images of `extents`.
llvm::FailureOr<Windows> readPoolWindows(NodeContext &c, bool channelsFirst,
                                         llvm::ArrayRef<Size> extents);
/// Reads the pool of operand 0.
llvm::FailureOr<Pool> readPool(NodeContext &c, int64_t spatial);

/// The number of elements in each window over images of `extents`, without
/// padding. Batch and channels have extent one.
mlir::Value windowSizes(GraphBuilder &g, mlir::Type element,
                        llvm::ArrayRef<Size> extents, Windows w);

/// The number of nearby channels on either side; operand 0 must be images.
llvm::FailureOr<int64_t> channelRadius(NodeContext &c);
/// The sums of `x` over nearby channels.
mlir::Value overNearChannels(GraphBuilder &g, mlir::Value x, int64_t radius);
/// bias + alpha * the sum of squares of nearby channels.
mlir::Value responseBase(NodeContext &c, mlir::Value x, int64_t radius);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFPOOLS_H
