// Matrix products and convolutions with their epilogues.
#ifndef TENON_PASSES_CPU_CONTRACTIONEMITTER_H
#define TENON_PASSES_CPU_CONTRACTIONEMITTER_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of a contraction fusion: in AMX tiles, register tiles or those of
/// narrow groups, else general.
mlir::Attribute planContraction(Kernel &kernel);

/// The kernel of a contraction as `plan` says.
TaskCounter emitContraction(Kernel &kernel, mlir::Attribute plan);

} // namespace tenon

#endif // TENON_PASSES_CPU_CONTRACTIONEMITTER_H
