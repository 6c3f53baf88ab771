// Passes that turn fusions into kernels for CPUs.
#ifndef TENON_PASSES_CPU_PASSES_H
#define TENON_PASSES_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tenon {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/cpu/Passes.h.inc"
} // namespace tenon

#endif // TENON_PASSES_CPU_PASSES_H
