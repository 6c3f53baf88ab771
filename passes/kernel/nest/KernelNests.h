// The contraction of a kernel as nests.
#ifndef TENON_PASSES_KERNEL_NEST_KERNELNESTS_H
#define TENON_PASSES_KERNEL_NEST_KERNELNESTS_H

#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// The one contraction of a kernel, if its result has the shape of the output;
/// else null.
mlir::Operation *contractionOf(Kernel &kernel);

/// The nests of the kernel's contraction. Empty if its form is not covered;
/// then sets `obstacle` to the reason.
std::vector<ContractionNest>
nestsOf(Kernel &kernel, mlir::Operation *contraction, const char *&obstacle);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NEST_KERNELNESTS_H
