// Warps take turns of random lengths. A barrier orders all accesses of its
// members before it: it joins their vector clocks.
#include "test/gpu/emulator/Block.h"

#include "test/gpu/emulator/Races.h"

#include <algorithm>

namespace tenon::ptx {

Block::Block(Launch &launch, const std::array<uint32_t, 3> &place)
    : launch(launch), counters(launch.counters), memory(launch.machine.memory),
      shared(launch.shared), parameters(launch.parameters), place(place),
      numThreads(launch.threads), numWarps(launch.warps),
      firstWarp(uint32_t(
          (place[0] +
           uint64_t(launch.shape.grid[0]) *
               (place[1] + uint64_t(launch.shape.grid[1]) * place[2])) *
          launch.warps)),
      pending(numWarps * warpLanes), groups(numWarps * warpLanes),
      acquired(numWarps), seen(numWarps), fenced(numWarps),
      draws(launch.machine.seed ^ firstWarp), mbarriers(*this),
      bulkCopies(*this) {
  for (uint32_t i = 0; i < numWarps; ++i) {
    warps.push_back(std::make_unique<Warp>(*this, launch.program, i,
                                           numThreads - i * warpLanes));
    Warp &warp = *warps.back();
    warp.knowledge.known.assign(numWarps, 0);
    warp.knowledge.known[i] = warp.clock;
  }
}

void Block::run() {
  std::vector<Warp *> running;
  for (;;) {
    if (bulkCopies.isUnderWay() && draws() % 2)
      bulkCopies.goOn(draws);
    running.clear();
    for (auto &warp : warps)
      if (warp->state == Warp::State::Running)
        running.push_back(warp.get());
    if (running.empty()) {
      if (!bulkCopies.isUnderWay() || !anyWaits())
        break;
      continue;
    }
    Warp *chosen = running[draws() % running.size()];
    uint64_t turn = uint64_t(1) << (3 + draws() % 8);
    chosen->run(turn);
    launch.steps += turn;
    if (launch.steps > launch.machine.maxInstructions)
      chosen->fail("the launch runs more than " +
                   std::to_string(launch.machine.maxInstructions) +
                   " instructions: it may not end");
  }
  checkEnd();
  uint32_t last = mbarriers.lastClock();
  for (auto &warp : warps)
    last = std::max(last, warp->clock);
  if (last > maxClock)
    throw Finding(launch.program.name +
                  ": more barriers than the emulator counts");
  shared.end(last);
}

bool Block::anyWaits() const {
  return std::any_of(warps.begin(), warps.end(), [](const auto &warp) {
    return warp->state == Warp::State::AtBarrier;
  });
}

void Block::checkEnd() {
  for (auto &warp : warps)
    if (warp->state == Warp::State::AtBarrier)
      deadlock();
  for (const Barrier &barrier : barriers)
    if (barrier.arrived)
      throw Finding(barrier.lastArrival + ": a barrier that " +
                    std::to_string(barrier.expected - barrier.arrived) +
                    " threads never come to");
  for (uint32_t thread = 0; thread < pending.size(); ++thread)
    if (!pending[thread].empty())
      warps[thread / warpLanes]->failAt(
          *pending[thread].front().instruction,
          "lane " + std::to_string(thread % warpLanes) +
              ": ends before the asynchronous copy is waited for");
  bulkCopies.end();
  for (const auto &warp : warps)
    if (warp->matrixUnit)
      warp->matrixUnit->end(*warp);
  warpgroups.end();
  mbarriers.end();
}

void Block::deadlock() {
  std::string text = "deadlock: others have left the barrier or never come "
                     "to it; waiting warps:";
  Warp *first = nullptr;
  for (auto &warp : warps)
    if (warp->state == Warp::State::AtBarrier) {
      text += " " + std::to_string(warp->number);
      if (std::string at = mbarriers.waitText(*warp); !at.empty())
        text += " (" + at + ")";
      first = first ? first : warp.get();
    }
  first->failAt(first->waitsAt(), text);
}

void Block::arrive(Warp &warp, uint32_t number, uint32_t threads, bool waits) {
  if (number >= barriers.size())
    warp.fail("barrier " + std::to_string(number) + " of 16");
  if (warp.active != ~warp.exited)
    warp.fail("lanes of the warp are not at the barrier");
  if (warp.exited != ~warp.existing)
    warp.fail("lanes of the warp ended before the barrier");
  if (threads % warpLanes)
    warp.fail("a barrier for " + std::to_string(threads) +
              " threads, which is no multiple of 32");
  uint32_t expected = threads ? threads : numWarps * warpLanes;
  Barrier &barrier = barriers[number];
  if (barrier.arrived && barrier.expected != expected)
    warp.fail("other warps expect " + std::to_string(barrier.expected) +
              " threads at the barrier");
  if (std::find(barrier.members.begin(), barrier.members.end(), &warp) !=
      barrier.members.end())
    warp.fail("the warp comes to the barrier twice");
  barrier.expected = expected;
  barrier.arrived += warpLanes;
  barrier.lastArrival = warp.placeText();
  barrier.members.push_back(&warp);
  if (waits) {
    barrier.waiting.push_back(&warp);
    warp.wait();
  }
  if (barrier.arrived >= expected)
    pass(barrier);
}

void Block::pass(Barrier &barrier) {
  Knowledge joined;
  Clocks outside;
  for (Warp *member : barrier.members) {
    joined.join(member->knowledge);
    for (auto [warp, clock] : acquired[member->number])
      outside[warp] = std::max(outside[warp], clock);
  }
  for (Warp *member : barrier.waiting) {
    member->knowledge = joined;
    acquired[member->number] = outside;
    member->state = Warp::State::Running;
  }
  for (Warp *member : barrier.members)
    member->passBarrier();
  if (barrier.waiting.size() == numWarps)
    ++barriersPassed;
  barrier = {};
}

bool Block::happenedBefore(const Warp &warp, uint32_t other,
                           uint32_t clock) const {
  if (has(other))
    return clock <= warp.knowledge.known[other - firstWarp];
  const Clocks &clocks = acquired[warp.number];
  auto found = clocks.find(other);
  return found != clocks.end() && clock <= found->second;
}

/// All that happened before the warp's next access.
Clocks Block::clocksOf(const Warp &warp) const {
  Clocks clocks = acquired[warp.number];
  for (uint32_t i = 0; i < numWarps; ++i)
    clocks[globalWarp(i)] = warp.knowledge.known[i];
  return clocks;
}

void Block::join(Warp &warp, const Clocks &clocks, Scope scope) {
  for (auto [other, clock] : clocks) {
    if (!has(other) && scope == Scope::Block)
      continue;
    uint32_t &known = has(other) ? warp.knowledge.known[other - firstWarp]
                                 : acquired[warp.number][other];
    known = std::max(known, clock);
  }
}

static void raise(Clocks &clocks, const Clocks &by) {
  for (auto [warp, clock] : by)
    clocks[warp] = std::max(clocks[warp], clock);
}

void Block::publish(uint64_t address, const Clocks &clocks, Scope scope) {
  Releases &releases = launch.releases[address];
  if (releases.firstWarp != firstWarp)
    releases.block.clear();
  releases.firstWarp = firstWarp;
  raise(releases.block, clocks);
  if (scope == Scope::Device)
    raise(releases.device, clocks);
}

void Block::order(Warp &warp, uint64_t address, const StrongAccess &access) {
  if (access.reads) {
    Clocks clocks;
    if (auto found = launch.releases.find(address);
        found != launch.releases.end()) {
      if (found->second.firstWarp == firstWarp)
        raise(clocks, found->second.block);
      if (access.scope == Scope::Device)
        raise(clocks, found->second.device);
    }
    if (access.acquires)
      join(warp, clocks, access.scope);
    else
      raise(seen[warp.number], clocks);
  }
  if (!access.writes)
    return;
  if (!access.reads)
    launch.releases.erase(address);
  for (Scope scope : {Scope::Block, Scope::Device})
    if (const Clocks &clocks = fenced[warp.number][size_t(scope)];
        !clocks.empty())
      publish(address, clocks, std::min(scope, access.scope));
  if (access.releases) {
    publish(address, clocksOf(warp), access.scope);
    warp.advance();
  }
}

void Block::fence(Warp &warp, Scope scope) {
  join(warp, seen[warp.number], scope);
  if (scope == Scope::Device)
    seen[warp.number].clear();
  fenced[warp.number][size_t(scope)] = clocksOf(warp);
  warp.advance();
}

uint32_t Block::special(const std::string &name, uint32_t thread) const {
  const LaunchShape &shape = launch.shape;
  auto dimension = [&] { return size_t(name.back() - 'x'); };
  std::array<uint32_t, 3> inBlock{thread % shape.block[0],
                                  thread / shape.block[0] % shape.block[1],
                                  thread / shape.block[0] / shape.block[1]};
  if (name.starts_with("%tid."))
    return inBlock[dimension()];
  if (name.starts_with("%ntid."))
    return shape.block[dimension()];
  if (name.starts_with("%ctaid."))
    return place[dimension()];
  if (name.starts_with("%nctaid."))
    return shape.grid[dimension()];
  uint32_t lane = thread % warpLanes;
  if (name == "%laneid")
    return lane;
  if (name == "%lanemask_eq")
    return 1u << lane;
  if (name == "%lanemask_lt")
    return (1u << lane) - 1;
  if (name == "%lanemask_le")
    return (1u << lane << 1) - 1;
  if (name == "%lanemask_gt")
    return ~((1u << lane << 1) - 1);
  if (name == "%lanemask_ge")
    return ~((1u << lane) - 1);
  if (name == "%dynamic_smem_size")
    return shape.dynamicBytes;
  throw Finding("unknown special register " + name);
}

std::string Block::placeText() const {
  return "(" + std::to_string(place[0]) + ", " + std::to_string(place[1]) +
         ", " + std::to_string(place[2]) + ")";
}

std::string Block::warpText(uint32_t globalWarp) const {
  uint32_t block = globalWarp / numWarps;
  return "warp " + std::to_string(globalWarp % numWarps) + " of " +
         (has(globalWarp) ? "the same block"
                          : "block " + std::to_string(block));
}

} // namespace tenon::ptx
