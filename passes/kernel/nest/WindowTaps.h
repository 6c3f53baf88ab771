// The taps of a window that lie inside the input.
#ifndef TENON_PASSES_KERNEL_NEST_WINDOWTAPS_H
#define TENON_PASSES_KERNEL_NEST_WINDOWTAPS_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Taps [low, high) of one dimension.
struct WindowTaps {
  mlir::Value low, high;
};

/// The taps of a window that starts at position `start` of the input, which has
/// the extent `input`. `padding` is low and high; without padding no tap can be
/// outside.
WindowTaps tapsInside(IndexBuilder at, mlir::Value start, int64_t taps,
                      int64_t dilation, llvm::ArrayRef<int64_t> padding,
                      mlir::Value input);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NEST_WINDOWTAPS_H
