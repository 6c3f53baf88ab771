// cp.async.bulk: blocks of bytes, and boxes of tensors in tiles.
#include "test/gpu/emulator/Access.h"
#include "test/gpu/emulator/FamilyDecoders.h"
#include "test/gpu/emulator/TensorMap.h"

#include <cstring>

namespace tenon::ptx {
namespace {
uint64_t valueOf(Warp &warp, const Instruction &instruction, int read,
                 int lane) {
  return warp.lanes<uint64_t>(instruction.reads[read])[lane];
}

std::vector<CopyPiece> blockPieces(Warp &warp, int lane, uint64_t shared,
                                   uint64_t global, uint32_t bytes) {
  if (shared % 16 || global % 16 || bytes % 16 || bytes == 0)
    warp.fail(lane, "addresses and bytes must be multiples of 16, got " +
                        std::to_string(shared) + ", " + std::to_string(global) +
                        " and " + std::to_string(bytes));
  std::vector<CopyPiece> pieces;
  uint32_t each = std::max(16u, bytes / 4 / 16 * 16);
  for (uint32_t at = 0; at < bytes; at += each)
    pieces.push_back({shared + at, global + at, std::min(each, bytes - at)});
  return pieces;
}

/// Reads: shared and global addresses, bytes, and the mbarrier.
void load(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Block &block = warp.block;
  forLanes(mask, [&](int lane) {
    Mbarrier &mbarrier = block.mbarriers.atForCopy(
        warp, lane, valueOf(warp, instruction, 3, lane));
    block.bulkCopies.load(
        warp, lane,
        blockPieces(warp, lane, valueOf(warp, instruction, 0, lane),
                    valueOf(warp, instruction, 1, lane),
                    warp.lanes<uint32_t>(instruction.reads[2])[lane]),
        mbarrier);
  });
}

void store(Warp &warp, const Instruction &instruction, uint32_t mask) {
  forLanes(mask, [&](int lane) {
    warp.block.bulkCopies.store(
        warp, lane,
        blockPieces(warp, lane, valueOf(warp, instruction, 0, lane),
                    valueOf(warp, instruction, 1, lane),
                    warp.lanes<uint32_t>(instruction.reads[2])[lane]));
  });
}

TensorMap mapAt(Warp &warp, int lane, uint64_t address) {
  if (address % tensorMapAlign)
    warp.fail(lane, "the address of a tensor map is no multiple of 64");
  const uint8_t *bytes = nullptr;
  if ((address & windowMask) == parameterWindow) {
    uint64_t offset = address & ~windowMask;
    const auto &parameters = warp.block.parameters;
    if (offset + tensorMapBytes <= parameters.size())
      bytes = &parameters[offset];
  } else if (Allocation *found =
                 warp.block.memory.find(address, tensorMapBytes)) {
    if (found->isWritten(address, tensorMapBytes))
      bytes = found->at(address);
  }
  TensorMap map;
  map.magic = 0;
  if (bytes)
    std::memcpy(&map, bytes, sizeof map);
  if (map.magic != TensorMap::madeHere)
    warp.fail(lane, "no tensor map is at the address");
  return map;
}

/// One box, row by row; first: the rank. Reads: the shared address, the map,
/// the coordinates.
class Box {
public:
  Box(Warp &warp, const Instruction &instruction, int lane)
      : map(mapAt(warp, lane, valueOf(warp, instruction, 1, lane))),
        shared(valueOf(warp, instruction, 0, lane)) {
    if (map.rank != instruction.first)
      warp.fail(lane, "the tensor map has rank " + std::to_string(map.rank));
    if (shared % 128)
      warp.fail(lane, "the address " + std::to_string(shared) +
                          " in shared memory is no multiple of 128");
    if (map.swizzle != Swizzle::None &&
        map.rowBytes() != swizzleBytes(map.swizzle))
      warp.fail(lane, "swizzled rows shorter than the swizzle: not emulated");
    for (uint32_t i = 0; i < map.rank; ++i)
      start[i] = warp.lanes<int32_t>(instruction.reads[2 + i])[lane];
  }

  std::vector<CopyPiece> pieces() {
    uint32_t rows = map.boxBytes() / map.rowBytes();
    for (uint32_t row = 0; row < rows; ++row)
      addRow(row);
    return std::move(made);
  }

private:
  void addRow(uint32_t row) {
    uint64_t address = map.address;
    bool isInside = true;
    uint32_t rest = row;
    for (uint32_t i = 1; i < map.rank; ++i) {
      int64_t at = start[i] + int64_t(rest % map.box[i]);
      rest /= map.box[i];
      isInside &= at >= 0 && uint64_t(at) < map.extents[i];
      address += uint64_t(at) * map.strides[i - 1];
    }
    // Bytes of the row that the tensor has.
    int64_t bytes = map.rowBytes(), each = map.elementBytes,
            first = std::clamp<int64_t>(-start[0] * each, 0, bytes),
            last = std::clamp<int64_t>(
                (int64_t(map.extents[0]) - start[0]) * each, first, bytes);
    if (!isInside)
      first = last = bytes;
    address += uint64_t(start[0] * each);
    uint64_t to = shared + uint64_t(row) * uint64_t(bytes);
    add(to, address, 0, first, true);
    add(to, address, first, last, false);
    add(to, address, last, bytes, true);
  }

