// What a launch did, counted.
#ifndef TENON_TEST_GPU_EMULATOR_COUNTERS_H
#define TENON_TEST_GPU_EMULATOR_COUNTERS_H

#include "test/gpu/emulator/Program.h"

#include <array>
#include <iterator>
#include <map>

namespace tenon::ptx {

/// 32-byte sectors of global memory that instructions touched.
struct Sectors {
  uint64_t read = 0, written = 0;
};

struct Counters {
  /// Instructions of warps, by group.
  std::array<uint64_t, size_t(Group::Count) + 1> instructions{};
  Sectors sectors;
  /// The sectors by parameter. The key is the address that a parameter holds;
  /// its sectors are those from there up to the next key.
  std::map<uint64_t, Sectors> sectorsFrom;

  /// Counts sectors that an access touched whose first byte is at `address`.
  void countSectors(uint64_t address, uint64_t count, bool writes) {
    auto next = sectorsFrom.upper_bound(address);
    for (Sectors *of :
         {&sectors,
          next == sectorsFrom.begin() ? nullptr : &std::prev(next)->second})
      if (of)
        (writes ? of->written : of->read) += count;
  }
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
