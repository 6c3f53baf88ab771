// Recognition of weights that lose nothing in 16 bits, although the graph
// computes with them in f32.
#ifndef TENON_PASSES_GRAPH_NARROWWEIGHTS_H
#define TENON_PASSES_GRAPH_NARROWWEIGHTS_H

#include "dialects/tenon/TenonDialect.h"

namespace tenon {

/// The type of 16 bits, f16 or bf16, whose numbers `weight` holds: it is f32,
/// and its recipe only widens and moves elements of this type. Null if there is
/// no such type.
mlir::FloatType narrowElementOf(WeightOp weight);

} // namespace tenon

#endif // TENON_PASSES_GRAPH_NARROWWEIGHTS_H
