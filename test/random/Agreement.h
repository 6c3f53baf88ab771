// Whether computed outputs agree with the oracle's, element by element, given
// how far rounding may carry each.
#ifndef TENON_TEST_RANDOM_AGREEMENT_H
#define TENON_TEST_RANDOM_AGREEMENT_H

#include "test/random/RandomGraph.h"

#include <string>

namespace tenon {

/// The graph's outputs in double precision, each element with the error that
/// an evaluation with rounding may have. Composites count as what they
/// decompose to, with constants rounded to their type. With `bf16Products` f32
/// products may be of operands rounded to bf16.
llvm::Expected<std::vector<HostTensor>>
boundedOutputs(const RandomGraph &graph, bool bf16Products = false);

/// Empty when `actual` agrees; else the first element that does not.
/// Integers, and floats that nothing rounds, must be equal; NaN equals NaN,
/// zeros of either sign are equal.
std::string disagreement(const HostTensor &expected, const HostTensor &actual);

} // namespace tenon

#endif // TENON_TEST_RANDOM_AGREEMENT_H
