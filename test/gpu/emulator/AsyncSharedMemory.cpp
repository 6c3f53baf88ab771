// Shared memory as asynchronous copies, matrix units and mbarriers use it.
#include "test/gpu/emulator/SharedMemory.h"
#include "test/gpu/emulator/Warp.h"

#include <algorithm>

namespace tenon::ptx {

constexpr uint32_t barrierBytes = 8, several = 32;

bool SharedMemory::isProxied(const Warp &warp, uint64_t offset) const {
  const Write &write = writes[offset / 4];
  if (write.clock <= base)
    return true;
  uint32_t clock = write.clock - base;
  // Copies and matrix units see each other's writes without a fence.
  return write.warp < warps ? warp.knowledge.hasProxied(write.warp, clock)
                            : warp.knowledge.knows(write.warp, clock);
}

void SharedMemory::checkProxy(Warp &warp, int lane, uint64_t word) {
  checkWrite(warp, lane, word, false);
  if (!isProxied(warp, 4 * word))
    warp.fail(lane, "no fence.proxy.async between the write of warp " +
                        std::to_string(writes[word].warp) +
                        " and an asynchronous access of the word at " +
                        std::to_string(4 * word));
}

void SharedMemory::checkNotRead(Warp &warp, int lane, uint64_t word) {
  if (asyncReads[word])
    warp.fail(lane, "writes the word at " + std::to_string(4 * word) +
                        " of shared memory, which a matrix unit or a copy that "
                        "was not waited for may still read");
}

void SharedMemory::beginAsyncWrite(Warp &warp, int lane, uint64_t offset,
                                   uint32_t count) {
  checkRange(warp, lane, offset, count);
  for (uint64_t i = offset; i < offset + count; ++i) {
    if (states[i] == Pending)
      warp.fail(lane, "writes what an asynchronous copy is still writing");
    if (states[i] == Synchronizes)
      warp.fail(lane, "writes over an mbarrier");
    states[i] = Pending;
  }
  for (uint64_t word = offset / 4; word * 4 < offset + count; ++word) {
    checkProxy(warp, lane, word);
    checkReads(warp, lane, word);
    checkNotRead(warp, lane, word);
  }
}

uint8_t *SharedMemory::endAsyncWrite(uint32_t agent, uint32_t clock,
                                     uint64_t offset, uint32_t count) {
  std::fill_n(states.begin() + long(offset), count, uint8_t(Written));
  for (uint64_t word = offset / 4; word * 4 < offset + count; ++word)
    writes[word] = {base + clock, uint16_t(agent), several, false, false};
  return &bytes[offset];
}

const uint8_t *SharedMemory::beginAsyncRead(Warp &warp, int lane,
                                            uint64_t offset, uint32_t count) {
  checkRange(warp, lane, offset, count);
  checkWritten(warp, lane, offset, count);
  for (uint64_t word = offset / 4; word * 4 < offset + count; ++word) {
    checkProxy(warp, lane, word);
    ++asyncReads[word];
  }
  return &bytes[offset];
}

void SharedMemory::endAsyncRead(Warp &warp, int lane, uint64_t offset,
                                uint32_t count) {
  for (uint64_t word = offset / 4; word * 4 < offset + count; ++word)
    --asyncReads[word];
  noteRead(warp, lane, offset, count);
}

void SharedMemory::makeBarrier(Warp &warp, int lane, uint64_t offset) {
  write(warp, lane, offset, barrierBytes);
  std::fill_n(states.begin() + long(offset), barrierBytes,
              uint8_t(Synchronizes));
}

void SharedMemory::dropBarrier(Warp &warp, int lane, uint64_t offset) {
  std::fill_n(states.begin() + long(offset), barrierBytes, uint8_t(Unwritten));
  for (uint64_t word = offset / 4; word * 4 < offset + barrierBytes; ++word)
    writes[word] = {now(warp), uint16_t(warp.number), uint8_t(lane), false,
                    false};
}

void SharedMemory::checkBarrier(Warp &warp, int lane, uint64_t offset) {
  checkPlace(warp, lane, offset, barrierBytes);
  if (states[offset] != Synchronizes || states[offset + 7] != Synchronizes)
    warp.fail(lane, "no mbarrier is initialized at " + std::to_string(offset) +
                        " of shared memory");
  checkWrite(warp, lane, offset / 4, false);
}

} // namespace tenon::ptx
