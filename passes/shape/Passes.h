// Passes that change the sizes of a graph.
#ifndef TENON_PASSES_SHAPE_PASSES_H
#define TENON_PASSES_SHAPE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tenon {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/shape/Passes.h.inc"
} // namespace tenon

#endif // TENON_PASSES_SHAPE_PASSES_H
