// What a launch did, counted.
#ifndef TENON_TEST_GPU_EMULATOR_COUNTERS_H
#define TENON_TEST_GPU_EMULATOR_COUNTERS_H

#include "test/gpu/emulator/Program.h"

#include <array>

namespace tenon::ptx {

struct Counters {
  /// Instructions of warps, by group.
  std::array<uint64_t, size_t(Group::Count) + 1> instructions{};
  /// 32-byte sectors of global memory that instructions touched.
  uint64_t sectorsRead = 0, sectorsWritten = 0;
  /// Bytes of global memory that lanes asked for.
  uint64_t bytesRead = 0, bytesWritten = 0;
  /// Passes over the banks of shared memory, and how many of them are due to
  /// bank conflicts.
  uint64_t sharedPasses = 0, bankConflicts = 0;

  uint64_t &operator[](Group group) { return instructions[size_t(group)]; }
  uint64_t operator[](Group group) const { return instructions[size_t(group)]; }
  uint64_t total() const {
    uint64_t sum = 0;
    for (uint64_t count : instructions)
      sum += count;
    return sum - (*this)[Group::Implicit];
  }
};

} // namespace tenon::ptx

#endif
