// Placement of buffers with known lifetimes: pure arithmetic, no IR.
#ifndef TENON_PASSES_BUFFER_ARENAPLANNER_H
#define TENON_PASSES_BUFFER_ARENAPLANNER_H

#include <cstdint>
#include <vector>

namespace tenon {

/// A buffer alive from step `first` to step `last`, both included.
struct BufferLife {
  int64_t bytes; ///< exact, or an estimate where sizes are dynamic
  int64_t first;
  int64_t last;
};

struct ArenaPlan {
  std::vector<int64_t> offsets;
  int64_t bytes = 0;
};

/// Offsets so that buffers alive at one time do not overlap, each a multiple of
/// `alignment`: by falling size, each at the lowest place where it fits (best
/// fit among gaps); thousands of buffers in the order of their lives.
ArenaPlan planOffsets(const std::vector<BufferLife> &buffers,
                      int64_t alignment);

/// For sizes known only at run time: buffers that share a slot never live at
/// one time. Returns the slot of each buffer; slots are numbered from 0.
std::vector<int64_t> planSlots(const std::vector<BufferLife> &buffers);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_ARENAPLANNER_H
