// A block of threads: its warps, which run in a random order, its barriers,
// and which accesses happened before others.
#ifndef TENON_TEST_GPU_EMULATOR_BLOCK_H
#define TENON_TEST_GPU_EMULATOR_BLOCK_H

#include "test/gpu/emulator/BulkCopies.h"
#include "test/gpu/emulator/DeviceMemory.h"
#include "test/gpu/emulator/Launch.h"
#include "test/gpu/emulator/Mbarriers.h"
#include "test/gpu/emulator/SharedMemory.h"
#include "test/gpu/emulator/Warp.h"

#include <random>

namespace tenon::ptx {

class Block {
public:
  Block(Launch &launch, const std::array<uint32_t, 3> &place);

  /// Runs until all threads have ended. Throws a finding.
  void run();

  /// The value of a special register for a thread of the block.
  uint32_t special(const std::string &name, uint32_t thread) const;
  /// The warp comes to a barrier for `threads` of the block, 0: all; it waits
  /// there, or goes on if it only arrives.
  void arrive(Warp &warp, uint32_t barrier, uint32_t threads, bool waits);
  /// What a lane has copied to shared memory but not waited for, oldest first;
  /// `group` counts commits.
  struct Copy {
    const Instruction *instruction;
    uint32_t group;
    uint64_t offset;
    std::vector<uint8_t> bytes;
  };
  std::vector<Copy> &copies(uint32_t warp, int lane) {
    return pending[warp * warpLanes + lane];
  }
  uint32_t &copyGroup(uint32_t warp, int lane) {
    return groups[warp * warpLanes + lane];
  }

  uint32_t launchNumber() const { return launch.number; }
  uint32_t globalWarp(uint32_t warp) const { return firstWarp + warp; }
  bool has(uint32_t globalWarp) const {
    return globalWarp - firstWarp < numWarps;
  }
  /// How many barriers of all threads were passed.
  uint32_t phase() const { return barriersPassed; }
  /// True if what another warp did at `clock` is ordered before now.
  bool happenedBefore(const Warp &warp, uint32_t globalWarp,
                      uint32_t clock) const;
  /// Orders warps by a strong access of the address, which reads, writes or
  /// does both. What a relaxed read has seen counts from the next fence on; a
  /// relaxed write tells what was known at the last fence. A write that is no
  /// atomic operation ends what was released before.
  struct StrongAccess {
    bool reads, writes, acquires, releases;
    Scope scope;
  };
  void order(Warp &warp, uint64_t address, const StrongAccess &access);
  void fence(Warp &warp, Scope scope);

  /// A new place in the vector clocks, after those of the warps.
  uint32_t addAgent() { return numWarps + numAgents++; }
  /// Decides what the hardware leaves open.
  bool coin() { return draws() % 2; }

  std::string placeText() const;
  std::string warpText(uint32_t globalWarp) const;

  Launch &launch;
  Counters &counters;
  DeviceMemory &memory;
  SharedMemory &shared;
  const std::vector<uint8_t> &parameters;

private:
  struct Barrier {
    uint32_t expected = 0, arrived = 0;
    std::vector<Warp *> members, waiting;
    std::string lastArrival; // for a report
  };
  void pass(Barrier &barrier);
  Clocks clocksOf(const Warp &warp) const;
  void join(Warp &warp, const Clocks &clocks, Scope scope);
  void publish(uint64_t address, const Clocks &clocks, Scope scope);
  bool anyWaits() const;
  void checkEnd();
  [[noreturn]] void deadlock();

  std::array<uint32_t, 3> place;
  uint32_t numThreads, numWarps, firstWarp, barriersPassed = 0, numAgents = 0;
  std::vector<std::unique_ptr<Warp>> warps;
  std::array<Barrier, 16> barriers;
  std::vector<std::vector<Copy>> pending;
  std::vector<uint32_t> groups;
  /// By warp: clocks of warps of other blocks that happened before.
  std::vector<Clocks> acquired;
  /// By warp: what relaxed reads have seen since the last fence, and what was
  /// known at the last fence of each scope.
  std::vector<Clocks> seen;
  std::vector<std::array<Clocks, 2>> fenced;
  std::mt19937_64 draws;

public:
  Mbarriers mbarriers;
  BulkCopies bulkCopies;
  Warpgroups warpgroups;
};

} // namespace tenon::ptx

#endif
