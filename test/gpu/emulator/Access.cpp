// Each access is checked by the rules of its space, then noted for races and
// counters.
#include "test/gpu/emulator/Access.h"

#include <algorithm>
#include <cstring>

namespace tenon::ptx {

/// A generic address says its space by its window.
Space Access::resolve(Space space, uint64_t &address) const {
  if (space != Space::Generic)
    return space == Space::Const ? Space::Global : space;
  uint64_t window = address & windowMask;
  if (window == sharedWindow || window == localWindow) {
    address &= ~windowMask;
    return window == sharedWindow ? Space::Shared : Space::Local;
  }
  if (window == parameterWindow) {
    address &= ~windowMask;
    return Space::Param;
  }
  return Space::Global;
}

void Access::checkAlignment(int lane, uint64_t address) const {
  if (address & (bytes - 1))
    warp.fail(lane, "the address " + std::to_string(address) +
                        " is no multiple of " + std::to_string(bytes));
}

uint8_t *Access::localAt(int lane, uint64_t address, bool toWrite) {
  uint64_t frame = warp.program.localBytes;
  checkAlignment(lane, address);
  if (address > frame || bytes > frame - address)
    warp.fail(lane, std::to_string(bytes) + " bytes at " +
                        std::to_string(address) + " of " +
                        std::to_string(frame) + " bytes of local memory");
  size_t place = size_t(lane) * frame + address;
  if (toWrite)
    std::fill_n(warp.localWritten.begin() + long(place), bytes, uint8_t(1));
  else
    checkLocal(lane, place);
  return &warp.local[place];
}

/// A vector may have elements that nothing has written: compilers widen loads
/// of a thread's own memory. Such an element has no value.
void Access::checkLocal(int lane, size_t place) {
  uint32_t each = bytes / elements, missing = 0;
  for (uint32_t i = 0; i < elements; ++i)
    if (std::memchr(&warp.localWritten[place + i * each], 0, each)) {
      warp.withoutValue[i] |= 1u << lane;
      ++missing;
    }
  if (missing == elements)
    warp.fail(lane, "reads local memory that nothing has written");
  warp.leavesOut |= missing != 0;
}

const uint8_t *Access::read(Space space, int lane, uint64_t address,
                            bool constant) {
  space = resolve(space, address);
  if (space == Space::Local)
    return localAt(lane, address, false);
  if (space == Space::Shared) {
    sharedAt[size_t(numShared++)] = address;
    return block.shared.read(warp, lane, address, bytes, places);
  }
  if (space == Space::Param) {
    const auto &parameters = block.parameters;
    if (address > parameters.size() || bytes > parameters.size() - address)
      warp.fail(lane, "reads past the parameters");
    checkAlignment(lane, address);
    return &parameters[address];
  }
  checkAlignment(lane, address);
  Allocation *found = block.memory.find(address, bytes);
  if (!found)
    warp.fail(lane, "reads " + block.memory.absence(address, bytes));
  if (!found->isWritten(address, bytes))
    warp.fail(lane, "reads memory that nothing has written, at byte " +
                        std::to_string(address - found->base) +
                        " of an allocation of " + std::to_string(found->bytes));
  if (constant &&
      wasWrittenInLaunch(block.launchNumber(), *found, address, bytes))
    warp.fail(lane, "reads as constant (.nc) what this launch writes");
  if (constant)
    found->setConstant(address, bytes, block.launchNumber());
  noteRead(warp, lane, *found, address, bytes);
  global[size_t(numGlobal++)] = address;
  return found->at(address);
}

uint8_t *Access::write(Space space, int lane, uint64_t address,
                       Atomicity atomicity) {
  bool isAtomic = atomicity != Atomicity::None;
  space = resolve(space, address);
  writes = true;
  if (space == Space::Local)
    return localAt(lane, address, true);
  if (space == Space::Shared) {
    sharedAt[size_t(numShared++)] = address;
    return block.shared.write(warp, lane, address, bytes, isAtomic);
  }
  if (space == Space::Param)
    warp.fail(lane, "writes to the parameters");
  checkAlignment(lane, address);
  Allocation *found = block.memory.find(address, bytes);
  if (!found)
    warp.fail(lane, "writes " + block.memory.absence(address, bytes));
  if (isAtomic && !found->isWritten(address, bytes))
    warp.fail(lane, "an atomic operation on memory that nothing has written");
  if (found->isConstant(address, bytes, block.launchNumber()))
    warp.fail(lane, "writes what this launch reads as constant (.nc)");
  noteWrite(warp, lane, *found, address, bytes, atomicity);
  found->setWritten(address, bytes);
  global[size_t(numGlobal++)] = address;
  return found->at(address);
}

uint8_t *Access::atomic(Space space, int lane, uint64_t address,
                        Block::StrongAccess access) {
  uint64_t inSpace = address;
  // Only the block sees its shared memory, and only a lane its local memory.
  if (resolve(space, inSpace) != Space::Global)
    access.scope = Scope::Block;
  block.order(warp, inSpace, access);
  return write(space, lane, address,
               access.scope == Scope::Block ? Atomicity::InBlock
                                            : Atomicity::OnDevice);
}

void Access::count() {
  if (numShared)
    countBanks();
  if (!numGlobal)
    return;
  std::array<uint64_t, warpLanes> sectors;
  // An aligned access of up to 32 bytes touches one sector.
  for (int i = 0; i < numGlobal; ++i)
    sectors[size_t(i)] = global[size_t(i)] / 32;
  std::sort(sectors.begin(), sectors.begin() + numGlobal);
  auto distinct =
      uint64_t(std::unique(sectors.begin(), sectors.begin() + numGlobal) -
               sectors.begin());
  Counters &counters = block.counters;
  counters.countSectors(
      *std::min_element(global.begin(), global.begin() + numGlobal), distinct,
      writes);
  (writes ? counters.bytesWritten : counters.bytesRead) +=
      uint64_t(numGlobal) * bytes;
}

/// Shared memory has 32 banks of four bytes. Accesses of 8 and 16 bytes are
/// made by 16 and 8 lanes at a time; lanes that read one word share it. An
/// access is aligned, so it takes one unit of banks.
void Access::countBanks() {
  int unit = std::max(__builtin_ctz(bytes), 2); // log2 of its bytes
  int together = 128 >> unit;                   // lanes, and units of all banks
  for (int first = 0; first < numShared; first += together) {
    int last = std::min(first + together, numShared);
    std::array<std::array<uint32_t, warpLanes>, warpLanes> placesOf;
    std::array<uint32_t, warpLanes> counts{};
    uint32_t passes = 0;
    for (int i = first; i < last; ++i) {
      auto place = uint32_t(sharedAt[size_t(i)] >> unit);
      size_t inBanks = place & uint32_t(together - 1);
      auto &known = placesOf[inBanks];
      uint32_t &count = counts[inBanks];
      if (std::find(known.begin(), known.begin() + count, place) ==
          known.begin() + count)
        known[count++] = place;
      passes = std::max(passes, count);
    }
    block.counters.sharedPasses += passes;
    block.counters.bankConflicts += passes - 1;
  }
}

} // namespace tenon::ptx
