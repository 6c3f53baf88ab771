// Matrix products and convolutions with their epilogues.
#ifndef TENON_PASSES_CPU_CONTRACTIONEMITTER_H
#define TENON_PASSES_CPU_CONTRACTIONEMITTER_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of a contraction fusion: AMX tiles, register tiles, the tiles of
/// narrow groups, or the general plan.
mlir::Attribute planContraction(Kernel &kernel);

/// Emits the kernel of a contraction according to `plan`.
TaskCounter emitContraction(Kernel &kernel, mlir::Attribute plan);

} // namespace tenon

#endif // TENON_PASSES_CPU_CONTRACTIONEMITTER_H
