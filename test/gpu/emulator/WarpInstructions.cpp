// Exchanges between the lanes of a warp, and barriers. All lanes that a mask
// names must be at the instruction.
#include "test/gpu/emulator/Block.h"
#include "test/gpu/emulator/Lanes.h"
#include "test/gpu/emulator/Select.h"

#include <algorithm>

namespace tenon::ptx {
namespace {
/// The lanes that take part; a finding if some are elsewhere.
uint32_t members(Warp &warp, Slot slot, uint32_t mask) {
  auto named = warp.uniform<uint32_t>(slot, mask, "the mask of members");
  if (mask & ~named)
    warp.fail(__builtin_ctz(mask & ~named), "is not in the mask of members");
  uint32_t missing = named & ~mask & warp.existing;
  if (missing)
    warp.letOthersCome();
  if (missing)
    warp.fail(__builtin_ctz(missing),
              "is in the mask of members but not at the instruction");
  return named;
}

enum class Shuffle : uint32_t { Up, Down, Butterfly, Index };

/// The source lane, and whether it is in range.
std::pair<int, bool> sourceOf(Shuffle mode, int lane, uint32_t b, uint32_t c) {
  int clamp = int(c & 0x1f), segment = int(c >> 8 & 0x1f), by = int(b & 0x1f);
  int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
  int source = 0;
  bool inRange = false;
  switch (mode) {
  case Shuffle::Up:
    source = lane - by;
    inRange = source >= most;
    break;
  case Shuffle::Down:
    source = lane + by;
    inRange = source <= most;
    break;
  case Shuffle::Butterfly:
    source = lane ^ by;
    inRange = source <= most;
    break;
  case Shuffle::Index:
    source = least | (by & ~segment);
    inRange = source <= most;
    break;
  }
  return {inRange ? source : lane, inRange};
}

void shuffle(Warp &warp, const Instruction &instruction, uint32_t mask) {
  members(warp, instruction.reads[3], mask);
  const uint32_t *a = warp.lanes<uint32_t>(instruction.reads[0]),
                 *b = warp.lanes<uint32_t>(instruction.reads[1]),
                 *c = warp.lanes<uint32_t>(instruction.reads[2]);
  std::array<uint32_t, warpLanes> result;
  uint32_t inRange = 0;
  forLanes(mask, [&](int lane) {
    auto [source, isIn] =
        sourceOf(Shuffle(instruction.first), lane, b[lane], c[lane]);
    if (!(mask >> source & 1))
      warp.fail(lane, "takes the value of lane " + std::to_string(source) +
                          ", which is not at the instruction");
    result[size_t(lane)] = a[source];
    inRange |= uint32_t(isIn) << lane;
  });
  setLanes(warp.lanes<uint32_t>(instruction.writes[0]), mask,
           [&](int lane) { return result[size_t(lane)]; });
  if (instruction.numWrites > 1) {
    uint32_t &predicate = warp.predicate(instruction.writes[1]);
    predicate = (predicate & ~mask) | inRange;
  }
}

void decodeShuffle(Decoding &d) {
  d.made.group = Group::WarpExchange;
  if (!d.take("sync"))
    d.refuse("expected .sync");
  std::string mode = d.takeOneOf({"up", "down", "bfly", "idx"});
  d.made.first = uint32_t(mode == "up"     ? Shuffle::Up
                          : mode == "down" ? Shuffle::Down
                          : mode == "bfly" ? Shuffle::Butterfly
                                           : Shuffle::Index);
  if (!d.take("b32"))
    d.refuse("expected .b32");
  d.expectOperands(5);
  Operand to = d.operand(0);
  std::string second = to.second;
  to.second.clear();
  d.write(to, b32);
  if (!second.empty()) {
    to.name = second;
    d.write(to, predicateType);
  }
  for (size_t i = 1; i < 5; ++i)
    d.read(i, b32);
  d.made.run = shuffle;
}

enum class Vote : uint32_t { All, Any, Uniform, Ballot };

void vote(Warp &warp, const Instruction &instruction, uint32_t mask) {
  uint32_t named = members(warp, instruction.reads[1], mask) & warp.existing,
           value = warp.predicate(instruction.reads[0]);
  if (instruction.negated & 1)
    value = ~value;
  value &= named;
  auto kind = Vote(instruction.first);
  if (kind == Vote::Ballot) {
    setLanes(warp.lanes<uint32_t>(instruction.writes[0]), mask,
             [&](int) { return value; });
    return;
  }
  bool holds = kind == Vote::All   ? value == named
               : kind == Vote::Any ? value != 0
                                   : value == named || value == 0;
  uint32_t &predicate = warp.predicate(instruction.writes[0]);
  predicate = (predicate & ~mask) | (holds ? mask : 0);
}

void decodeVote(Decoding &d) {
  d.made.group = Group::WarpExchange;
  if (!d.take("sync"))
    d.refuse("expected .sync");
  std::string kind = d.takeOneOf({"all", "any", "uni", "ballot"});
  Type type = d.takeType();
  d.made.first = uint32_t(kind == "all"   ? Vote::All
                          : kind == "any" ? Vote::Any
                          : kind == "uni" ? Vote::Uniform
                                          : Vote::Ballot);
  bool isBallot = kind == "ballot";
  if (isBallot != (type == b32))
    d.refuse("another type");
  d.expectOperands(3);
  d.write(0, isBallot ? b32 : predicateType);
  d.read(1, predicateType);
  d.read(2, b32);
  d.made.run = vote;
}

void activeMask(Warp &warp, const Instruction &instruction, uint32_t mask) {
  setLanes(warp.lanes<uint32_t>(instruction.writes[0]), mask,
           [&](int) { return mask; });
}

void decodeActiveMask(Decoding &d) {
  d.made.group = Group::WarpExchange;
  if (!d.take("b32"))
    d.refuse("expected .b32");
  d.expectOperands(1);
  d.write(0, b32);
  d.made.run = activeMask;
}

/// The leader is the lowest lane: the same one every time.
void elect(Warp &warp, const Instruction &instruction, uint32_t mask) {
  uint32_t named = members(warp, instruction.reads[0], mask);
  auto leader = uint32_t(__builtin_ctz(named & warp.existing));
  setLanes(warp.lanes<uint32_t>(instruction.writes[0]), mask,
           [&](int) { return leader; });
  uint32_t &predicate = warp.predicate(instruction.writes[1]);
  predicate = (predicate & ~mask) | (mask & 1u << leader);
}

void decodeElect(Decoding &d) {
  d.made.group = Group::WarpExchange;
  d.need(90, 80);
  if (!d.take("sync"))
    d.refuse("expected .sync");
  d.expectOperands(2);
  Operand leader = d.operand(0), isLeader;
  isLeader.name = leader.second;
  if (leader.second.empty())
    d.refuse("expected a predicate too");
  d.write(leader, b32);
  d.write(isLeader, predicateType);
  d.read(1, b32);
  d.made.run = elect;
}

enum class Reduction : uint32_t { Add, Min, Max, And, Or, Xor };

template <typename T>
void reduce(Warp &warp, const Instruction &instruction, uint32_t mask) {
  members(warp, instruction.reads[1], mask);
  const T *a = warp.lanes<T>(instruction.reads[0]);
  bool isFirst = true;
  T sum = 0;
  forLanes(mask, [&](int lane) {
    T x = a[lane];
    switch (Reduction(instruction.first)) {
    case Reduction::Add:
      sum = T(uint32_t(sum) + uint32_t(x));
      break;
    case Reduction::Min:
      sum = isFirst ? x : std::min(sum, x);
      break;
    case Reduction::Max:
      sum = isFirst ? x : std::max(sum, x);
      break;
    case Reduction::And:
      sum = isFirst ? x : T(sum & x);
      break;
    case Reduction::Or:
      sum = T(sum | x);
      break;
    case Reduction::Xor:
      sum = T(sum ^ x);
      break;
    }
    isFirst = false;
  });
  setLanes(warp.lanes<T>(instruction.writes[0]), mask,
           [&](int) { return sum; });
}

void decodeReduce(Decoding &d) {
  d.made.group = Group::WarpExchange;
  d.need(80, 70);
  if (!d.take("sync"))
    d.refuse("expected .sync");
  static const char *const names[] = {"add", "min", "max", "and", "or", "xor"};
  uint32_t which = 0;
  while (which < 6 && !d.take(names[which]))
    ++which;
  if (which == 6)
    d.refuse("unknown operation");
  Type type = d.takeType();
  if (type.bits != 32 || type.kind == Kind::Float)
    d.refuse("expected an integer of 32 bits");
  d.made.first = which;
  d.made.run = type.kind == Kind::Signed ? reduce<int32_t> : reduce<uint32_t>;
  d.expectOperands(3);
  d.write(0, type);
  d.read(1, type);
  d.read(2, b32);
}

void warpBarrier(Warp &warp, const Instruction &instruction, uint32_t mask) {
  members(warp, instruction.reads[0], mask);
  warp.passBarrier();
}

/// first: the warp waits; reads: the barrier, and the threads if they are said.
void blockBarrier(Warp &warp, const Instruction &instruction, uint32_t mask) {
  if (mask != warp.active)
    warp.fail("lanes of the warp are not at the barrier");
  if (warp.active != ~warp.exited)
    warp.letOthersCome();
  auto barrier =
      warp.uniform<uint32_t>(instruction.reads[0], mask, "the barrier");
  uint32_t threads = 0;
  if (instruction.numReads > 1)
    threads = warp.uniform<uint32_t>(instruction.reads[1], mask, "the threads");
  warp.block.arrive(warp, barrier, threads, instruction.first);
}

void decodeBarrier(Decoding &d) {
  d.made.group = Group::Barrier;
  if (d.take("warp")) {
    if (!d.take("sync"))
      d.refuse("expected .sync");
    d.expectOperands(1);
    d.read(0, b32);
    d.made.run = warpBarrier;
    return;
  }
  d.take("cta");
  bool waits = d.takeOneOf({"sync", "arrive"}) == "sync";
  d.take("aligned");
  d.expectOperands(waits ? 1 : 2, 2);
  for (size_t i = 0; i < d.numOperands(); ++i)
    d.read(i, b32);
  d.made.first = waits;
  d.made.run = blockBarrier;
}
} // namespace

std::vector<InstructionRow> warpRows() {
  return {
      {"shfl", decodeShuffle}, {"vote", decodeVote},
      {"redux", decodeReduce}, {"activemask", decodeActiveMask},
      {"bar", decodeBarrier},  {"barrier", decodeBarrier},
      {"elect", decodeElect},
  };
}

} // namespace tenon::ptx
