// What has happened before now, as seen by one warp: vector clocks of the warps
// and agents of its block.
#ifndef TENON_TEST_GPU_EMULATOR_KNOWLEDGE_H
#define TENON_TEST_GPU_EMULATOR_KNOWLEDGE_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tenon::ptx {

using VectorClock = std::vector<uint32_t>;

inline void join(VectorClock &into, const VectorClock &from) {
  if (into.size() < from.size())
    into.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

struct Knowledge {
  /// By warp, then by agent: the last clock of which accesses happened before.
  VectorClock known;
  /// The same for accesses that a fence.proxy.async followed: asynchronous
  /// copies and matrix units see them.
  VectorClock proxied;

  bool knows(uint32_t agent, uint32_t clock) const {
    return agent < known.size() && clock <= known[agent];
  }
  bool hasProxied(uint32_t agent, uint32_t clock) const {
    return agent < proxied.size() && clock <= proxied[agent];
  }
  void raise(uint32_t agent, uint32_t clock) {
    if (known.size() <= agent)
      known.resize(agent + 1);
    known[agent] = std::max(known[agent], clock);
  }
  void join(const Knowledge &other) {
    ptx::join(known, other.known);
    ptx::join(proxied, other.proxied);
  }
};

} // namespace tenon::ptx

#endif
