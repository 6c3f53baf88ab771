// Matrix products and convolutions with their epilogues.
#ifndef TENON_PASSES_CPU_CONTRACTIONEMITTER_H
#define TENON_PASSES_CPU_CONTRACTIONEMITTER_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// The kernel of a contraction; null, with nothing emitted, if only the general
/// path (emitMap) covers it.
TaskCounter emitContraction(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_CPU_CONTRACTIONEMITTER_H
