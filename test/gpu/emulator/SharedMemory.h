// The shared memory of the block that runs: its bytes, which of them were
// written, and the last accesses of each word.
#ifndef TENON_TEST_GPU_EMULATOR_SHAREDMEMORY_H
#define TENON_TEST_GPU_EMULATOR_SHAREDMEMORY_H

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::ptx {

class Warp;

class SharedMemory {
public:
  using Gaps = std::vector<std::pair<uint32_t, uint32_t>>;
  SharedMemory(uint32_t bytes, const Gaps &gaps, uint32_t warps);

  /// Ends a block whose warps have clocks up to `lastClock`: nothing is written
  /// any more. What was noted keeps clocks that are older than all of the next
  /// block.
  void end(uint32_t lastClock);

  /// The bytes that a lane reads; throws a finding if it may not.
  const uint8_t *read(Warp &warp, int lane, uint64_t offset, uint32_t bytes);
  /// The place that a lane writes to; throws a finding if it may not.
  uint8_t *write(Warp &warp, int lane, uint64_t offset, uint32_t bytes,
                 bool isAtomic = false);
  /// Makes the bytes unreadable until an asynchronous copy is waited for.
  void beginCopy(Warp &warp, int lane, uint64_t offset, uint32_t bytes);
  /// The bytes of a copy may be read; they belong at the returned place.
  uint8_t *endCopy(Warp &warp, int lane, uint64_t offset, uint32_t bytes);

  uint32_t size() const { return uint32_t(bytes.size()); }

private:
  enum : uint8_t { Unwritten, Written, Pending, Outside };
  struct Write {
    uint32_t clock = 0;
    uint16_t warp = 0;
    uint8_t lane = 0;
    bool isAtomic : 1 = false, isPart : 1 = false;
  };
  void forget();
  /// The warp's clock among those of all blocks before.
  uint32_t now(const Warp &warp) const;
  /// The same since the last barrier of the warp's lanes.
  uint32_t lanesNow(const Warp &warp) const;
  /// True if what another warp did at `clock` is ordered before now.
  bool isOld(const Warp &warp, uint32_t other, uint32_t clock) const;
  void checkPlace(Warp &warp, int lane, uint64_t offset, uint32_t bytes);
  void checkWrite(Warp &warp, int lane, uint64_t word, bool isAtomic);
  /// True if an access of `bytes` and the word's last write are of parts of the
  /// word and of one warp.
  bool arePartsOfWarp(const Warp &warp, uint64_t word, uint32_t bytes) const;
  void checkParts(Warp &warp, int lane, uint64_t offset, uint32_t bytes);
  void checkReads(Warp &warp, int lane, uint64_t word);
  [[noreturn]] void race(Warp &warp, int lane, uint64_t word,
                         const std::string &other);

  uint32_t warps;
  uint32_t base = 0; // clocks of blocks before are not greater
  const Gaps &gaps;
  std::vector<uint8_t> bytes, states;
  /// For each byte: the clock of its last write as a part of a word times 64,
  /// plus the lane.
  std::vector<uint32_t> parts;
  std::vector<Write> writes; // by word
  /// For each word and warp: the clock of its last read times 64, plus the
  /// lane, or 32 if several lanes read it.
  std::vector<uint32_t> reads;
};

} // namespace tenon::ptx

#endif
