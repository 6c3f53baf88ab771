// Branches, ends, and what has no effect here.
#include "test/gpu/emulator/Block.h"
#include "test/gpu/emulator/Lanes.h"
#include "test/gpu/emulator/Select.h"

namespace tenon::ptx {
namespace {
void branch(Warp &warp, const Instruction &instruction, uint32_t mask) {
  warp.branch(mask, instruction.first);
}

void uniformBranch(Warp &warp, const Instruction &instruction, uint32_t mask) {
  if (mask && mask != warp.active)
    warp.fail("lanes differ at a branch that says they do not");
  warp.branch(mask, instruction.first);
}

void decodeBranch(Decoding &d) {
  d.made.group = Group::Control;
  d.made.isBranch = true;
  d.made.run = d.take("uni") ? uniformBranch : branch;
  d.expectOperands(1);
  d.target(d.operand(0).name);
}

void branchByTable(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const auto &table = warp.program.branchTables[instruction.first];
  const uint32_t *index = warp.lanes<uint32_t>(instruction.reads[0]);
  uint32_t left = mask;
  while (left) {
    uint32_t value = index[__builtin_ctz(left)];
    if (value >= table.size())
      warp.fail("an index beyond the table of branches");
    uint32_t group =
        lanesWhere(left, [&](int lane) { return index[lane] == value; });
    warp.branch(group, table[value]);
    left &= ~group;
  }
}

void decodeBranchByTable(Decoding &d) {
  d.made.group = Group::Control;
  if (!d.take("idx"))
    d.refuse("expected .idx");
  d.take("uni");
  d.made.run = branchByTable;
  d.expectOperands(2);
  d.read(0, b32);
  d.targets(d.operand(1).name);
}

void exitLanes(Warp &warp, const Instruction &, uint32_t mask) {
  warp.exit(mask);
}

void decodeReturn(Decoding &d) {
  d.made.group = Group::Control;
  d.take("uni");
  d.expectOperands(0);
  if (!d.isInlined()) {
    d.made.run = exitLanes;
    return;
  }
  d.made.run = branch;
  d.targetEnd();
}

void decodeExit(Decoding &d) {
  d.made.group = Group::Control;
  d.made.run = exitLanes;
  d.expectOperands(0);
}

void trap(Warp &warp, const Instruction &, uint32_t mask) {
  warp.fail(__builtin_ctz(mask), "a trap");
}

void decodeTrap(Decoding &d) {
  d.made.group = Group::Control;
  d.made.run = trap;
  d.expectOperands(0);
}

void nothing(Warp &, const Instruction &, uint32_t) {}

/// A hint about time.
void decodeSleep(Decoding &d) {
  d.made.group = Group::Control;
  d.made.run = nothing;
  if (!d.take("u32"))
    d.refuse("expected .u32");
  d.expectOperands(1);
  d.read(0, b32);
}
} // namespace

std::vector<InstructionRow> controlRows() {
  return {
      {"bra", decodeBranch}, {"brx", decodeBranchByTable},
      {"ret", decodeReturn}, {"exit", decodeExit},
      {"trap", decodeTrap},  {"nanosleep", decodeSleep},
  };
}

} // namespace tenon::ptx
