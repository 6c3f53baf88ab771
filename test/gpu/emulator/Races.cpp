// An epoch is one number: the launch, the warp in the launch, its clock, the
// lane, and which bytes of the word.
#include "test/gpu/emulator/Races.h"

#include "test/gpu/emulator/Block.h"
#include "test/gpu/emulator/Warp.h"

namespace tenon::ptx {
namespace {
/// Values of Epoch::lane: a lane alone, plus one of the first two if its access
/// was atomic, or one of the last three.
enum : uint32_t {
  AtomicInBlock = 32,
  AtomicOnDevice = 64,
  SeveralLanes = 96,
  SeveralWarps,
  SeveralBlocks
};

struct Epoch {
  uint32_t launch, warp, clock, lane, bytes;

  static Epoch of(uint64_t packed) {
    return {uint32_t(packed >> 52), uint32_t(packed >> 28) & 0xffffff,
            uint32_t(packed >> 11) & 0x1ffff, uint32_t(packed >> 4) & 0x7f,
            uint32_t(packed) & 0xf};
  }
  uint64_t packed() const {
    return uint64_t(launch) << 52 | uint64_t(warp) << 28 |
           uint64_t(clock) << 11 | lane << 4 | bytes;
  }
};

/// WordHistory::write of a word whose bytes have histories.
constexpr uint64_t inParts = UINT64_MAX;

class WordAccess {
public:
  WordAccess(Warp &warp, int lane, uint64_t address, uint32_t bytes)
      : warp(warp), block(warp.block), lane(lane), address(address),
        mine{block.launchNumber(), block.globalWarp(warp.number), warp.clock,
             uint32_t(lane), bytes} {}

  uint64_t packed() const { return mine.packed(); }

  void read(WordHistory &word) {
    checkWrite(word, Atomicity::None);
    Epoch read = Epoch::of(word.read);
    if (read.launch != mine.launch) {
      word.read = mine.packed();
      return;
    }
    Epoch made = mine;
    made.bytes |= read.bytes;
    if (read.lane == SeveralBlocks) {
      made.lane = SeveralBlocks;
    } else if (isPast(read)) {
      // What happens after this read happens after the earlier ones too.
    } else if (block.has(read.warp)) {
      if (read.lane == SeveralWarps || read.warp != mine.warp) {
        made.lane = SeveralWarps;
        made.clock = block.phase();
      } else if (read.clock >= warp.lanesClock && read.lane != mine.lane) {
        made.lane = SeveralLanes;
      }
    } else {
      made.lane = SeveralBlocks;
    }
    word.read = made.packed();
  }

  void write(WordHistory &word, Atomicity atomicity) {
    checkWrite(word, atomicity);
    checkRead(word);
    Epoch made = mine;
    if (atomicity != Atomicity::None)
      made.lane |=
          atomicity == Atomicity::OnDevice ? AtomicOnDevice : AtomicInBlock;
    word.write = made.packed();
  }

private:
  /// True for reads of other warps that happened before now.
  bool isPast(const Epoch &read) const {
    if (read.lane == SeveralBlocks)
      return false;
    if (read.lane == SeveralWarps)
      return block.has(read.warp) && read.clock < block.phase();
    return read.warp != mine.warp &&
           block.happenedBefore(warp, read.warp, read.clock);
  }

  /// Atomic operations do not race if the scope of each has the other.
  bool areAtomic(Atomicity atomicity, const Epoch &write) const {
    bool bothOnDevice =
        atomicity == Atomicity::OnDevice && write.lane >= AtomicOnDevice;
    return atomicity != Atomicity::None && write.lane >= AtomicInBlock &&
           (bothOnDevice || block.has(write.warp));
  }

  void checkWrite(const WordHistory &word, Atomicity atomicity) {
    Epoch write = Epoch::of(word.write);
    if (write.launch != mine.launch || !(write.bytes & mine.bytes) ||
        areAtomic(atomicity, write))
      return;
    bool ordered;
    if (write.warp == mine.warp)
      ordered = write.lane % 32 == mine.lane || write.clock < warp.lanesClock;
    else
      ordered = block.happenedBefore(warp, write.warp, write.clock);
    if (!ordered)
      race("a write", write);
  }

