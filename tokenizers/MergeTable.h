// The merges of a BPE model: for a pair of neighbours, the token that they
// become and the rank of the merge. A merge of a lower rank goes first.
#ifndef TENON_TOKENIZERS_MERGETABLE_H
#define TENON_TOKENIZERS_MERGETABLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon::tokenizers {

struct Merge {
  uint32_t rank, token;
};

/// A hash table with open addressing, at most half full.
class MergeTable {
public:
  explicit MergeTable(size_t merges = 0) {
    size_t size = 2;
    while (size < 2 * merges + 2)
      size *= 2;
    slots.resize(size, {freeSlot, {}});
  }

  /// Sets the merge of a pair. There may be no more pairs than the constructor
  /// was told.
  void set(uint32_t left, uint32_t right, Merge merge) {
    Slot &slot = slots[place(keyOf(left, right))];
    slot = {keyOf(left, right), merge};
  }

  /// The merge of a pair, or null.
  const Merge *find(uint32_t left, uint32_t right) const {
    const Slot &slot = slots[place(keyOf(left, right))];
    return slot.key == freeSlot ? nullptr : &slot.merge;
  }

private:
  struct Slot {
    uint64_t key;
    Merge merge;
  };
  /// No pair has this key: ids are below 2^31.
  static constexpr uint64_t freeSlot = ~uint64_t(0);

  static uint64_t keyOf(uint32_t left, uint32_t right) {
    return uint64_t(left) << 32 | right;
  }
  /// The slot with the key, or the one where it belongs.
  size_t place(uint64_t key) const {
    // The last steps of SplitMix64.
    uint64_t hash = key;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    hash ^= hash >> 31;
    size_t at = hash & (slots.size() - 1);
    while (slots[at].key != freeSlot && slots[at].key != key)
      at = (at + 1) & (slots.size() - 1);
    return at;
  }

  std::vector<Slot> slots;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_MERGETABLE_H
