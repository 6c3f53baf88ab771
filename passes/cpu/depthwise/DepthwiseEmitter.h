// Convolutions whose groups are narrower than a vector, depthwise ones first of
// all: lanes lie along the outputs of several groups, and a tile of columns
// shares each element it loads.
#ifndef TENON_PASSES_CPU_DEPTHWISE_DEPTHWISEEMITTER_H
#define TENON_PASSES_CPU_DEPTHWISE_DEPTHWISEEMITTER_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of a convolution; null where its groups are not narrow or its form
/// is not covered.
DepthwisePlanAttr planDepthwise(Kernel &kernel, ConvolutionOp op);

/// The kernel of a convolution and its epilogue.
TaskCounter emitDepthwise(Kernel &kernel, ConvolutionOp op,
                          DepthwisePlanAttr plan);

} // namespace tenon

#endif // TENON_PASSES_CPU_DEPTHWISE_DEPTHWISEEMITTER_H
