// Convolutions whose groups have one feature each: no products across channels,
// so that lanes lie along channels and a tile of columns shares each element it
// loads.
#ifndef TENON_PASSES_CPU_DEPTHWISEEMITTER_H
#define TENON_PASSES_CPU_DEPTHWISEEMITTER_H

#include "passes/cpu/Kernel.h"

namespace tenon {

/// The kernel of a convolution and its epilogue; null, and nothing emitted,
/// where the convolution is not depthwise or its form is not covered.
TaskCounter emitDepthwise(Kernel &kernel, ConvolutionOp op);

} // namespace tenon

#endif // TENON_PASSES_CPU_DEPTHWISEEMITTER_H
