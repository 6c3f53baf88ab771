// Tensors of reproducible random elements: a seed gives equal elements on every
// machine.
#ifndef TENON_COMPILER_ORACLE_RANDOMTENSOR_H
#define TENON_COMPILER_ORACLE_RANDOMTENSOR_H

#include "compiler/oracle/HostTensor.h"

namespace tenon {

/// A stream of 64-bit numbers (splitmix64).
class RandomStream {
public:
  explicit RandomStream(uint64_t seed) : state(seed) {}
  uint64_t next();
  /// Uniform in [0, bound); bound is positive.
  int64_t below(int64_t bound);
  /// Uniform in [0, 1).
  double unit();
  /// True with probability 1 / n.
  bool oneIn(int64_t n) { return below(n) == 0; }

private:
  uint64_t state;
};

/// Floats are uniform in [low, high) and rounded to their type. Integers are
/// uniform in [low, high], clipped to the type's range. Bools are uniform.
HostTensor randomTensor(RandomStream &stream, mlir::Type element,
                        llvm::ArrayRef<int64_t> shape, double low = -2,
                        double high = 2);

} // namespace tenon

#endif // TENON_COMPILER_ORACLE_RANDOMTENSOR_H
