// Scatters and updates of slices on a device: different threads write different
// elements of the output, whatever the indices are.
#ifndef TENON_PASSES_GPU_DEVICEUPDATE_H
#define TENON_PASSES_GPU_DEVICEUPDATE_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of a scatter or dynamic_update_slice.
DeviceUpdatePlanAttr planDeviceUpdate(FusionOp fusion);

/// The value that the output has before the updates; null if the output is the
/// buffer of this value.
mlir::Value copiedBeforeUpdate(FusionOp fusion);

/// Emits the updates of an output that has its first value.
TaskCounter emitDeviceUpdate(Kernel &kernel, DeviceUpdatePlanAttr plan);

} // namespace tenon

#endif // TENON_PASSES_GPU_DEVICEUPDATE_H
