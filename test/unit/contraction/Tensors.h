// Tensors for tests of compiled graphs: extents, their text, and random
// elements from seeds.
#ifndef TENON_TEST_UNIT_CONTRACTION_TENSORS_H
#define TENON_TEST_UNIT_CONTRACTION_TENSORS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

using Dims = std::vector<int64_t>;

int64_t count(const Dims &dims);
/// The list as text like `[2, 3]`.
std::string list(const Dims &dims);

/// Random numbers in [-2, 2).
std::vector<float> randomFloats(int64_t size, uint32_t seed);

} // namespace tenon

#endif // TENON_TEST_UNIT_CONTRACTION_TENSORS_H
