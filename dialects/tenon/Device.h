// Ops of host code that works with a device.
#ifndef TENON_DIALECTS_TENON_DEVICE_H
#define TENON_DIALECTS_TENON_DEVICE_H

#include "dialects/tenon/TenonDialect.h"

namespace tenon {

/// The place of an argument of a placed function among its memory.
enum class MemoryRoot { Input, Output, Arena, Weights, State, Other };

/// What the function's argument `value` is; Other if it is no argument of a
/// placed function. Sets `number` for an input and for an output.
MemoryRoot memoryRootOf(mlir::Value value, int64_t *number = nullptr);

} // namespace tenon

#define GET_OP_CLASSES
#include "dialects/tenon/Device.h.inc"

#endif // TENON_DIALECTS_TENON_DEVICE_H
