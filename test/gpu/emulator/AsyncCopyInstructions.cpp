// cp.async: bytes from global to shared memory, which nobody may touch until
// the lane has waited for their group.
#include "test/gpu/emulator/Access.h"
#include "test/gpu/emulator/FamilyDecoders.h"
#include "test/gpu/emulator/Lanes.h"
#include "test/gpu/emulator/Select.h"

#include <cstring>

namespace tenon::ptx {
namespace {
/// first: the bytes; a third operand says how many are read, others are zero.
void copy(Warp &warp, const Instruction &instruction, uint32_t mask) {
  uint32_t bytes = instruction.first;
  const uint64_t *to = warp.lanes<uint64_t>(instruction.reads[0]),
                 *from = warp.lanes<uint64_t>(instruction.reads[1]);
  const uint32_t *counts = instruction.numReads > 2
                               ? warp.lanes<uint32_t>(instruction.reads[2])
                               : nullptr;
  Block &block = warp.block;
  Access access(warp, bytes);
  forLanes(mask, [&](int lane) {
    uint64_t offset = to[lane] + uint64_t(instruction.number);
    uint32_t count = counts ? counts[lane] : bytes;
    if (count != 0 && count != bytes)
      warp.fail(lane, "copies a part of the bytes");
    Block::Copy made{&instruction, block.copyGroup(warp.number, lane), offset,
                     std::vector<uint8_t>(bytes)};
    if (count) {
      const uint8_t *source = access.read(
          Space::Global, lane,
          from[lane] + uint64_t(int64_t(int32_t(instruction.second))));
      std::memcpy(made.bytes.data(), source, bytes);
    }
    block.shared.beginCopy(warp, lane, offset, bytes);
    block.copies(warp.number, lane).push_back(std::move(made));
  });
  access.count();
}

void commit(Warp &warp, const Instruction &, uint32_t mask) {
  forLanes(mask, [&](int lane) { ++warp.block.copyGroup(warp.number, lane); });
}

/// number: the groups that may still be under way; -1: none, nor what is not
/// committed.
void wait(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Block &block = warp.block;
  forLanes(mask, [&](int lane) {
    auto &copies = block.copies(warp.number, lane);
    uint32_t group = block.copyGroup(warp.number, lane);
    auto isDone = [&](const Block::Copy &copy) {
      return instruction.number < 0 ||
             copy.group + uint64_t(instruction.number) < group;
    };
    size_t done = 0;
    for (; done < copies.size() && isDone(copies[done]); ++done) {
      const Block::Copy &copy = copies[done];
      auto bytes = uint32_t(copy.bytes.size());
      uint8_t *place = block.shared.endCopy(warp, lane, copy.offset, bytes);
      std::memcpy(place, copy.bytes.data(), bytes);
    }
    copies.erase(copies.begin(), copies.begin() + long(done));
    if (instruction.number <= 0)
      block.bulkCopies.finishLate(warp, lane);
  });
}

void decodeCopy(Decoding &d) {
  bool bypasses = d.takeOneOf({"ca", "cg"}) == "cg";
  if (d.takeSpace() != Space::Shared || d.takeSpace() != Space::Global)
    d.refuse("expected .shared.global");
  d.take("L2::128B") || d.take("L2::64B") || d.take("L2::256B");
  d.expectOperands(3, 4);
  d.address(0, Space::Shared);
  int64_t offset = d.made.number;
  d.address(1, Space::Global);
  int64_t sourceOffset = d.made.number;
  d.made.number = offset;
  uint64_t bytes = d.constant(2);
  if (bypasses ? bytes != 16 : bytes != 4 && bytes != 8 && bytes != 16)
    d.refuse("no copy of this size");
  if (d.numOperands() == 4)
    d.read(3, b32);
  d.made.first = uint32_t(bytes);
  d.made.second = uint32_t(sourceOffset);
  if (sourceOffset != int32_t(sourceOffset))
    d.refuse("the offset is too large");
  d.made.run = copy;
}

void decodeAsync(Decoding &d) {
  d.made.group = Group::AsyncCopy;
  if (!d.take("async"))
    d.refuse("expected .async");
  if (d.take("bulk"))
    return decodeBulkCopy(d);
  d.need(80, 70);
  if (d.take("mbarrier"))
    return decodeArrivalOfCopies(d);
  if (d.take("commit_group")) {
    d.made.run = commit;
    d.expectOperands(0);
  } else if (d.take("wait_group")) {
    d.made.run = wait;
    d.expectOperands(1);
    d.made.number = int64_t(d.constant(0));
  } else if (d.take("wait_all")) {
    d.made.run = wait;
    d.expectOperands(0);
    d.made.number = -1;
  } else {
    decodeCopy(d);
  }
}
} // namespace

std::vector<InstructionRow> asyncCopyRows() { return {{"cp", decodeAsync}}; }

} // namespace tenon::ptx
