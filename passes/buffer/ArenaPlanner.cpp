// Placement of buffers with known lifetimes. The largest buffer is placed
// first. This is near the optimum for the graphs of models, and quadratic in
// the number of buffers. A very large number is placed in order of time
// instead, as malloc would do.
#include "passes/buffer/ArenaPlanner.h"

#include "llvm/Support/DebugLog.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <queue>
#include <set>

#define DEBUG_TYPE "tenon-place-buffers"

namespace tenon {

/// The most buffers that are compared pairwise; models have fewer.
static constexpr size_t maxComparedBuffers = 4096;

static bool overlapInTime(const BufferLifetime &a, const BufferLifetime &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Indices by falling size. Among equal sizes the earlier index comes first, so
/// that plans are reproducible.
static std::vector<size_t> bySize(const std::vector<BufferLifetime> &buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  return order;
}

namespace {
/// Visits buffers in the order of their first step and calls `take(index)`.
/// Calls `release(index)` for the buffers that have ended before then.
template <typename Take, typename Release>
void sweep(const std::vector<BufferLifetime> &buffers, const Take &take,
           const Release &release) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].first < buffers[b].first;
  });
  using End = std::pair<int64_t, size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> alive;
  for (size_t index : order) {
    for (; !alive.empty() && alive.top().first < buffers[index].first;
         alive.pop())
      release(alive.top().second);
    take(index);
    alive.push({buffers[index].last, index});
  }
}

/// The free ranges below the arena's end; adjacent ranges are joined.
class FreeRanges {
public:
  /// The offset of `bytes` in the smallest free range that holds them,
  /// otherwise at the end.
  int64_t take(int64_t bytes) {
    auto found = bySize.lower_bound({bytes, 0});
    if (found == bySize.end()) {
      int64_t offset = end;
      if (auto last =
              byOffset.empty() ? byOffset.end() : std::prev(byOffset.end());
          last != byOffset.end() && last->first + last->second == end) {
        offset = last->first;
        erase(last);
      }
      end = offset + bytes;
      return offset;
    }
    auto [size, offset] = *found;
    erase(byOffset.find(offset));
    if (size > bytes)
      insert(offset + bytes, size - bytes);
    return offset;
  }

  void release(int64_t offset, int64_t bytes) {
    if (bytes == 0)
      return;
    auto next = byOffset.lower_bound(offset);
    if (next != byOffset.end() && offset + bytes == next->first) {
      bytes += next->second;
      next = erase(next);
    }
    if (next != byOffset.begin())
      if (auto before = std::prev(next);
          before->first + before->second == offset) {
        offset = before->first;
        bytes += before->second;
        erase(before);
      }
    insert(offset, bytes);
  }

  int64_t end = 0;

private:
  using Ranges = std::map<int64_t, int64_t>; ///< offset to size

  void insert(int64_t offset, int64_t bytes) {
    byOffset[offset] = bytes;
    bySize.insert({bytes, offset});
  }
  Ranges::iterator erase(Ranges::iterator range) {
    bySize.erase({range->second, range->first});
    return byOffset.erase(range);
  }

  Ranges byOffset;
  std::set<std::pair<int64_t, int64_t>> bySize;
};
} // namespace

static ArenaPlan sweepOffsets(const std::vector<BufferLifetime> &buffers,
                              int64_t alignment) {
  ArenaPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  FreeRanges ranges;
  auto size = [&](size_t index) {
    return (buffers[index].bytes + alignment - 1) / alignment * alignment;
  };
  sweep(
      buffers,
      [&](size_t index) { plan.offsets[index] = ranges.take(size(index)); },
      [&](size_t index) { ranges.release(plan.offsets[index], size(index)); });
  plan.bytes = ranges.end;
  return plan;
}

static std::vector<int64_t>
sweepSlots(const std::vector<BufferLifetime> &buffers) {
  std::vector<int64_t> slots(buffers.size(), 0);
  std::vector<int64_t> capacities;
  std::set<std::pair<int64_t, int64_t>> unused; // capacity, slot
  sweep(
      buffers,
      [&](size_t index) {
        int64_t bytes = buffers[index].bytes;
        if (unused.empty()) {
          slots[index] = int64_t(capacities.size());
          capacities.push_back(bytes);
          return;
        }
        // The smallest slot that is large enough, otherwise the largest, which
        // grows.
        auto found = unused.lower_bound({bytes, 0});
        if (found == unused.end())
          found = std::prev(found);
        slots[index] = found->second;
        capacities[found->second] = std::max(capacities[found->second], bytes);
        unused.erase(found);
      },
      [&](size_t index) {
        unused.insert({capacities[slots[index]], slots[index]});
      });
  return slots;
}

ArenaPlan planOffsets(const std::vector<BufferLifetime> &buffers,
                      int64_t alignment) {
  if (buffers.size() > maxComparedBuffers)
    return sweepOffsets(buffers, alignment);
  ArenaPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  std::vector<size_t> placed;
  for (size_t index : bySize(buffers)) {
    const BufferLifetime &buffer = buffers[index];
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
  for (size_t i = 0; i < buffers.size(); ++i)
    LDBG() << buffers[i].bytes << " bytes at " << plan.offsets[i]
           << " in steps " << buffers[i].first << " to " << buffers[i].last;
  return plan;
}

std::vector<int64_t> planSlots(const std::vector<BufferLifetime> &buffers) {
  if (buffers.size() > maxComparedBuffers)
    return sweepSlots(buffers);
  std::vector<int64_t> slots(buffers.size(), 0);
  std::vector<std::vector<size_t>> members;
  for (size_t index : bySize(buffers)) {
    size_t slot = 0;
    // Earlier slots are at least as large, so this buffer costs nothing there.
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
