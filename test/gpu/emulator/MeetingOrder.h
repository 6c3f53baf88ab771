// The order in which parted lanes of a warp run, so that they come together
// again.
#ifndef TENON_TEST_GPU_EMULATOR_MEETINGORDER_H
#define TENON_TEST_GPU_EMULATOR_MEETINGORDER_H

#include <cstdint>
#include <vector>

namespace tenon::ptx {

/// An instruction that goes elsewhere.
struct Jump {
  uint32_t from;
  std::vector<uint32_t> targets;
  bool mayGoOn; ///< to the next instruction
};

/// The rank of each of `count` instructions and of the end behind them. But for
/// jumps back to the begin of a loop, an instruction has a higher rank than all
/// that lead to it. Lanes that wait until those of lower ranks have come go on
/// together where their ways join, wherever that stands in the text.
std::vector<uint32_t> meetingOrder(uint32_t count,
                                   const std::vector<Jump> &jumps);

} // namespace tenon::ptx

#endif
