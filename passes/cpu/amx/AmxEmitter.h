// Matrix products in AMX tiles.
#ifndef TENON_PASSES_CPU_AMX_AMXEMITTER_H
#define TENON_PASSES_CPU_AMX_AMXEMITTER_H

#include "passes/cpu/amx/AmxPlan.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// Emits the tasks [kernel.begin, kernel.end), each of `plan.block`, and all
/// ops of the fusion after `dot`. Precondition: these ops can be applied to
/// vectors.
void emitAmx(Kernel &kernel, mlir::Value dot, const ContractionNest &nest,
             const AmxPlan &plan);

} // namespace tenon

#endif // TENON_PASSES_CPU_AMX_AMXEMITTER_H
