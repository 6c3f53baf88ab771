// Races for global memory: of two accesses of a word, or of a byte, in one
// launch, one of them a write, the first must have happened before the second.
//
// Method: epochs and vector clocks as in FastTrack (Flanagan, Freund, 2009), a
// clock a warp. Reads by several warps of a block are kept as one epoch of the
// block: the count of its barriers.
#ifndef TENON_TEST_GPU_EMULATOR_RACES_H
#define TENON_TEST_GPU_EMULATOR_RACES_H

#include "test/gpu/emulator/DeviceMemory.h"

namespace tenon::ptx {

class Warp;

/// The limits of an epoch's fields.
constexpr uint64_t maxLaunches = (1 << 12) - 1, maxWarps = 1 << 24,
                   maxClock = (1 << 17) - 1;

/// Which accesses are one with others: those of the same word by the same block
/// or by the whole device.
enum class Atomicity : uint8_t { None, InBlock, OnDevice };

/// Notes that a lane reads bytes of the allocation; a finding if it races.
void noteRead(Warp &warp, int lane, Allocation &allocation, uint64_t address,
              uint32_t bytes);
/// The same for a write. Atomic operations do not race with each other.
void noteWrite(Warp &warp, int lane, Allocation &allocation, uint64_t address,
               uint32_t bytes, Atomicity atomicity);

/// True if one of the bytes was written in the launch.
bool wasWrittenInLaunch(uint32_t launch, Allocation &allocation,
                        uint64_t address, uint32_t bytes);

} // namespace tenon::ptx

#endif
