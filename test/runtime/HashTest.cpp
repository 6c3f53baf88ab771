// Tests XXH64 on whole input and in pieces.
#include "runtime/xxh64.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace {

TEST(Hash, MatchesTheReference) {
  auto hash = [](const std::string &text) {
    return tenon_xxh64_of(text.data(), text.size());
  };
  EXPECT_EQ(hash(""), 0xef46db3751d8e999u);
  EXPECT_EQ(hash("a"), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(hash("abc"), 0x44bc2cf5ad770999u);
  EXPECT_EQ(hash("Nobody inspects the spammish repetition"),
            0xfbcea83c8a378bf1u);
}

TEST(Hash, PiecesGiveTheSame) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text.push_back(char(i * 31));
  uint64_t whole = tenon_xxh64_of(text.data(), text.size());
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    tenon_xxh64 state;
    tenon_xxh64_begin(&state, 0);
    for (size_t at = 0; at < text.size();) {
      size_t take = std::min<size_t>(random() % 70, text.size() - at);
      tenon_xxh64_add(&state, text.data() + at, take);
      at += take;
    }
    ASSERT_EQ(tenon_xxh64_end(&state), whole);
  }
}

} // namespace
