// Divides distances by the dilation; nothing is emitted for sides without
// padding.
#include "passes/kernel/nest/WindowTaps.h"

using namespace mlir;

namespace tenon {

WindowTaps tapsInside(IndexBuilder at, Value start, int64_t taps,
                      int64_t dilation, ArrayRef<int64_t> padding,
                      Value input) {
  WindowTaps inside{at.constant(0), at.constant(taps)};
  auto firstFrom = [&](Value place) {
    Value distance = at.max(at.sub(place, start), at.constant(0));
    return at.min(at.ceilDiv(distance, dilation), at.constant(taps));
  };
  if (padding[0] > 0)
    inside.low = firstFrom(at.constant(0));
  if (padding[1] > 0)
    inside.high = firstFrom(input);
  return inside;
}

} // namespace tenon
