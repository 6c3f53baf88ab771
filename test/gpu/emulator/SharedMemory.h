// The shared memory of the block that runs: its bytes, which of them were
// written, and the last accesses of each word.
#ifndef TENON_TEST_GPU_EMULATOR_SHAREDMEMORY_H
#define TENON_TEST_GPU_EMULATOR_SHAREDMEMORY_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tenon::ptx {

class Warp;

/// What lanes of one instruction read, so that a place that several of them
/// read is checked once.
class PlacesRead {
public:
  struct Place {
    uint64_t offset = UINT64_MAX;
    bool hasSeveral = false; // lanes read it
  };
  /// The last place of `bytes` that is kept where the one at `offset` is.
  Place &at(uint64_t offset, uint32_t bytes) {
    return places[offset >> __builtin_ctz(bytes) & (places.size() - 1)];
  }

private:
  std::array<Place, 32> places;
};

class SharedMemory {
public:
  using Gaps = std::vector<std::pair<uint32_t, uint32_t>>;
  SharedMemory(uint32_t bytes, const Gaps &gaps, uint32_t warps);

  /// Ends a block whose warps have clocks up to `lastClock`: nothing is written
  /// any more. What was noted keeps clocks that are older than all of the next
  /// block.
  void end(uint32_t lastClock);

  /// The bytes that a lane reads; throws a finding if it may not. `places`: of
  /// the instruction, which writes nothing.
  const uint8_t *read(Warp &warp, int lane, uint64_t offset, uint32_t bytes,
                      PlacesRead &places);
  /// The place that a lane writes to; throws a finding if it may not.
  uint8_t *write(Warp &warp, int lane, uint64_t offset, uint32_t bytes,
                 bool isAtomic = false);
  /// Makes the bytes unreadable until an asynchronous copy is waited for.
  void beginCopy(Warp &warp, int lane, uint64_t offset, uint32_t bytes);
  /// The bytes of a copy may be read; they belong at the returned place.
  uint8_t *endCopy(Warp &warp, int lane, uint64_t offset, uint32_t bytes);

  // Asynchronous copies of blocks of memory and matrix units see what other
  // instructions wrote if a fence.proxy.async came between.

  /// Bytes will be written by a copy; nobody may touch them until it is done.
  void beginAsyncWrite(Warp &warp, int lane, uint64_t offset, uint32_t bytes);
  /// The copy has written, as `agent` at `clock`.
  uint8_t *endAsyncWrite(uint32_t agent, uint32_t clock, uint64_t offset,
                         uint32_t bytes);
  /// Bytes are read until endAsyncRead; nobody may write them.
  const uint8_t *beginAsyncRead(Warp &warp, int lane, uint64_t offset,
                                uint32_t bytes);
  void endAsyncRead(Warp &warp, int lane, uint64_t offset, uint32_t bytes);

  /// What an asynchronous read reads.
  const uint8_t *at(uint64_t offset) const { return &bytes[offset]; }

  /// Makes eight bytes an mbarrier, which no other access may touch.
  void makeBarrier(Warp &warp, int lane, uint64_t offset);
  void dropBarrier(Warp &warp, int lane, uint64_t offset);
  /// A finding if no mbarrier is there, or its init is not ordered before.
  void checkBarrier(Warp &warp, int lane, uint64_t offset);
  /// True if a fence.proxy.async came after the last write of the word.
  bool isProxied(const Warp &warp, uint64_t offset) const;

  uint32_t size() const { return uint32_t(bytes.size()); }

private:
  enum : uint8_t { Unwritten, Written, Pending, Outside, Synchronizes };
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
  /// True for bytes that were written and that no copy is writing.
  bool areWritten(uint64_t offset, uint32_t count) const;
  /// The last read of a word by a warp.
  uint32_t &readOf(uint32_t warp, uint64_t word) {
    return reads[warp * writes.size() + word];
  }
  void noteRead(const Warp &warp, int lane, uint64_t offset, uint32_t bytes);
  void checkRange(Warp &warp, int lane, uint64_t offset, uint32_t bytes);
  void checkPlace(Warp &warp, int lane, uint64_t offset, uint32_t bytes);
  void checkWritten(Warp &warp, int lane, uint64_t offset, uint32_t bytes);
  void checkWrite(Warp &warp, int lane, uint64_t word, bool isAtomic);
  /// True if an access of `bytes` and the word's last write are of parts of the
  /// word and of one warp.
  bool arePartsOfWarp(const Warp &warp, uint64_t word, uint32_t bytes) const;
  void checkParts(Warp &warp, int lane, uint64_t offset, uint32_t bytes);
  void checkReads(Warp &warp, int lane, uint64_t word);
  void checkProxy(Warp &warp, int lane, uint64_t word);
  void checkNotRead(Warp &warp, int lane, uint64_t word);
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
  /// For each warp and word: the clock of its last read times 64, plus the
  /// lane, or 32 if several lanes read it.
  std::vector<uint32_t> reads;
  /// By word: how many asynchronous reads are under way.
  std::vector<uint16_t> asyncReads;
};

} // namespace tenon::ptx

#endif
