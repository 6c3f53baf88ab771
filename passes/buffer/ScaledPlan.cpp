// Placement of buffers whose sizes are known only at run time. In a slot of its
// own a small buffer wastes what a larger one needs at another time. Buffers
// with the same factor keep their proportions, so that their offsets can be
// planned as for known sizes. Buffers with other factors share slots with them
// as a whole, if they live at other times: an encoder's with a decoder's.
#include "passes/buffer/ArenaPlanner.h"
#include "passes/buffer/ByteCounts.h"

#include <algorithm>
#include <map>

namespace tenon {

/// Small buffers often live long and would join the lifetimes of others.
static constexpr int64_t leastPackedBytes = int64_t(1) << 20;

/// In slots of their own, successive buffers lie in the same cache lines of the
/// same threads. Less than this share of the arena is not worth losing it.
static constexpr int64_t leastGain = 6;

namespace {
struct Draft {
  ScaledPlan plan;
  std::vector<BufferLifetime> lives; ///< of the parts, with estimated bytes
  /// The arena, by the estimates and with factors of one.
  int64_t bytes = 0, leastBytes = 0;

  /// Adds a part with buffers that have one factor.
  void add(const std::vector<ScaledBuffer> &buffers,
           const std::vector<size_t> &members, int64_t alignment) {
    std::vector<BufferLifetime> scaled;
    BufferLifetime life = buffers[members.front()].lifetime;
    for (size_t member : members) {
      const ScaledBuffer &buffer = buffers[member];
      scaled.push_back(
          {buffer.scale, buffer.lifetime.first, buffer.lifetime.last});
      life.first = std::min(life.first, buffer.lifetime.first);
      life.last = std::max(life.last, buffer.lifetime.last);
    }
    ScaledPlan::Part part = {0, scaled.front().bytes};
    if (members.size() > 1) {
      ArenaPlan layout = planOffsets(scaled, alignment);
      part.scale = layout.bytes;
      for (size_t i = 0; i < members.size(); ++i)
        plan.offsets[members[i]] = layout.offsets[i];
      const ScaledBuffer &one = buffers[members.front()];
      life.bytes = multiplyBytes(one.lifetime.bytes / one.scale, part.scale);
    }
    for (size_t member : members)
      plan.partOf[member] = int64_t(plan.parts.size());
    plan.parts.push_back(part);
    lives.push_back(life);
  }

  void chooseSlots() {
    std::vector<int64_t> slots = planSlots(lives);
    std::vector<std::pair<int64_t, int64_t>> largest;
    for (size_t i = 0; i < slots.size(); ++i) {
      plan.parts[i].slot = slots[i];
      largest.resize(std::max(largest.size(), size_t(slots[i] + 1)));
      auto &[estimated, least] = largest[slots[i]];
      estimated = std::max(estimated, lives[i].bytes);
      least = std::max(least, plan.parts[i].scale);
    }
    for (auto [estimated, least] : largest) {
      bytes += estimated;
      leastBytes += least;
    }
  }
};
} // namespace

static Draft emptyDraft(size_t count) {
  Draft draft;
  draft.plan.partOf.assign(count, 0);
  draft.plan.offsets.assign(count, 0);
  return draft;
}

static Draft eachApart(const std::vector<ScaledBuffer> &buffers) {
  Draft draft = emptyDraft(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i)
    draft.add(buffers, {i}, 1);
  draft.chooseSlots();
  return draft;
}

/// One part for all buffers of a factor that are connected in time.
static Draft packed(const std::vector<ScaledBuffer> &buffers,
                    int64_t alignment) {
  Draft draft = emptyDraft(buffers.size());
  std::map<int64_t, std::vector<size_t>> groups;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].lifetime.bytes >= leastPackedBytes && buffers[i].scale > 0)
      groups[buffers[i].factor].push_back(i);
    else
      draft.add(buffers, {i}, alignment);
  for (auto &[factor, group] : groups) {
    std::stable_sort(group.begin(), group.end(), [&](size_t a, size_t b) {
      return buffers[a].lifetime.first < buffers[b].lifetime.first;
    });
    std::vector<size_t> members;
    int64_t end = 0;
    for (size_t i : group) {
      if (!members.empty() && buffers[i].lifetime.first > end) {
        draft.add(buffers, members, alignment);
        members.clear();
      }
      end = members.empty() ? buffers[i].lifetime.last
                            : std::max(end, buffers[i].lifetime.last);
      members.push_back(i);
    }
    draft.add(buffers, members, alignment);
  }
  draft.chooseSlots();
  return draft;
}

ScaledPlan planScaled(const std::vector<ScaledBuffer> &buffers,
                      int64_t alignment) {
  Draft apart = eachApart(buffers), together = packed(buffers, alignment);
  auto saves = [](int64_t before, int64_t after) {
    return before - after >= before / leastGain;
  };
  // Known sizes may be most of the arena, if the extents of a run are small.
  bool isWorth = together.bytes <= apart.bytes &&
                 together.leastBytes <= apart.leastBytes &&
                 (saves(apart.bytes, together.bytes) ||
                  saves(apart.leastBytes, together.leastBytes));
  return isWorth ? together.plan : apart.plan;
}

} // namespace tenon
