// Short words are searched again after each merge. Long ones are a linked list
// with a queue of pairs: one bucket of positions for each rank, because a run
// of millions of equal characters has few ranks.
#include "tokenizers/ApplyMerges.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

namespace tenon::tokenizers {

/// From this many tokens on a queue costs less than searching.
static constexpr size_t longWord = 48;

static size_t mergeShort(uint32_t *tokens, size_t count,
                         const MergeTable &merges) {
  const Merge *pairs[longWord]; // pairs[i]: tokens i and i + 1
  for (size_t i = 0; i + 1 < count; ++i)
    pairs[i] = merges.find(tokens[i], tokens[i + 1]);
  while (true) {
    size_t best = count;
    for (size_t i = 0; i + 1 < count; ++i)
      if (pairs[i] && (best == count || pairs[i]->rank < pairs[best]->rank))
        best = i;
    if (best == count)
      return count;
    tokens[best] = pairs[best]->token;
    std::copy(tokens + best + 2, tokens + count, tokens + best + 1);
    std::copy(pairs + best + 1, pairs + count - 1, pairs + best);
    --count;
    if (best > 0)
      pairs[best - 1] = merges.find(tokens[best - 1], tokens[best]);
    if (best + 1 < count)
      pairs[best] = merges.find(tokens[best], tokens[best + 1]);
  }
}

namespace {
/// Positions of pairs, taken by rank and then from left to right.
class PairQueue {
public:
  void add(uint32_t rank, uint32_t position) {
    auto [entry, isNew] = buckets.try_emplace(rank);
    Bucket &bucket = entry->second;
    if (isNew)
      ranks.push(rank);
    if (bucket.opened) {
      bucket.late.push(position);
      return;
    }
    bucket.isSorted &=
        bucket.positions.empty() || bucket.positions.back() <= position;
    bucket.positions.push_back(position);
  }

  /// Takes the next pair; false if there is none.
  bool take(uint32_t &rank, uint32_t &position) {
    while (!ranks.empty()) {
      rank = ranks.top();
      Bucket &bucket = buckets.find(rank)->second;
      if (bucket.take(position))
        return true;
      buckets.erase(rank);
      ranks.pop();
    }
    return false;
  }

private:
  template <typename T>
  using Smallest = std::priority_queue<T, std::vector<T>, std::greater<T>>;

  struct Bucket {
    bool take(uint32_t &position) {
      if (!opened && !isSorted)
        std::sort(positions.begin(), positions.end());
      opened = true;
      bool hasNext = next < positions.size();
      if (!late.empty() && (!hasNext || late.top() < positions[next])) {
        position = late.top();
        late.pop();
        return true;
      }
      if (hasNext)
        position = positions[next++];
      return hasNext;
    }

    std::vector<uint32_t> positions;
    size_t next = 0;         ///< the first of `positions` that was not taken
    Smallest<uint32_t> late; ///< added after the first was taken
    bool isSorted = true, opened = false;
  };

  std::unordered_map<uint32_t, Bucket> buckets;
  Smallest<uint32_t> ranks; ///< of `buckets`
};
} // namespace

static size_t mergeLong(uint32_t *tokens, size_t count,
                        const MergeTable &merges) {
  // A token that became a part of its left neighbour is its own successor.
  std::vector<uint32_t> next(count), previous(count);
  PairQueue queue;
  auto addPair = [&](uint32_t left, uint32_t right) {
    if (const Merge *merge = merges.find(tokens[left], tokens[right]))
      queue.add(merge->rank, left);
  };
  for (uint32_t i = 0; i < count; ++i) {
    next[i] = i + 1;
    previous[i] = i - 1;
    if (i + 1 < count)
      addPair(i, i + 1);
  }
  uint32_t rank, at;
  while (queue.take(rank, at)) {
    uint32_t right = next[at];
    if (right == at || right == count)
      continue;
    // The pair may have changed since it was added.
    const Merge *merge = merges.find(tokens[at], tokens[right]);
    if (!merge || merge->rank != rank)
      continue;
    tokens[at] = merge->token;
    uint32_t after = next[right];
    next[at] = after;
    next[right] = right;
    if (after < count) {
      previous[after] = at;
      addPair(at, after);
    }
    if (at > 0)
      addPair(previous[at], at);
  }
  size_t kept = 0;
  for (uint32_t i = 0; i < count; i = next[i])
    tokens[kept++] = tokens[i];
  return kept;
}

void applyMerges(std::vector<uint32_t> &tokens, size_t begin,
                 const MergeTable &merges) {
  size_t count = tokens.size() - begin;
  uint32_t *word = tokens.data() + begin;
  count = count <= longWord ? mergeShort(word, count, merges)
                            : mergeLong(word, count, merges);
  tokens.resize(begin + count);
}

} // namespace tenon::tokenizers
