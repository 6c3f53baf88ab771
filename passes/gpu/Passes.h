// Passes that divide the work between host and device, and make the kernels.
#ifndef TENON_PASSES_GPU_PASSES_H
#define TENON_PASSES_GPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tenon {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/gpu/Passes.h.inc"
} // namespace tenon

#endif // TENON_PASSES_GPU_PASSES_H
