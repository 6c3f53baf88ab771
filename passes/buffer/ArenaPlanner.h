// Placement of buffers with known lifetimes: arithmetic only, no IR.
#ifndef TENON_PASSES_BUFFER_ARENAPLANNER_H
#define TENON_PASSES_BUFFER_ARENAPLANNER_H

#include <cstdint>
#include <vector>

namespace tenon {

/// The lifetime of a buffer: from step `first` to step `last`, both included.
struct BufferLifetime {
  int64_t bytes; ///< exact, or an estimate for a dynamic size
  int64_t first;
  int64_t last;
};

struct ArenaPlan {
  std::vector<int64_t> offsets;
  int64_t bytes = 0;
};

/// Offsets at which buffers with overlapping lifetimes do not overlap in
/// memory, each a multiple of `alignment`. Buffers are placed by falling size,
/// each in the smallest gap where it fits. Thousands of buffers are placed in
/// order of time.
ArenaPlan planOffsets(const std::vector<BufferLifetime> &buffers,
                      int64_t alignment);

/// Slots for buffers whose sizes are known only at run time: buffers with
/// overlapping lifetimes get different slots. Returns the slot of each buffer,
/// counted from 0.
std::vector<int64_t> planSlots(const std::vector<BufferLifetime> &buffers);

/// A buffer whose size is known only at run time: `scale` bytes times a factor.
/// Buffers with the same number `factor` have the same factor.
struct ScaledBuffer {
  BufferLifetime lifetime; ///< with an estimate of the bytes
  int64_t scale;
  int64_t factor;
};

/// Parts of an arena that follow from factors. A part holds one buffer or
/// several with the same factor, and slots hold parts that live one after
/// another. All numbers but those of slots and parts are multiples of the
/// factor.
struct ScaledPlan {
  struct Part {
    int64_t slot;
    int64_t scale; ///< its bytes
  };
  std::vector<Part> parts;
  std::vector<int64_t> partOf;  ///< of each buffer
  std::vector<int64_t> offsets; ///< of each buffer in its part
};

/// Places buffers of equal factors by planOffsets if the arena is never larger
/// then than with a slot for each buffer, and a sixth smaller with the
/// estimates or with factors of one.
ScaledPlan planScaled(const std::vector<ScaledBuffer> &buffers,
                      int64_t alignment);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_ARENAPLANNER_H
