// Lanes that part are run one group at a time, that of the lowest rank first,
// so that they go on together where their ways join. An instruction that needs
// all lanes waits for those that a loop brings later.
#include "test/gpu/emulator/Warp.h"

#include "test/gpu/emulator/Block.h"

#include <algorithm>
#include <cstring>

namespace tenon::ptx {

Warp::Warp(Block &block, const Program &program, uint32_t number,
           uint32_t threads)
    : block(block), program(program), number(number),
      existing(threads >= 32 ? allLanes : (1u << threads) - 1),
      active(existing), exited(~existing),
      local(size_t(program.localBytes) * warpLanes), localWritten(local.size()),
      registers(new uint8_t[program.registerBytes]),
      defined(program.numSlots, 0) {
  for (const ConstantSlot &constant : program.constants) {
    defined[constant.slot.index] = allLanes;
    uint8_t *place = registers.get() + constant.slot.offset;
    for (int lane = 0; lane < warpLanes; ++lane)
      memcpy(place + lane * constant.bytes, &constant.bits, constant.bytes);
  }
  fillSpecials();
  if (program.usesMatrixUnit)
    matrixUnit = std::make_unique<MatrixUnit>(program.numSlots);
}

void Warp::fillSpecials() {
  for (const SpecialSlot &special : program.specials) {
    defined[special.slot.index] = allLanes;
    uint32_t *values = lanes<uint32_t>(special.slot);
    for (int lane = 0; lane < warpLanes; ++lane)
      values[lane] =
          block.special(special.name, number * warpLanes + uint32_t(lane));
  }
}

void Warp::run(uint64_t steps) {
  for (; steps && state == State::Running; --steps) {
    if (pc >= program.code.size())
      throw Finding(program.name + ": runs past its last instruction");
    const Instruction &instruction = program.code[pc];
    uint32_t mask = active;
    if (instruction.isGuarded) {
      uint32_t undefined = mask & ~defined[instruction.guard.index];
      if (undefined)
        fail(__builtin_ctz(undefined), "the guard has no value");
      uint32_t guard = predicate(instruction.guard);
      mask &= instruction.guardNegated ? ~guard : guard;
    }
    next = pc + 1;
    ++block.counters[instruction.group];
    try {
      if (mask || instruction.isBranch)
        runNow(instruction, mask);
    } catch (const Later &) {
      --block.counters[instruction.group];
      continue;
    }
    if (state != State::Done)
      goOn(next);
  }
}

void Warp::runNow(const Instruction &instruction, uint32_t mask) {
  if (matrixUnit && !instruction.isOfMatrixUnit)
    matrixUnit->access(*this, instruction);
  checkDefined(instruction, mask);
  instruction.run(*this, instruction, mask);
  for (uint16_t i = 0; i < instruction.numWrites; ++i)
    defined[instruction.writes[i].index] |= mask;
  if (leavesOut)
    leaveOut(instruction);
}

void Warp::letOthersCome() {
  auto here = std::find_if(parked.begin(), parked.end(),
                           [&](Waiting group) { return group.pc == pc; });
  if (here != parked.end()) {
    active |= here->lanes;
    parked.erase(here);
    throw Later();
  }
  if (groups.empty())
    return;
  parked.push_back({pc, active});
  nextGroup();
  throw Later();
}

void Warp::leaveOut(const Instruction &instruction) {
  for (uint16_t i = 0; i < instruction.numWrites; ++i) {
    defined[instruction.writes[i].index] &= ~withoutValue[i];
    withoutValue[i] = 0;
  }
  leavesOut = false;
}

void Warp::checkDefined(const Instruction &instruction, uint32_t mask) {
  if (instruction.packs) {
    // Code leaves parts without a value if it does not use them.
    uint32_t any = 0;
    for (uint16_t i = 0; i < instruction.numReads; ++i)
      any |= defined[instruction.reads[i].index];
    if (uint32_t undefined = mask & ~any)
      fail(__builtin_ctz(undefined), "no part has a value");
    return;
  }
  for (uint16_t i = 0; i < instruction.numReads; ++i)
    if (uint32_t undefined = mask & ~defined[instruction.reads[i].index])
      fail(__builtin_ctz(undefined),
           "operand " + std::to_string(i + 1) + " of those read has no value");
}

void Warp::goOn(uint32_t to) {
  pc = to;
  if (!active)
    return nextGroup();
  if (groups.empty() || rank(groups.back().pc) > rank(pc))
    return;
  if (groups.back().pc != pc) {
    Waiting first = groups.back();
    groups.pop_back();
    insertGroup({pc, active});
    pc = first.pc;
    active = first.lanes;
  }
  while (!groups.empty() && groups.back().pc == pc) {
    active |= groups.back().lanes;
    groups.pop_back();
  }
}

void Warp::insertGroup(Waiting group) {
  auto isHigher = [&](const Waiting &other) {
    return rank(other.pc) >= rank(group.pc);
  };
  groups.insert(std::find_if_not(groups.begin(), groups.end(), isHigher),
                group);
}

void Warp::nextGroup() {
  // The instruction of a parked group then finds that no others can come.
  if (groups.empty() && !parked.empty()) {
    groups.push_back(parked.back());
    parked.pop_back();
  }
  if (groups.empty()) {
    state = State::Done;
    return;
  }
  pc = groups.back().pc;
  active = groups.back().lanes;
  groups.pop_back();
  goOn(pc);
}

void Warp::branch(uint32_t taken, uint32_t target) {
  uint32_t rest = active & ~taken;
  if (!taken)
    return;
  if (!rest) {
    next = target;
    return;
  }
  // The group that stays may still be given other targets.
  insertGroup({target, taken});
  active = rest;
}

void Warp::exit(uint32_t mask) {
  exited |= mask;
  active &= ~mask;
}

std::string Warp::placeText(const Instruction &instruction) const {
  return program.name + ": line " + std::to_string(instruction.line) + ": " +
         program.texts[instruction.statement];
}

void Warp::failAt(const Instruction &instruction,
                  const std::string &what) const {
  throw Finding(placeText(instruction) + ": " + what + " (warp " +
                std::to_string(number) + ", block " + block.placeText() + ")");
}

void Warp::fail(const std::string &what) { failAt(program.code[pc], what); }

void Warp::fail(int lane, const std::string &what) {
  fail("lane " + std::to_string(lane) + ": " + what);
}

} // namespace tenon::ptx
