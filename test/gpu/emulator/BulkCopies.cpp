// Global memory is read when a copy begins. A part of a copy is one piece, so
// that a phase that expects too few bytes ends before all are there.
#include "test/gpu/emulator/BulkCopies.h"

#include "test/gpu/emulator/Access.h"
#include "test/gpu/emulator/Races.h"

#include <cstring>

namespace tenon::ptx {

/// The bytes of a piece in global memory, which must be there.
static Allocation &globalOf(Warp &warp, int lane, const CopyPiece &piece,
                            const char *verb) {
  Allocation *found = warp.block.memory.find(piece.global, piece.bytes);
  if (!found)
    warp.fail(lane, std::string(verb) + " " +
                        warp.block.memory.absence(piece.global, piece.bytes));
  return *found;
}

static void count(Block &block, const CopyPiece &piece, bool writes) {
  uint64_t sectors = (piece.global + piece.bytes + 31) / 32 - piece.global / 32;
  Counters &counters = block.counters;
  counters.countSectors(piece.global, sectors, writes);
  (writes ? counters.bytesWritten : counters.bytesRead) += piece.bytes;
}

void BulkCopies::load(Warp &warp, int lane,
                      const std::vector<CopyPiece> &pieces,
                      Mbarrier &mbarrier) {
  Load made{warp.placeText() + ": ", mbarrier.offset, {}, false, 0};
  for (const CopyPiece &piece : pieces) {
    std::vector<uint8_t> bytes(piece.bytes);
    if (!piece.isOutside) {
      Allocation &memory = globalOf(warp, lane, piece, "copies");
      if (!memory.isWritten(piece.global, piece.bytes))
        warp.fail(lane, "copies memory that nothing has written");
      if (wasWrittenInLaunch(block.launchNumber(), memory, piece.global,
                             piece.bytes))
        warp.fail(lane, "copies what this launch writes: not emulated");
      noteRead(warp, lane, memory, piece.global, piece.bytes);
      std::memcpy(bytes.data(), memory.at(piece.global), piece.bytes);
      count(block, piece, false);
    }
    block.shared.beginAsyncWrite(warp, lane, piece.shared, piece.bytes);
    made.parts.push_back({piece.shared, std::move(bytes)});
  }
  loads.push_back(std::move(made));
}

void BulkCopies::arriveLater(Warp &warp, int lane, Mbarrier &mbarrier) {
  Load made{warp.placeText() + ": ",
            mbarrier.offset,
            {},
            true,
            warp.number * warpLanes + uint32_t(lane)};
  for (Block::Copy &copy : block.copies(warp.number, lane))
    made.parts.push_back({copy.offset, std::move(copy.bytes)});
  block.copies(warp.number, lane).clear();
  loads.push_back(std::move(made));
}

void BulkCopies::goOn(std::mt19937_64 &draws) {
  size_t which = draws() % loads.size();
  goOn(which, 1 + draws() % (loads[which].parts.size() + 1));
}

void BulkCopies::goOn(size_t which, size_t parts) {
  Load &load = loads[which];
  for (; parts && !load.parts.empty(); --parts) {
    const Load::Part &part = load.parts.front();
    auto bytes = uint32_t(part.bytes.size());
    const Mbarrier &mbarrier =
        block.mbarriers.ofCopy(load.mbarrier, load.origin);
    uint32_t clock = mbarrier.phase + 1;
    std::memcpy(
        block.shared.endAsyncWrite(mbarrier.agent, clock, part.offset, bytes),
        part.bytes.data(), bytes);
    if (load.arrives)
      lanes[load.lane].late.emplace_back(mbarrier.agent, clock);
    else
      block.mbarriers.complete(load.mbarrier, bytes, load.origin);
    load.parts.pop_front();
  }
  if (!load.parts.empty())
    return;
  if (load.arrives)
    block.mbarriers.arriveLate(load.mbarrier, load.origin);
  loads.erase(loads.begin() + long(which));
}

void BulkCopies::finishLate(Warp &warp, int lane) {
  uint32_t number = warp.number * warpLanes + uint32_t(lane);
  for (size_t i = loads.size(); i-- > 0;)
    if (loads[i].arrives && loads[i].lane == number)
      goOn(i, loads[i].parts.size());
  auto &late = lanes[number].late;
  for (auto [agent, clock] : late)
    warp.knowledge.raise(agent, clock);
  late.clear();
}

BulkCopies::Lane &BulkCopies::laneOf(const Warp &warp, int lane) {
  return lanes[warp.number * warpLanes + uint32_t(lane)];
}

void BulkCopies::store(Warp &warp, int lane,
                       const std::vector<CopyPiece> &pieces) {
  Lane &of = laneOf(warp, lane);
  Store made{of.group, &warp, lane, warp.placeText() + ": ", pieces, {}};
  for (const CopyPiece &piece : pieces) {
    const uint8_t *bytes =
        block.shared.beginAsyncRead(warp, lane, piece.shared, piece.bytes);
    made.bytes.emplace_back(bytes, bytes + piece.bytes);
    if (!piece.isOutside)
      globalOf(warp, lane, piece, "copies to");
  }
  of.stores.push_back(std::move(made));
}

void BulkCopies::commit(const Warp &warp, int lane) {
  ++laneOf(warp, lane).group;
}

void BulkCopies::finishReads(Store &store) {
  if (store.hasRead)
    return;
  store.hasRead = true;
  for (const CopyPiece &piece : store.pieces)
    block.shared.endAsyncRead(*store.warp, store.lane, piece.shared,
                              piece.bytes);
}

void BulkCopies::write(const Store &store) {
  for (size_t i = 0; i < store.pieces.size(); ++i) {
    const CopyPiece &piece = store.pieces[i];
    if (piece.isOutside)
      continue;
    Allocation *memory = block.memory.find(piece.global, piece.bytes);
    noteWrite(*store.warp, store.lane, *memory, piece.global, piece.bytes,
              Atomicity::None);
    memory->setWritten(piece.global, piece.bytes);
    std::memcpy(memory->at(piece.global), store.bytes[i].data(), piece.bytes);
    count(block, piece, true);
  }
}

void BulkCopies::wait(Warp &warp, int lane, uint64_t underWay, bool readsOnly) {
  Lane &of = laneOf(warp, lane);
  for (Store &store : of.stores)
    if (store.group + underWay < of.group)
      finishReads(store);
  while (!readsOnly && !of.stores.empty() &&
         of.stores.front().group + underWay < of.group) {
    write(of.stores.front());
    of.stores.pop_front();
  }
}

void BulkCopies::end() {
  if (!loads.empty())
    throw Finding(loads.front().origin +
                  "the block ends before the copy is complete");
  for (auto &[number, lane] : lanes)
    for (const Store &store : lane.stores) {
      if (!store.hasRead)
        throw Finding(store.origin +
                      "the block ends before the copy has read its memory: "
                      "cp.async.bulk.wait_group is missing");
      write(store);
    }
}

} // namespace tenon::ptx
