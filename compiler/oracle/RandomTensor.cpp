// Random elements from one 64-bit stream. The distributions of the C++ library
// are not used, because they differ between machines.
#include "compiler/oracle/RandomTensor.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tenon {

uint64_t RandomStream::next() {
  // Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int64_t RandomStream::below(int64_t bound) {
  return int64_t(next() % uint64_t(bound));
}

double RandomStream::unit() { return double(next() >> 11) * 0x1p-53; }

HostTensor randomTensor(RandomStream &stream, Type element,
                        llvm::ArrayRef<int64_t> shape, double low,
                        double high) {
  HostTensor tensor = HostTensor::zeros(element, shape);
  for (double &value : tensor.floats)
    value = roundToElement(element, low + stream.unit() * (high - low));
  if (tensor.isFloat())
    return tensor;
  int64_t least = isUnsignedElement(element) ? std::max(low, 0.0) : low;
  int64_t span = std::max<int64_t>(int64_t(high) - least + 1, 1);
  for (int64_t &value : tensor.ints)
    value = wrapToElement(element, least + stream.below(span));
  return tensor;
}

} // namespace tenon
