// mbarrier.*, the arrival of copies by cp.async, and the fences that make
// accesses visible to asynchronous copies.
#include "test/gpu/emulator/Block.h"
#include "test/gpu/emulator/FamilyDecoders.h"
#include "test/gpu/emulator/Lanes.h"

namespace tenon::ptx {
namespace {
void initialize(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const uint64_t *at = warp.lanes<uint64_t>(instruction.reads[0]);
  const uint32_t *counts = warp.lanes<uint32_t>(instruction.reads[1]);
  forLanes(mask, [&](int lane) {
    warp.block.mbarriers.initialize(warp, lane, at[lane], counts[lane]);
  });
}

void invalidate(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const uint64_t *at = warp.lanes<uint64_t>(instruction.reads[0]);
  forLanes(mask, [&](int lane) {
    warp.block.mbarriers.invalidate(warp, lane, at[lane]);
  });
}

/// Instruction::first.
enum : uint32_t { Arrives = 1, Expects = 2 };

/// Reads the address, and a count or bytes; a result is the phase.
void arrive(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Mbarriers &mbarriers = warp.block.mbarriers;
  const uint64_t *at = warp.lanes<uint64_t>(instruction.reads[0]);
  const uint32_t *numbers = instruction.numReads > 1
                                ? warp.lanes<uint32_t>(instruction.reads[1])
                                : nullptr;
  bool expects = instruction.first & Expects;
  forLanes(mask, [&](int lane) {
    Mbarrier &mbarrier = mbarriers.at(warp, lane, at[lane]);
    if (instruction.numWrites)
      warp.lanes<uint64_t>(instruction.writes[0])[lane] = mbarrier.phase;
    if (expects)
      mbarriers.expect(warp, lane, mbarrier, numbers[lane]);
    if (instruction.first & Arrives)
      mbarriers.arrive(warp, lane, mbarrier,
                       expects || !numbers ? 1 : numbers[lane]);
  });
  warp.advance();
}

/// Instruction::first.
enum : uint32_t { HasParity = 1, MayWait = 2 };

bool hasEnded(Warp &warp, const Instruction &instruction, int lane,
              const Mbarrier &mbarrier) {
  if (instruction.first & HasParity) {
    uint32_t parity = warp.lanes<uint32_t>(instruction.reads[1])[lane];
    if (parity > 1)
      warp.fail(lane, "a parity of " + std::to_string(parity));
    return (mbarrier.phase & 1) != parity;
  }
  uint64_t phase = warp.lanes<uint64_t>(instruction.reads[1])[lane];
  if (phase != mbarrier.phase && phase + 1 != mbarrier.phase)
    warp.fail(lane, "waits for a phase that is neither this nor the last one");
  return phase != mbarrier.phase;
}

void test(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Block &block = warp.block;
  const uint64_t *at = warp.lanes<uint64_t>(instruction.reads[0]);
  uint32_t ended = 0;
  Mbarrier *only = nullptr;
  bool isOnly = true;
  forLanes(mask, [&](int lane) {
    Mbarrier &mbarrier = block.mbarriers.at(warp, lane, at[lane]);
    isOnly &= !only || only == &mbarrier;
    only = &mbarrier;
    if (!hasEnded(warp, instruction, lane, mbarrier))
      return;
    ended |= 1u << lane;
    block.mbarriers.acquire(warp, mbarrier);
  });
  uint32_t &predicate = warp.predicate(instruction.writes[0]);
  predicate = (predicate & ~mask) | ended;
  // try_wait may wait, or give up at any time.
  if (ended || !isOnly || !(instruction.first & MayWait) ||
      mask != ~warp.exited || block.coin())
    return;
  only->waiting.push_back(&warp);
  warp.waitAndRepeat();
}

void takeOrder(Decoding &d, const char *order) {
  if (d.take(order))
    d.takeOneOf({"cta", "cluster"});
}

void takeObject(Decoding &d, size_t operand) {
  Space space = d.takeSpace();
  if (!d.take("b64"))
    d.refuse("expected .b64");
  d.sharedAddress(operand, space);
}

void decodeArrive(Decoding &d) {
  bool expects = d.take("expect_tx");
  if (expects)
    d.need(90, 80);
  takeOrder(d, "release");
  d.made.first = Arrives | (expects ? Expects : 0);
  d.made.run = arrive;
  d.expectOperands(expects ? 3 : 2, 3);
  takeObject(d, 1);
  d.write(0, b64);
  if (d.numOperands() > 2)
    d.read(2, b32);
}

void decodeExpect(Decoding &d) {
  d.need(90, 80);
  if (!d.take("relaxed"))
    d.refuse("expected .relaxed");
  d.takeOneOf({"cta", "cluster"});
  d.made.first = Expects;
  d.made.run = arrive;
  d.expectOperands(2);
  takeObject(d, 0);
  d.read(1, b32);
}

void decodeTest(Decoding &d, bool mayWait) {
  if (mayWait)
    d.need(90, 78);
  bool hasParity = d.take("parity");
  if (hasParity)
    d.need(80, 71);
  takeOrder(d, "acquire");
  d.made.first = (hasParity ? HasParity : 0) | (mayWait ? MayWait : 0);
  d.made.run = test;
  d.expectOperands(3, mayWait ? 4 : 3);
  takeObject(d, 1);
  d.write(0, predicateType);
  d.read(2, hasParity ? b32 : b64);
  if (d.numOperands() > 3) // for how long to wait
    d.read(3, b32);
}

void decodeMbarrier(Decoding &d) {
  d.made.group = Group::Barrier;
  d.need(80, 70);
  std::string name = d.takeOneOf(
      {"init", "inval", "arrive", "expect_tx", "test_wait", "try_wait"});
  if (name == "arrive")
    return decodeArrive(d);
  if (name == "expect_tx")
    return decodeExpect(d);
  if (name.ends_with("wait"))
    return decodeTest(d, name == "try_wait");
  bool isInit = name == "init";
  d.made.run = isInit ? initialize : invalidate;
  d.expectOperands(isInit ? 2 : 1);
  takeObject(d, 0);
  if (isInit)
    d.read(1, b32);
}

/// first: the arrival is one more than the phase expects.
void arriveAfterCopies(Warp &warp, const Instruction &instruction,
                       uint32_t mask) {
  Block &block = warp.block;
  const uint64_t *at = warp.lanes<uint64_t>(instruction.reads[0]);
  forLanes(mask, [&](int lane) {
    Mbarrier &mbarrier = block.mbarriers.at(warp, lane, at[lane]);
    mbarrier.pending += instruction.first;
    block.bulkCopies.arriveLater(warp, lane, mbarrier);
  });
}

void fenceProxy(Warp &warp, const Instruction &, uint32_t) {
  join(warp.knowledge.proxied, warp.knowledge.known);
  warp.advance();
}

void fenceInits(Warp &warp, const Instruction &, uint32_t) {
  warp.block.mbarriers.publish(warp);
}
} // namespace

void decodeArrivalOfCopies(Decoding &d) {
  if (!d.take("arrive"))
    d.refuse("expected .arrive");
  d.made.first = !d.take("noinc");
  d.made.run = arriveAfterCopies;
  d.expectOperands(1);
  takeObject(d, 0);
}

void decodeProxyFence(Decoding &d) {
  d.need(90, 80);
  if (d.take("release")) { // of inits
    if (!d.take("cluster"))
      d.refuse("expected .cluster");
    d.made.run = fenceInits;
    return;
  }
  d.takeOneOf({"async"});
  d.take("global") || d.take("shared::cta") || d.take("shared::cluster");
  d.made.run = fenceProxy;
}

std::vector<InstructionRow> mbarrierRows() {
  return {{"mbarrier", decodeMbarrier}};
}

} // namespace tenon::ptx
