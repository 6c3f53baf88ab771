// Matrix products and convolutions with their epilogues.
#ifndef TENON_PASSES_CPU_CONTRACTIONEMITTER_H
#define TENON_PASSES_CPU_CONTRACTIONEMITTER_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of a contraction fusion: AMX tiles, register tiles or the tiles of
/// narrow groups. Null if only the general kernel covers its form; then sets
/// `obstacle` to the reason.
mlir::Attribute planContraction(Kernel &kernel, const char *&obstacle);

/// Emits the kernel of a contraction according to `plan`.
TaskCounter emitContraction(Kernel &kernel, mlir::Attribute plan);

} // namespace tenon

#endif // TENON_PASSES_CPU_CONTRACTIONEMITTER_H
