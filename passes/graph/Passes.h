// Passes on the tensor graph before fusion.
#ifndef TENON_PASSES_GRAPH_PASSES_H
#define TENON_PASSES_GRAPH_PASSES_H

#include "dialects/tenon/TenonDialect.h"
#include "dialects/tenon/WeightFormat.h"

#include "mlir/Pass/Pass.h"

namespace tenon {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/graph/Passes.h.inc"
} // namespace tenon

#endif // TENON_PASSES_GRAPH_PASSES_H
