// Convolutions with fewer outputs than a vector has lanes, as the last one of a
// network that makes images or masks. The lanes of a vector are neighbouring
// positions of one output.
#ifndef TENON_PASSES_CPU_NARROW_FEWOUTPUTS_H
#define TENON_PASSES_CPU_NARROW_FEWOUTPUTS_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of a convolution of f32 sums; null if its outputs are not few or
/// its form is not covered.
FewOutputsPlanAttr planFewOutputs(Kernel &kernel, ConvolutionOp op);

/// Emits the kernel of a convolution and its epilogue.
TaskCounter emitFewOutputs(Kernel &kernel, ConvolutionOp op,
                           FewOutputsPlanAttr plan);

} // namespace tenon

#endif // TENON_PASSES_CPU_NARROW_FEWOUTPUTS_H
