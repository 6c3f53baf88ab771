// Counts are checked for what the manual leaves undefined: too many arrivals,
// more bytes than expected, an object that is not initialized.
#include "test/gpu/emulator/Mbarriers.h"

#include "test/gpu/emulator/Block.h"

#include <algorithm>

namespace tenon::ptx {

/// The limit of all counts.
constexpr int64_t maxCount = (1 << 20) - 1;

void Mbarriers::initialize(Warp &warp, int lane, uint64_t offset,
                           uint32_t count) {
  if (count < 1 || count > maxCount)
    warp.fail(lane, "expects " + std::to_string(count) +
                        " arrivals, which are not 1 to 2^20 - 1");
  if (all.count(offset))
    warp.fail(lane, "initializes an mbarrier that is not invalidated");
  block.shared.makeBarrier(warp, lane, offset);
  Mbarrier &made = all[offset];
  made.offset = offset;
  made.agent = block.addAgent();
  made.expected = made.pending = count;
  made.initWarp = warp.number;
}

void Mbarriers::invalidate(Warp &warp, int lane, uint64_t offset) {
  Mbarrier &mbarrier = at(warp, lane, offset);
  if (!mbarrier.waiting.empty())
    warp.fail(lane, "invalidates an mbarrier at which warps wait");
  block.shared.dropBarrier(warp, lane, offset);
  all.erase(offset);
}

Mbarrier &Mbarriers::at(Warp &warp, int lane, uint64_t offset) {
  block.shared.checkBarrier(warp, lane, offset);
  Mbarrier &found = all.at(offset);
  found.lastWarp = &warp;
  found.lastUse = &warp.current();
  return found;
}

Mbarrier &Mbarriers::atForCopy(Warp &warp, int lane, uint64_t offset) {
  Mbarrier &mbarrier = at(warp, lane, offset);
  if (!mbarrier.isPublished && !block.shared.isProxied(warp, offset))
    warp.fail(lane, "the initialization of the mbarrier is not visible to "
                    "asynchronous copies: fence.mbarrier_init or "
                    "fence.proxy.async is missing");
  return mbarrier;
}

void Mbarriers::arrive(Warp &warp, int lane, Mbarrier &mbarrier,
                       uint32_t count) {
  if (count < 1 || count > mbarrier.pending)
    warp.fail(lane, std::to_string(count) +
                        " arrivals at an mbarrier whose phase expects " +
                        std::to_string(mbarrier.pending) + " more");
  mbarrier.arrived.join(warp.knowledge);
  mbarrier.pending -= count;
  endPhase(mbarrier);
}

Mbarrier &Mbarriers::ofCopy(uint64_t offset, const std::string &origin) {
  auto found = all.find(offset);
  if (found == all.end())
    throw Finding(origin + "the mbarrier of a copy was invalidated");
  return found->second;
}

void Mbarriers::arriveLate(uint64_t offset, const std::string &origin) {
  Mbarrier &mbarrier = ofCopy(offset, origin);
  if (mbarrier.pending == 0)
    throw Finding(origin +
                  "an arrival at an mbarrier whose phase expects none");
  --mbarrier.pending;
  endPhase(mbarrier);
}

void Mbarriers::expect(Warp &warp, int lane, Mbarrier &mbarrier,
                       uint32_t bytes) {
  mbarrier.bytes += bytes;
  if (mbarrier.bytes > maxCount)
    warp.fail(lane, "an mbarrier expects more than 2^20 - 1 bytes");
}

void Mbarriers::complete(uint64_t offset, uint32_t bytes,
                         const std::string &origin) {
  Mbarrier &mbarrier = ofCopy(offset, origin);
  mbarrier.bytes -= bytes;
  // Nobody can expect more bytes once all have arrived.
  if (mbarrier.bytes < 0 && mbarrier.pending == 0)
    throw Finding(origin + "copies " + std::to_string(-mbarrier.bytes) +
                  " bytes more than the phase of its mbarrier expects");
  if (mbarrier.bytes < -maxCount)
    throw Finding(origin + "copies more bytes than an mbarrier counts");
  endPhase(mbarrier);
}

void Mbarriers::endPhase(Mbarrier &mbarrier) {
  if (mbarrier.pending != 0 || mbarrier.bytes != 0)
    return;
  mbarrier.pending = mbarrier.expected;
  last = std::max(last, ++mbarrier.phase);
  mbarrier.ended.join(mbarrier.arrived);
  mbarrier.ended.raise(mbarrier.agent, mbarrier.phase);
  for (Warp *warp : mbarrier.waiting)
    warp->state = Warp::State::Running;
  mbarrier.waiting.clear();
}

void Mbarriers::acquire(Warp &warp, const Mbarrier &mbarrier) {
  warp.knowledge.join(mbarrier.ended);
  // Lanes that arrived happened before lanes that waited.
  if (warp.number < mbarrier.ended.known.size())
    warp.lanesClock =
        std::max(warp.lanesClock, mbarrier.ended.known[warp.number] + 1);
}

void Mbarriers::publish(const Warp &warp) {
  for (auto &[offset, mbarrier] : all)
    if (mbarrier.initWarp == warp.number)
      mbarrier.isPublished = true;
}

void Mbarriers::end() const {
  for (const auto &[offset, mbarrier] : all)
    if (mbarrier.pending != mbarrier.expected || mbarrier.bytes != 0)
      mbarrier.lastWarp->failAt(
          *mbarrier.lastUse,
          "ends in a phase of the mbarrier at " + std::to_string(offset) +
              " that lacks " + std::to_string(mbarrier.pending) +
              " arrivals and " + std::to_string(mbarrier.bytes) + " bytes");
}

std::string Mbarriers::waitText(const Warp &warp) const {
  for (const auto &[offset, mbarrier] : all)
    if (std::find(mbarrier.waiting.begin(), mbarrier.waiting.end(), &warp) !=
        mbarrier.waiting.end())
      return "at the mbarrier at " + std::to_string(offset) + ", which lacks " +
             std::to_string(mbarrier.pending) + " arrivals and " +
             std::to_string(mbarrier.bytes) + " bytes";
  return "";
}

} // namespace tenon::ptx
