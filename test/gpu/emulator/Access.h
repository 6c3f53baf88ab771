// Accesses of memory by the lanes of one instruction: checks, and what a launch
// counts of them.
#ifndef TENON_TEST_GPU_EMULATOR_ACCESS_H
#define TENON_TEST_GPU_EMULATOR_ACCESS_H

#include "test/gpu/emulator/Block.h"
#include "test/gpu/emulator/Races.h"

namespace tenon::ptx {

/// Memory that one lane sees, in any space.
class Access {
public:
  /// `elements`: that one lane reads or writes.
  Access(Warp &warp, uint32_t bytes, uint32_t elements = 1)
      : warp(warp), block(warp.block), bytes(bytes), elements(elements) {}

  /// The bytes that the lane reads at the address of a space; a finding if it
  /// may not. `constant`: nobody writes them during the launch.
  const uint8_t *read(Space space, int lane, uint64_t address,
                      bool constant = false);
  /// Where the lane writes.
  uint8_t *write(Space space, int lane, uint64_t address,
                 Atomicity atomicity = Atomicity::None);

  /// The bytes that a strong access of the lane reads or writes; such an access
  /// orders warps.
  uint8_t *atomic(Space space, int lane, uint64_t address,
                  Block::StrongAccess access);

  /// Counts the instruction's sectors and banks. Call it once, after all lanes.
  void count();

private:
  Space resolve(Space space, uint64_t &address) const;
  void checkAlignment(int lane, uint64_t address) const;
  uint8_t *localAt(int lane, uint64_t address, bool writes);
  void checkLocal(int lane, size_t place);
  void countBanks();

  Warp &warp;
  Block &block;
  uint32_t bytes, elements;
  std::array<uint64_t, warpLanes> global, sharedAt;
  int numGlobal = 0, numShared = 0;
  PlacesRead places;
  bool writes = false;
};

} // namespace tenon::ptx

#endif