  void checkRead(const WordHistory &word) {
    Epoch read = Epoch::of(word.read);
    if (read.launch != mine.launch || !(read.bytes & mine.bytes))
      return;
    if (read.lane == SeveralBlocks)
      race("reads of several blocks", read);
    bool ordered;
    if (read.lane == SeveralWarps)
      ordered = block.has(read.warp) && read.clock < block.phase();
    else if (read.warp == mine.warp)
      ordered = read.lane == mine.lane || read.clock < warp.lanesClock;
    else
      ordered = block.happenedBefore(warp, read.warp, read.clock);
    if (!ordered)
      race("a read", read);
  }

  [[noreturn]] void race(const std::string &what, const Epoch &other) {
    warp.fail(lane, "a race for the word at address " +
                        std::to_string(address) + " with " + what + " by " +
                        block.warpText(other.warp));
  }

  Warp &warp;
  Block &block;
  int lane;
  uint64_t address;
  Epoch mine;
};

/// What is known of byte `number` of a word with that epoch.
uint64_t partOf(uint64_t epoch, uint32_t number) {
  Epoch part = Epoch::of(epoch);
  part.bytes &= 1u << number;
  return part.bytes ? part.packed() : 0;
}

/// Calls body(access, history) for each word of the bytes, or for each byte of
/// a word if parts of it are accessed.
template <typename Body>
void forWords(Warp &warp, int lane, Allocation &allocation, uint64_t address,
              uint32_t bytes, Body body) {
  uint64_t end = address + bytes;
  for (uint64_t word = address / 4 * 4; word < end; word += 4) {
    uint32_t first = word < address ? uint32_t(address - word) : 0,
             last = end - word < 4 ? uint32_t(end - word) : 4;
    uint32_t touched = (1u << last) - (1u << first);
    WordHistory &whole = *allocation.history(word);
    ByteHistories *parts =
        whole.write == inParts ? allocation.byteHistories(word) : nullptr;
    if (touched == 0xf && !parts) {
      WordAccess access(warp, lane, word, touched);
      body(access, whole);
      continue;
    }
    if (!parts) {
      parts = &allocation.parts[word];
      for (uint32_t i = 0; i < 4; ++i)
        (*parts)[i] = {partOf(whole.write, i), partOf(whole.read, i)};
      whole.write = inParts;
    }
    for (uint32_t i = first; i < last; ++i) {
      WordAccess access(warp, lane, word, 1u << i);
      body(access, (*parts)[i]);
    }
  }
}
} // namespace

/// Notes the read `mine` of a word of which the launch has written no part, if
/// it is the first one, or if blocks share the word so that it changes nothing.
static bool noteSimply(WordHistory &word, uint64_t mine) {
  if (word.write >> 52 == mine >> 52 || word.write == inParts)
    return false;
  if (word.read >> 52 != mine >> 52) {
    word.read = mine;
    return true;
  }
  Epoch read = Epoch::of(word.read);
  return read.lane == SeveralBlocks && read.bytes == 0xf;
}

void noteRead(Warp &warp, int lane, Allocation &allocation, uint64_t address,
              uint32_t bytes) {
  // Most reads are of whole words that a kernel only reads. What was noted
  // simply may be noted again.
  bool areNoted = (address | bytes) % 4 == 0;
  if (areNoted) {
    uint64_t mine = WordAccess(warp, lane, address, 0xf).packed();
    WordHistory *first = allocation.history(address);
    for (uint32_t i = 0; i < bytes / 4; ++i)
      areNoted &= noteSimply(first[i], mine);
  }
  if (areNoted)
    return;
  forWords(warp, lane, allocation, address, bytes,
           [&](WordAccess &access, WordHistory &word) { access.read(word); });
}

bool wasWrittenInLaunch(uint32_t launch, Allocation &allocation,
                        uint64_t address, uint32_t bytes) {
  auto isHere = [&](const WordHistory &history) {
    return Epoch::of(history.write).launch == launch;
  };
  for (uint64_t word = address / 4 * 4; word < address + bytes; word += 4) {
    const WordHistory &whole = *allocation.history(word);
    if (whole.write != inParts) {
      if (isHere(whole))
        return true;
      continue;
    }
    const ByteHistories &parts = *allocation.byteHistories(word);
    for (uint64_t i = 0; i < 4; ++i)
      if (word + i >= address && word + i < address + bytes && isHere(parts[i]))
        return true;
  }
  return false;
}

void noteWrite(Warp &warp, int lane, Allocation &allocation, uint64_t address,
               uint32_t bytes, Atomicity atomicity) {
  forWords(warp, lane, allocation, address, bytes,
           [&](WordAccess &access, WordHistory &word) {
             access.write(word, atomicity);
           });
}

} // namespace tenon::ptx
