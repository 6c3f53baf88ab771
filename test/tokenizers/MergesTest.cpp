// Merges: the queue of long words against a direct search for the next merge.
#include "tokenizers/ApplyMerges.h"

#include <gtest/gtest.h>
#include <random>

using namespace tenon::tokenizers;

/// The leftmost pair of the lowest rank, again and again.
static std::vector<uint32_t> mergedDirectly(std::vector<uint32_t> tokens,
                                            const MergeTable &merges) {
  while (true) {
    const Merge *best = nullptr;
    size_t at = 0;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      const Merge *merge = merges.find(tokens[i], tokens[i + 1]);
      if (merge && (!best || merge->rank < best->rank)) {
        best = merge;
        at = i;
      }
    }
    if (!best)
      return tokens;
    tokens[at] = best->token;
    tokens.erase(tokens.begin() + at + 1);
  }
}

TEST(TokenizerMerges, TheQueueFindsWhatASearchFinds) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    // Tokens are texts over an alphabet, so that no two merges make a token of
    // the same text at one place; ranks are in any order.
    size_t letters = 1 + random() % 4, count = random() % 40;
    std::vector<std::string> texts;
    for (size_t i = 0; i < letters; ++i)
      texts.push_back(std::string(1, char('a' + i)));
    MergeTable merges(count);
    std::vector<uint32_t> ranks(count);
    for (size_t i = 0; i < count; ++i)
      ranks[i] = i;
    std::shuffle(ranks.begin(), ranks.end(), random);
    for (size_t i = 0; i < count; ++i) {
      uint32_t left = random() % texts.size(), right = random() % texts.size();
      std::string whole = texts[left] + texts[right];
      auto known = std::find(texts.begin(), texts.end(), whole);
      uint32_t token = known - texts.begin();
      if (known == texts.end())
        texts.push_back(whole);
      merges.set(left, right, {ranks[i], token});
    }
    std::vector<uint32_t> word(random() % 300);
    for (uint32_t &token : word)
      token = random() % 8 ? random() % letters : 0;
    std::vector<uint32_t> wanted = mergedDirectly(word, merges), got = word;
    applyMerges(got, 0, merges);
    ASSERT_EQ(got, wanted);
  }
}

TEST(TokenizerMerges, OnlyTheEndOfAListIsMerged) {
  MergeTable merges(1);
  merges.set(0, 1, {0, 2});
  std::vector<uint32_t> tokens = {0, 1, 0, 1};
  applyMerges(tokens, 2, merges);
  EXPECT_EQ(tokens, (std::vector<uint32_t>{0, 1, 2}));
  applyMerges(tokens, 3, merges);
  EXPECT_EQ(tokens.size(), 3u);
}
