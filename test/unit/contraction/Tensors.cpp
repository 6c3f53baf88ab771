// Row-major tensors, filled by a linear congruential generator.
#include "test/unit/contraction/Tensors.h"

#include <functional>
#include <numeric>

namespace tenon {

int64_t count(const Dims &dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1),
                         std::multiplies<>());
}

std::string list(const Dims &dims) {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return "[" + text + "]";
}

std::vector<float> randomFloats(int64_t size, uint32_t seed) {
  std::vector<float> values(size);
  for (float &value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = float(int32_t(seed)) / float(1u << 30);
  }
  return values;
}

} // namespace tenon
