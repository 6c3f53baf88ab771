// Windows of pools and sums over nearby channels, for pools and their
// gradients.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFPOOLS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFPOOLS_H

#include "compiler/import/tensorflow/ops/TfWindows.h"

namespace tenon::tf {

/// Lists of windows with entries for batch and channels too, and the shape of
/// what they give of `x`.
struct WindowLists {
  llvm::SmallVector<int64_t> window = {1}, strides = {1}, ones = {1},
                             padding = {0, 0}, shape;

  WindowLists(GraphBuilder &g, mlir::Value x, const Windows &w);
};

/// `x` is channels-last, the padding of `w` static.
mlir::Value reduceWindow(GraphBuilder &g, ReduceKind kind, mlir::Value x,
                         const Windows &w);
/// Where in `x` the greatest element of each window stands, the first of
/// equals.
mlir::Value argWindow(GraphBuilder &g, mlir::Value x, const Windows &w);

struct Pool {
  mlir::Value x; ///< channels-last
  Windows windows;
  bool first; ///< whether the node's images are channels-first
};

/// The windows of a pool over images of `extents`.
llvm::FailureOr<Windows> readPoolWindows(NodeContext &c, bool first,
                                         llvm::ArrayRef<Size> extents);
/// The pool of operand 0.
llvm::FailureOr<Pool> readPool(NodeContext &c, int64_t spatial);

/// How many elements each window has over images of `extents`, padding not
/// counted: with extents of one for batch and channels.
mlir::Value windowSizes(GraphBuilder &g, mlir::Type element,
                        llvm::ArrayRef<Size> extents, Windows w);

/// How many channels on either side are near; operand 0 are images.
llvm::FailureOr<int64_t> channelRadius(NodeContext &c);
/// The sums of `x` over nearby channels.
mlir::Value overNearChannels(GraphBuilder &g, mlir::Value x, int64_t radius);
/// bias + alpha * the sum of squares of nearby channels.
mlir::Value responseBase(NodeContext &c, mlir::Value x, int64_t radius);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFPOOLS_H
