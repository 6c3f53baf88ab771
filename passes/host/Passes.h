// Passes that make the code around kernels and lower all of it to LLVM.
#ifndef TENON_PASSES_HOST_PASSES_H
#define TENON_PASSES_HOST_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tenon {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/host/Passes.h.inc"
} // namespace tenon

#endif // TENON_PASSES_HOST_PASSES_H
