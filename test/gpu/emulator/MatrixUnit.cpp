// Sums are computed at once but have no value until they were waited for.
#include "test/gpu/emulator/MatrixUnit.h"

#include "test/gpu/emulator/Block.h"

#include <algorithm>

namespace tenon::ptx {

constexpr uint32_t pieceBytes = 16;
/// The lane of a read that all lanes make together.
constexpr int allOfThem = 32;

void MatrixUnit::access(Warp &warp, const Instruction &instruction) {
  auto touch = [&](const Slot &slot) {
    Register &found = registers[slot.index];
    if (found.sums)
      warp.fail("accesses a sum that wgmma may still write: "
                "wgmma.wait_group is missing");
    if (found.factors)
      warp.fail("accesses a factor that wgmma may still read: "
                "wgmma.wait_group is missing");
    found.accessed = epoch + 1;
  };
  std::for_each_n(instruction.reads, instruction.numReads, touch);
  std::for_each_n(instruction.writes, instruction.numWrites, touch);
}

void MatrixUnit::begin(Warp &warp, MatrixOperation operation,
                       bool accumulates) {
  if (epoch == 0)
    warp.fail("no wgmma.fence before the first wgmma");
  auto checkFence = [&](const Register &found) {
    if (found.accessed == epoch + 1)
      warp.fail("no wgmma.fence after the last access of a register");
  };
  auto columns = uint16_t(operation.sums.size());
  for (const Slot &slot : operation.sums) {
    Register &found = registers[slot.index];
    checkFence(found);
    if (found.sums && found.columns != columns)
      warp.fail("sums that a wgmma of another shape may still write");
    if (found.factors)
      warp.fail("sums in registers that wgmma may still read");
    if (accumulates && !found.sums && !warp.hasValue(slot))
      warp.fail("a sum has no value");
    ++found.sums;
    found.columns = columns;
    warp.setHasValue(slot, false);
  }
  for (const Slot &slot : operation.factors) {
    Register &found = registers[slot.index];
    checkFence(found);
    if (found.sums)
      warp.fail("a factor that wgmma may still write");
    if (!warp.hasValue(slot))
      warp.fail("a factor has no value");
    ++found.factors;
  }
  for (uint64_t piece : operation.reads)
    warp.block.shared.beginAsyncRead(warp, 0, piece, pieceBytes);
  operation.group = group;
  operations.push_back(std::move(operation));
}

void MatrixUnit::complete(Warp &warp, const MatrixOperation &operation) {
  for (const Slot &slot : operation.sums)
    if (--registers[slot.index].sums == 0)
      warp.setHasValue(slot, true);
  for (const Slot &slot : operation.factors)
    --registers[slot.index].factors;
  for (uint64_t piece : operation.reads)
    warp.block.shared.endAsyncRead(warp, allOfThem, piece, pieceBytes);
}

void MatrixUnit::wait(Warp &warp, uint64_t underWay) {
  while (!operations.empty() && operations.front().group + underWay < group) {
    complete(warp, operations.front());
    operations.pop_front();
  }
  warp.passBarrier();
}

void MatrixUnit::end(const Warp &warp) const {
  if (!operations.empty())
    warp.failAt(*operations.front().instruction,
                "ends before the product is waited for");
}

void Warpgroups::step(Warp &warp, const Instruction &instruction, uint64_t a,
                      uint64_t b, bool accumulates) {
  uint32_t number = warp.number / 4, member = warp.number % 4;
  if (groups.size() <= number)
    groups.resize(number + 1);
  Group &group = groups[number];
  group.any = &warp;
  Step made{&instruction, a, b, accumulates};
  uint64_t place = group.done[member]++ - group.first;
  if (place == group.steps.size())
    group.steps.push_back(made);
  else if (!(group.steps[place] == made))
    warp.fail("another warp of the four executes another wgmma, or one with "
              "other descriptors");
  uint64_t least = *std::min_element(group.done, group.done + 4);
  for (; group.first < least; ++group.first)
    group.steps.pop_front();
}

void Warpgroups::end() const {
  for (const Group &group : groups)
    if (!group.steps.empty())
      group.any->failAt(*group.steps.front().instruction,
                        "not all four warps execute it");
}

} // namespace tenon::ptx
