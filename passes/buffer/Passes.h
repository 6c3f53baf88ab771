// Passes that give every tensor its memory.
#ifndef TENON_PASSES_BUFFER_PASSES_H
#define TENON_PASSES_BUFFER_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tenon {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/buffer/Passes.h.inc"
} // namespace tenon

#endif // TENON_PASSES_BUFFER_PASSES_H
