// Placement of buffers with known lifetimes: greedy by size, which is near the
// optimum for the graphs models have.
#include "passes/buffer/ArenaPlanner.h"

#include <algorithm>
#include <numeric>

namespace tenon {

static bool overlapInTime(const BufferLife &a, const BufferLife &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Indices by falling size; earlier first among equals, so that plans are
/// reproducible.
static std::vector<size_t> bySize(const std::vector<BufferLife> &buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  return order;
}

ArenaPlan planOffsets(const std::vector<BufferLife> &buffers,
                      int64_t alignment) {
  ArenaPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  std::vector<size_t> placed;
  for (size_t index : bySize(buffers)) {
    const BufferLife &buffer = buffers[index];
    std::vector<size_t> neighbours;
    for (size_t other : placed)
      if (overlapInTime(buffer, buffers[other]))
        neighbours.push_back(other);
    std::sort(neighbours.begin(), neighbours.end(), [&](size_t a, size_t b) {
      return plan.offsets[a] < plan.offsets[b];
    });
    int64_t offset = 0, bestOffset = -1, bestGap = INT64_MAX;
    for (size_t other : neighbours) {
      int64_t gap = plan.offsets[other] - offset;
      if (gap >= buffer.bytes && gap < bestGap) {
        bestGap = gap;
        bestOffset = offset;
      }
      int64_t end = plan.offsets[other] + buffers[other].bytes;
      offset = std::max(offset, (end + alignment - 1) / alignment * alignment);
    }
    plan.offsets[index] = bestOffset >= 0 ? bestOffset : offset;
    plan.bytes = std::max(plan.bytes, plan.offsets[index] + buffer.bytes);
    placed.push_back(index);
  }
  plan.bytes = (plan.bytes + alignment - 1) / alignment * alignment;
  return plan;
}

std::vector<int64_t> planSlots(const std::vector<BufferLife> &buffers) {
  std::vector<int64_t> slots(buffers.size(), 0);
  std::vector<std::vector<size_t>> members;
  for (size_t index : bySize(buffers)) {
    size_t slot = 0;
    // The first slot is the largest so far: a smaller buffer in it costs
    // nothing.
    while (slot < members.size() &&
           std::any_of(
               members[slot].begin(), members[slot].end(),
               [&](size_t other) {
                 return overlapInTime(buffers[index], buffers[other]);
               }))
      ++slot;
    if (slot == members.size())
      members.emplace_back();
    members[slot].push_back(index);
    slots[index] = slot;
  }
  return slots;
}

} // namespace tenon
