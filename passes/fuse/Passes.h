// Passes that decide which ops form one kernel, and form it.
#ifndef TENON_PASSES_FUSE_PASSES_H
#define TENON_PASSES_FUSE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tenon {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/fuse/Passes.h.inc"
} // namespace tenon

#endif // TENON_PASSES_FUSE_PASSES_H
