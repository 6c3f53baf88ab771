// Copies of blocks of memory that run beside the warps of a block. A copy to
// shared memory goes on in pieces at random moments and tells its mbarrier of
// the bytes. A copy to global memory reads when it begins; nobody may write
// what it reads before the lane has waited for that, and it writes when the
// lane has waited for all of it, or when the block ends.
#ifndef TENON_TEST_GPU_EMULATOR_BULKCOPIES_H
#define TENON_TEST_GPU_EMULATOR_BULKCOPIES_H

#include "test/gpu/emulator/Warp.h"

#include <deque>
#include <map>
#include <random>

namespace tenon::ptx {

struct Mbarrier;

/// Bytes that stand together in shared memory, and where they are in global
/// memory.
struct CopyPiece {
  uint64_t shared = 0, global = 0;
  uint32_t bytes = 0;
  bool isOutside = false; ///< of the tensor: zeros are read, none are written
};

class BulkCopies {
public:
  explicit BulkCopies(Block &block) : block(block) {}

  /// Begins a copy to shared memory.
  void load(Warp &warp, int lane, const std::vector<CopyPiece> &pieces,
            Mbarrier &mbarrier);
  /// Begins a copy to global memory, of the lane's group that is open.
  void store(Warp &warp, int lane, const std::vector<CopyPiece> &pieces);
  void commit(const Warp &warp, int lane);
  /// At most `underWay` groups of the lane go on; the others have read their
  /// shared memory, and unless `readsOnly` written global memory.
  void wait(Warp &warp, int lane, uint64_t underWay, bool readsOnly);
  /// An arrival at an mbarrier once copies by cp.async of a lane are complete.
  void arriveLater(Warp &warp, int lane, Mbarrier &mbarrier);

  /// The lane waits for its copies by cp.async, also those that an mbarrier
  /// tracks.
  void finishLate(Warp &warp, int lane);

  bool isUnderWay() const { return !loads.empty(); }
  /// Completes a part of a copy.
  void goOn(std::mt19937_64 &draws);
  /// All warps have ended. A finding if a copy is not complete.
  void end();

private:
  struct Load {
    std::string origin;
    uint64_t mbarrier;
    struct Part {
      uint64_t offset;
      std::vector<uint8_t> bytes;
    };
    std::deque<Part> parts;
    bool arrives = false; ///< at the end
    uint32_t lane = 0;    ///< warp times 32, plus lane
  };
  struct Store {
    uint32_t group;
    Warp *warp;
    int lane;
    std::string origin;
    std::vector<CopyPiece> pieces;
    std::vector<std::vector<uint8_t>> bytes;
    bool hasRead = false;
  };
  struct Lane {
    uint32_t group = 0;
    std::deque<Store> stores;
    /// Agents and clocks of the lane's copies by cp.async.
    std::vector<std::pair<uint32_t, uint32_t>> late;
  };
  void goOn(size_t load, size_t parts);
  Lane &laneOf(const Warp &warp, int lane);
  void finishReads(Store &store);
  void write(const Store &store);

  Block &block;
  std::vector<Load> loads;
  std::map<uint32_t, Lane> lanes; // by warp times 32, plus lane
};

} // namespace tenon::ptx

#endif
