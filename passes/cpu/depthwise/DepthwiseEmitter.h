// Convolutions whose groups are narrower than a vector; most are depthwise. The
// lanes of a vector are the outputs of several groups. The columns of a tile
// share each input element that is loaded.
#ifndef TENON_PASSES_CPU_DEPTHWISE_DEPTHWISEEMITTER_H
#define TENON_PASSES_CPU_DEPTHWISE_DEPTHWISEEMITTER_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of a convolution; null if its groups are not narrow or its form is
/// not covered.
DepthwisePlanAttr planDepthwise(Kernel &kernel, ConvolutionOp op);

/// Emits the kernel of a convolution and its epilogue.
TaskCounter emitDepthwise(Kernel &kernel, ConvolutionOp op,
                          DepthwisePlanAttr plan);

} // namespace tenon

#endif // TENON_PASSES_CPU_DEPTHWISE_DEPTHWISEEMITTER_H
