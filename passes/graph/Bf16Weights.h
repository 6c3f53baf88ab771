// Recognition of weights that lose nothing in 16 bits, although the graph
// computes with them in f32.
#ifndef TENON_PASSES_GRAPH_BF16WEIGHTS_H
#define TENON_PASSES_GRAPH_BF16WEIGHTS_H

#include "dialects/tenon/TenonDialect.h"

namespace tenon {

/// True if `weight` is f32 and its recipe only converts and moves elements of
/// bf16.
bool holdsBf16(WeightOp weight);

} // namespace tenon

#endif // TENON_PASSES_GRAPH_BF16WEIGHTS_H
