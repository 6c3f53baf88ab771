// Compares computed outputs with the oracle's, element by element, within the
// bounds that rounding allows.
#ifndef TENON_TEST_RANDOM_AGREEMENT_H
#define TENON_TEST_RANDOM_AGREEMENT_H

#include "test/random/RandomGraph.h"

#include <string>

namespace tenon {

/// The graph's outputs in double precision, each element with the bound on its
/// error. Composites are evaluated as their decomposition, with constants
/// rounded to their type. With `bf16Products` the bounds allow that products
/// of f32 and f16 round their operands to bf16.
llvm::Expected<std::vector<HostTensor>>
boundedOutputs(const RandomGraph &graph, bool bf16Products = false);

/// The first element of `actual` that differs, as text; empty if all agree.
/// Integers, and floats that nothing has rounded, must be equal. NaN equals
/// NaN, and zeros of either sign are equal.
std::string disagreement(const HostTensor &expected, const HostTensor &actual);

} // namespace tenon

#endif // TENON_TEST_RANDOM_AGREEMENT_H