  /// Bytes `first` to `last` of a row, in pieces that stay together.
  void add(uint64_t to, uint64_t from, int64_t first, int64_t last,
           bool isOutside) {
    while (first < last) {
      int64_t end = map.swizzle == Swizzle::None
                        ? last
                        : std::min(last, first / 16 * 16 + 16);
      made.push_back({swizzled(map.swizzle, to + uint64_t(first)),
                      from + uint64_t(first), uint32_t(end - first),
                      isOutside});
      first = end;
    }
  }

  TensorMap map;
  uint64_t shared;
  int64_t start[maxTensorRank] = {};
  std::vector<CopyPiece> made;
};

void loadBox(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Block &block = warp.block;
  forLanes(mask, [&](int lane) {
    int last = instruction.numReads - 1;
    Mbarrier &mbarrier = block.mbarriers.atForCopy(
        warp, lane, valueOf(warp, instruction, last, lane));
    block.bulkCopies.load(warp, lane, Box(warp, instruction, lane).pieces(),
                          mbarrier);
  });
}

void storeBox(Warp &warp, const Instruction &instruction, uint32_t mask) {
  forLanes(mask, [&](int lane) {
    warp.block.bulkCopies.store(warp, lane,
                                Box(warp, instruction, lane).pieces());
  });
}

void commit(Warp &warp, const Instruction &, uint32_t mask) {
  forLanes(mask, [&](int lane) { warp.block.bulkCopies.commit(warp, lane); });
}

/// number: the groups that may go on; first: waits for reads alone.
void wait(Warp &warp, const Instruction &instruction, uint32_t mask) {
  forLanes(mask, [&](int lane) {
    warp.block.bulkCopies.wait(warp, lane, uint64_t(instruction.number),
                               instruction.first);
  });
}

void takeReport(Decoding &d) {
  if (!d.take("mbarrier::complete_tx::bytes"))
    d.refuse("expected .mbarrier::complete_tx::bytes");
}

void takeGroup(Decoding &d) {
  if (!d.take("bulk_group"))
    d.refuse("expected .bulk_group");
}

void decodeTensor(Decoding &d) {
  std::string rank = d.takeOneOf({"1d", "2d", "3d", "4d", "5d"});
  d.made.first = uint32_t(rank[0] - '0');
  bool isStore = d.takeSpace() == Space::Global;
  if (d.takeSpace() != (isStore ? Space::Shared : Space::Global))
    d.refuse("expected shared and global memory");
  d.take("tile");
  isStore ? takeGroup(d) : takeReport(d);
  d.expectOperands(isStore ? 2 : 3);
  size_t box = isStore ? 0 : 1;
  d.sharedAddress(1 - box, Space::Shared);
  d.wholeAddress(box, Space::Generic);
  const Operand &map = d.operand(box);
  if (map.elements.size() != 1 ||
      map.elements[0].form != Operand::Form::Vector ||
      map.elements[0].elements.size() != d.made.first)
    d.refuse("expected " + rank.substr(0, 1) + " coordinates");
  for (const Operand &coordinate : map.elements[0].elements)
    d.read(coordinate, b32);
  if (!isStore)
    d.sharedAddress(2, Space::Shared);
  d.made.run = isStore ? storeBox : loadBox;
}

void decodeBlock(Decoding &d) {
  bool isStore = d.takeSpace() == Space::Global;
  if (d.takeSpace() != (isStore ? Space::Shared : Space::Global))
    d.refuse("expected shared and global memory");
  isStore ? takeGroup(d) : takeReport(d);
  d.expectOperands(isStore ? 3 : 4);
  d.sharedAddress(isStore, Space::Shared);
  d.wholeAddress(!isStore, Space::Global);
  d.read(2, b32);
  if (!isStore)
    d.sharedAddress(3, Space::Shared);
  d.made.run = isStore ? store : load;
}
} // namespace

void decodeBulkCopy(Decoding &d) {
  d.need(90, 80);
  if (d.take("commit_group")) {
    d.made.run = commit;
    d.expectOperands(0);
  } else if (d.take("wait_group")) {
    d.made.first = d.take("read");
    d.made.run = wait;
    d.expectOperands(1);
    d.made.number = int64_t(d.constant(0));
  } else if (d.take("tensor")) {
    decodeTensor(d);
  } else {
    decodeBlock(d);
  }
}

} // namespace tenon::ptx
