// The device's global memory: allocations with gaps between them, which bytes
// were written, and the last accesses of each word.
#ifndef TENON_TEST_GPU_EMULATOR_DEVICEMEMORY_H
#define TENON_TEST_GPU_EMULATOR_DEVICEMEMORY_H

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace tenon::ptx {

/// Zeroed memory that costs nothing until it is touched.
class Region {
public:
  explicit Region(uint64_t bytes);
  ~Region();
  Region(const Region &) = delete;
  Region &operator=(const Region &) = delete;
  uint8_t *data() const { return start; }
  /// Makes all bytes zero again.
  void clear();

private:
  uint8_t *start;
  uint64_t bytes;
};

/// The last write of a word, and its reads since then. Both are 0 if there was
/// none; otherwise epochs of Races.h.
struct WordHistory {
  uint64_t write, read;
};

/// The histories of a word's bytes, once a part of it was accessed.
using ByteHistories = std::array<WordHistory, 4>;

struct Allocation {
  Allocation(uint64_t base, uint64_t bytes);
  uint8_t *at(uint64_t address) const { return data.data() + (address - base); }
  WordHistory *history(uint64_t address) const {
    return reinterpret_cast<WordHistory *>(words.data()) + (address - base) / 4;
  }
  /// The histories of the bytes of the word at `address`; null if all its
  /// accesses were of the whole word.
  ByteHistories *byteHistories(uint64_t address) {
    auto found = parts.find(address);
    return found == parts.end() ? nullptr : &found->second;
  }
  /// Notes that a launch reads the bytes as constant.
  void setConstant(uint64_t address, uint64_t count, uint32_t launch);
  bool isConstant(uint64_t address, uint64_t count, uint32_t launch) const;
  bool isWritten(uint64_t address, uint64_t count) const;
  void setWritten(uint64_t address, uint64_t count);

  const uint64_t base, bytes;
  Region data;
  Region written; // a bit for each byte
  Region words;   // a WordHistory for each four bytes
  /// For each four bytes the last launch that read them as constant.
  Region constants;
  bool hasConstants = false;
  std::unordered_map<uint64_t, ByteHistories> parts;
};

class DeviceMemory {
public:
  explicit DeviceMemory(uint64_t limit) : limit(limit) {}

  /// A new address, or 0 if the device has less memory than that.
  uint64_t allocate(uint64_t bytes);
  /// False if no allocation starts there.
  bool release(uint64_t address);

  /// The allocation that has all the bytes, or null.
  Allocation *find(uint64_t address, uint64_t bytes) {
    if (recent && address - recent->base <= recent->bytes &&
        bytes <= recent->bytes - (address - recent->base))
      return recent;
    return search(address, bytes);
  }
  /// Why there is no allocation, for a report.
  std::string absence(uint64_t address, uint64_t bytes) const;

  /// Forgets all epochs.
  void clearHistory();

  uint64_t inUse() const { return used; }
  size_t numAllocations() const { return allocations.size(); }

private:
  Allocation *search(uint64_t address, uint64_t bytes);

  const uint64_t limit;
  uint64_t used = 0;
  /// Addresses are never given twice, so that a stale one is known.
  uint64_t nextBase = uint64_t(0x7000) << 32;
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations;
  std::map<uint64_t, uint64_t> released; // base to bytes
  Allocation *recent = nullptr;
};

} // namespace tenon::ptx

#endif
