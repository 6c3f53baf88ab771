// The mbarriers of a block: objects in its shared memory that count arrivals
// and bytes of asynchronous copies. A phase ends when both counts are zero.
//
// Each mbarrier is an agent of its own in the vector clocks: what a copy wrote
// in phase n is known to those that waited for the end of phase n, or learned
// of it through another barrier.
#ifndef TENON_TEST_GPU_EMULATOR_MBARRIERS_H
#define TENON_TEST_GPU_EMULATOR_MBARRIERS_H

#include "test/gpu/emulator/Warp.h"

#include <map>

namespace tenon::ptx {

struct Mbarrier {
  uint64_t offset = 0; // in shared memory
  uint32_t agent = 0;  // its place in vector clocks
  uint32_t expected = 0, pending = 0;
  int64_t bytes = 0;        // expected minus copied
  uint32_t phase = 0;       // how many have ended
  bool isPublished = false; // fence.mbarrier_init came after its init
  uint32_t initWarp = 0;
  /// Who used it last, for a report.
  const Warp *lastWarp = nullptr;
  const Instruction *lastUse = nullptr;
  /// What those that arrived in this phase knew, and in phases before.
  Knowledge arrived, ended;
  std::vector<Warp *> waiting;
};

class Mbarriers {
public:
  explicit Mbarriers(Block &block) : block(block) {}

  void initialize(Warp &warp, int lane, uint64_t offset, uint32_t count);
  void invalidate(Warp &warp, int lane, uint64_t offset);
  /// The mbarrier at the offset; a finding if there is none, or if its init is
  /// not ordered before.
  Mbarrier &at(Warp &warp, int lane, uint64_t offset);
  /// The same for an asynchronous copy that will report to it.
  Mbarrier &atForCopy(Warp &warp, int lane, uint64_t offset);

  void arrive(Warp &warp, int lane, Mbarrier &mbarrier, uint32_t count);
  /// An arrival after copies of a lane are complete, which may come late.
  void arriveLate(uint64_t offset, const std::string &origin);
  void expect(Warp &warp, int lane, Mbarrier &mbarrier, uint32_t bytes);
  /// The mbarrier of a copy that is under way. `origin` begins a finding.
  Mbarrier &ofCopy(uint64_t offset, const std::string &origin);
  /// Bytes were copied.
  void complete(uint64_t offset, uint32_t bytes, const std::string &origin);
  /// The warp knows what those knew that arrived in phases that ended.
  void acquire(Warp &warp, const Mbarrier &mbarrier);
  /// fence.mbarrier_init of the warp.
  void publish(const Warp &warp);
  /// All warps have ended: a finding if a phase has begun.
  void end() const;
  /// Why a warp waits at an mbarrier, for a report; empty if it does not.
  std::string waitText(const Warp &warp) const;
  /// The last clock of an agent.
  uint32_t lastClock() const { return last; }

private:
  void endPhase(Mbarrier &mbarrier);

  Block &block;
  std::map<uint64_t, Mbarrier> all;
  uint32_t last = 0;
};

} // namespace tenon::ptx

#endif
