// Maps on a device, several neighbouring elements a thread.
#ifndef TENON_PASSES_GPU_WIDEMAP_H
#define TENON_PASSES_GPU_WIDEMAP_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of a map; null if neighbouring elements of its result do not come
/// from neighbouring elements, or its rows are no whole vectors.
WideMapPlanAttr planWideMap(Kernel &kernel);

/// Emits the map. A task is the elements of a block of threads.
TaskCounter emitWideMap(Kernel &kernel, WideMapPlanAttr plan);

} // namespace tenon

#endif // TENON_PASSES_GPU_WIDEMAP_H
