// Instructions whose lanes do not see each other, as loops over lanes.
#ifndef TENON_TEST_GPU_EMULATOR_LANES_H
#define TENON_TEST_GPU_EMULATOR_LANES_H

#include "test/gpu/emulator/Warp.h"

#include <algorithm>
#include <array>

namespace tenon::ptx {

/// result = body(lane) in the lanes of the mask; the common case of all lanes
/// is a loop that the compiler turns into vectors: its values lie apart from
/// the registers that it reads.
template <typename T, typename Body>
void setLanes(T *result, uint32_t mask, Body body) {
  if (mask == allLanes) {
    std::array<T, warpLanes> values;
    for (int lane = 0; lane < warpLanes; ++lane)
      values[size_t(lane)] = body(lane);
    std::copy(values.begin(), values.end(), result);
    return;
  }
  forLanes(mask, [&](int lane) { result[lane] = body(lane); });
}

template <typename Result, typename A, auto function>
void unary(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const A *a = warp.lanes<A>(instruction.reads[0]);
  setLanes(warp.lanes<Result>(instruction.writes[0]), mask,
           [&](int lane) { return function(a[lane]); });
}

template <typename Result, typename A, typename B, auto function>
void binary(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const A *a = warp.lanes<A>(instruction.reads[0]);
  const B *b = warp.lanes<B>(instruction.reads[1]);
  setLanes(warp.lanes<Result>(instruction.writes[0]), mask,
           [&](int lane) { return function(a[lane], b[lane]); });
}

template <typename Result, typename A, typename B, typename C, auto function>
void ternary(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const A *a = warp.lanes<A>(instruction.reads[0]);
  const B *b = warp.lanes<B>(instruction.reads[1]);
  const C *c = warp.lanes<C>(instruction.reads[2]);
  setLanes(warp.lanes<Result>(instruction.writes[0]), mask,
           [&](int lane) { return function(a[lane], b[lane], c[lane]); });
}

/// The lanes of `mask` where body(lane) holds.
template <typename Body> uint32_t lanesWhere(uint32_t mask, Body body) {
  uint32_t result = 0;
  for (int lane = 0; lane < warpLanes; ++lane)
    result |= uint32_t(body(lane)) << lane;
  return result & mask;
}

} // namespace tenon::ptx

#endif
