// Two accesses of a word, one of them a write, must be ordered: by a barrier if
// they are of two warps, by a warp's own barrier if they are of two lanes.
#include "test/gpu/emulator/SharedMemory.h"

#include "test/gpu/emulator/Warp.h"

#include <algorithm>
#include <cstring>

namespace tenon::ptx {

/// In `reads`: several lanes.
constexpr uint32_t several = 32;

SharedMemory::SharedMemory(uint32_t size, const Gaps &gaps, uint32_t warps)
    : warps(warps), gaps(gaps), bytes(size), states(size), parts(size),
      writes(size / 4 + 1), reads(writes.size() * size_t(warps)),
      asyncReads(size / 4 + 1) {
  forget();
}

void SharedMemory::forget() {
  std::fill(states.begin(), states.end(), uint8_t(Unwritten));
  for (auto [first, last] : gaps)
    std::fill(states.begin() + first, states.begin() + last, uint8_t(Outside));
}

void SharedMemory::end(uint32_t lastClock) {
  forget();
  std::fill(asyncReads.begin(), asyncReads.end(), uint16_t(0));
  base += lastClock;
  if (base < 1u << 24)
    return;
  base = 0;
  std::fill(writes.begin(), writes.end(), Write());
  std::fill(reads.begin(), reads.end(), 0);
  std::fill(parts.begin(), parts.end(), 0);
}

uint32_t SharedMemory::now(const Warp &warp) const { return base + warp.clock; }

uint32_t SharedMemory::lanesNow(const Warp &warp) const {
  return base + warp.lanesClock;
}

bool SharedMemory::isOld(const Warp &warp, uint32_t other,
                         uint32_t clock) const {
  return clock <= base || warp.knowledge.knows(other, clock - base);
}

void SharedMemory::checkRange(Warp &warp, int lane, uint64_t offset,
                              uint32_t count) {
  if (offset > bytes.size() || count > bytes.size() - offset)
    warp.fail(lane, std::to_string(count) + " bytes at " +
                        std::to_string(offset) + " of " +
                        std::to_string(bytes.size()) +
                        " bytes of shared memory");
  const void *gap = std::memchr(&states[offset], Outside, count);
  if (gap)
    warp.fail(lane, "byte " +
                        std::to_string(static_cast<const uint8_t *>(gap) -
                                       states.data()) +
                        " of shared memory, which is in no variable");
}

void SharedMemory::checkPlace(Warp &warp, int lane, uint64_t offset,
                              uint32_t count) {
  checkRange(warp, lane, offset, count);
  if (offset & (count - 1))
    warp.fail(lane, "the address " + std::to_string(offset) +
                        " in shared memory is no multiple of " +
                        std::to_string(count));
}

void SharedMemory::race(Warp &warp, int lane, uint64_t word,
                        const std::string &other) {
  warp.fail(lane, "a race for the word at " + std::to_string(4 * word) +
                      " of shared memory with " + other);
}

void SharedMemory::checkWrite(Warp &warp, int lane, uint64_t word,
                              bool isAtomic) {
  const Write &write = writes[word];
  if (write.clock == 0 || (isAtomic && write.isAtomic))
    return;
  bool ordered = write.warp == warp.number
                     ? write.lane == lane || write.clock < lanesNow(warp)
                     : isOld(warp, write.warp, write.clock);
  if (!ordered)
    race(warp, lane, word,
         write.warp < warps
             ? "the write of warp " + std::to_string(write.warp) + ", lane " +
                   std::to_string(write.lane)
             : "the write of an asynchronous copy, whose mbarrier was not "
               "waited for");
}

bool SharedMemory::arePartsOfWarp(const Warp &warp, uint64_t word,
                                  uint32_t count) const {
  const Write &last = writes[word];
  return count < 4 && last.isPart && last.warp == warp.number;
}

/// Lanes of a warp may write parts of a word together, but not the same part.
void SharedMemory::checkParts(Warp &warp, int lane, uint64_t offset,
                              uint32_t count) {
  for (uint64_t i = offset; i < offset + count; ++i) {
    uint32_t part = parts[i];
    if (part / 64 >= lanesNow(warp) && part % 64 != uint32_t(lane))
      race(warp, lane, offset / 4,
           "the write of lane " + std::to_string(part % 64));
  }
}

void SharedMemory::checkReads(Warp &warp, int lane, uint64_t word) {
  for (uint32_t reader = 0; reader < warps; ++reader) {
    uint32_t read = readOf(reader, word), clock = read / 64, from = read % 64;
    if (clock == 0)
      continue;
    bool ordered = reader == warp.number
                       ? from == uint32_t(lane) || clock < lanesNow(warp)
                       : isOld(warp, reader, clock);
    if (!ordered)
      race(warp, lane, word, "a read of warp " + std::to_string(reader));
  }
}

void SharedMemory::checkWritten(Warp &warp, int lane, uint64_t offset,
                                uint32_t count) {
  if (areWritten(offset, count))
    return;
  for (uint64_t i = offset; i < offset + count; ++i)
    if (states[i] != Written)
      warp.fail(lane, states[i] == Pending
                          ? "reads what an asynchronous copy is still writing"
                      : states[i] == Synchronizes
                          ? "reads an mbarrier"
                          : "reads shared memory that nothing has written, at "
                            "byte " +
                                std::to_string(i));
}

bool SharedMemory::areWritten(uint64_t offset, uint32_t count) const {
  constexpr uint64_t eight = 0x0101010101010101 * uint64_t(Written);
  const uint8_t *from = &states[offset];
  uint64_t found;
  for (; count >= sizeof found; count -= sizeof found, from += sizeof found) {
    std::memcpy(&found, from, sizeof found);
    if (found != eight)
      return false;
  }
  return count == 0 || std::memcmp(from, &eight, count) == 0;
}

void SharedMemory::noteRead(const Warp &warp, int lane, uint64_t offset,
                            uint32_t count) {
  uint32_t since = lanesNow(warp), mark = now(warp) * 64;
  uint32_t *first = &readOf(warp.number, offset / 4),
           *last = &readOf(warp.number, (offset + count - 1) / 4);
  for (uint32_t *mine = first; mine <= last; ++mine) {
    bool isOther = *mine / 64 >= since && *mine % 64 != uint32_t(lane);
    *mine = mark + (isOther ? several : uint32_t(lane));
  }
}

const uint8_t *SharedMemory::read(Warp &warp, int lane, uint64_t offset,
                                  uint32_t count, PlacesRead &places) {
  PlacesRead::Place &known = places.at(offset, count);
  if (known.offset == offset) {
    if (!known.hasSeveral)
      noteRead(warp, lane, offset, count);
    known.hasSeveral = true;
    return &bytes[offset];
  }
  checkPlace(warp, lane, offset, count);
  checkWritten(warp, lane, offset, count);
  bool isForAll = true;
  for (uint64_t word = offset / 4; word * 4 < offset + count; ++word) {
    if (arePartsOfWarp(warp, word, count))
      checkParts(warp, lane, offset, count);
    else
      checkWrite(warp, lane, word, false);
    // What a lane of the warp wrote since the last barrier, it alone may read.
    const Write &write = writes[word];
    isForAll &= write.warp != warp.number || write.clock < lanesNow(warp);
  }
  noteRead(warp, lane, offset, count);
  if (isForAll)
    known = {offset, false};
  return &bytes[offset];
}

uint8_t *SharedMemory::write(Warp &warp, int lane, uint64_t offset,
                             uint32_t count, bool isAtomic) {
  checkPlace(warp, lane, offset, count);
  for (uint64_t i = offset; i < offset + count; ++i) {
    if (states[i] == Pending)
      warp.fail(lane, "writes what an asynchronous copy is still writing");
    if (states[i] == Synchronizes)
      warp.fail(lane, "writes over an mbarrier");
    if (isAtomic && states[i] != Written)
      warp.fail(lane, "reads shared memory that nothing has written");
    states[i] = Written;
  }
  for (uint64_t word = offset / 4; word * 4 < offset + count; ++word) {
    bool isPart = count < 4;
    Write &last = writes[word];
    if (arePartsOfWarp(warp, word, count))
      checkParts(warp, lane, offset, count);
    else
      checkWrite(warp, lane, word, isAtomic);
    if (isPart)
      std::fill_n(parts.begin() + long(offset), count,
                  now(warp) * 64 + uint32_t(lane));
    checkReads(warp, lane, word);
    checkNotRead(warp, lane, word);
    last = {now(warp), uint16_t(warp.number), uint8_t(lane), isAtomic, isPart};
  }
  return &bytes[offset];
}

void SharedMemory::beginCopy(Warp &warp, int lane, uint64_t offset,
                             uint32_t count) {
  write(warp, lane, offset, count);
  std::fill_n(states.begin() + long(offset), count, uint8_t(Pending));
}

uint8_t *SharedMemory::endCopy(Warp &warp, int lane, uint64_t offset,
                               uint32_t count) {
  std::fill_n(states.begin() + long(offset), count, uint8_t(Written));
  for (uint64_t word = offset / 4; word * 4 < offset + count; ++word)
    writes[word] = {now(warp), uint16_t(warp.number), uint8_t(lane), false,
                    false};
  return &bytes[offset];
}

} // namespace tenon::ptx
