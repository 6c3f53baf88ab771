// Tests scores from AMX tiles: attention against its definition in f64, which
// rows have the bits of other targets, and that rows do not depend on others.
#include "test/unit/attention/AttentionCase.h"
#include "test/unit/contraction/AmxCase.h"

using namespace tenon;

namespace {

class TiledScores : public AmxProduct {};

using Bits = std::vector<float>;

/// The bits of targets without AMX.
Bits plain(AttentionCase &c) {
  return run(JitGraph(textOf(c), jitTargets().front()), c, 1000);
}
Bits tiled(AttentionCase &c) {
  JitGraph graph(textOf(c), amxTarget(3));
  EXPECT_TRUE(graph.usesTiles()) << c.name;
  return run(graph, c, 1000);
}

/// A row of a head of a result in the straight order.
Bits rowOf(const AttentionCase &c, const Bits &result, int64_t head,
           int64_t row) {
  auto first = result.begin() + (head * c.rows + row) * c.valueDepth;
  return Bits(first, first + c.valueDepth);
}

TEST_F(TiledScores, OddSizes) {
  std::vector<AttentionCase> cases;
  std::string text;
  for (int64_t rows : {65, 131})
    for (auto [keys, depth] :
         {std::pair<int64_t, int64_t>{1, 26}, {64, 32}, {200, 50}, {200, 64}}) {
      AttentionCase c = sized("f" + std::to_string(cases.size()), rows, keys,
                              depth, depth % 4 ? 40 : 21);
      c.unknown = cases.size() % 2;
      text += textOf(c);
      cases.push_back(c);
    }
  JitGraph tiles(text, amxTarget(3)), others(text, jitTargets().front());
  EXPECT_TRUE(tiles.usesTiles());
  for (AttentionCase &c : cases) {
    Bits found = run(tiles, c, 1000);
    compare(c, found);
    // One key has the weight one, whatever its score.
    EXPECT_EQ(sameBits(found, run(others, c, 1000)), c.keys == 1) << c.name;
    EXPECT_TRUE(sameBits(found, run(tiles, c, 1))) << c.name;
  }
}

TEST_F(TiledScores, MasksOrdersAndGroupedHeads) {
  for (auto mask : {Mask::Added, Mask::AddedPerKey, Mask::Bools}) {
    AttentionCase c = sized("f", 70, 150, 32, 33);
    c.batch = 2;
    c.mask = mask;
    c.heads = 3 * c.sharedHeads;
    c.queryOrder = c.resultOrder = {0, 2, 1, 3};
    c.keyOrder = {0, 1, 3, 2};
    c.valueOrder = {1, 2, 0, 3};
    draw(c);
    compare(c, tiled(c));
  }
}

TEST_F(TiledScores, FewRowsHaveTheBitsOfOtherTargets) {
  for (int64_t rows : {1, 64}) {
    AttentionCase c = sized("f", rows, 130, 32, 32);
    c.unknown = true;
    EXPECT_TRUE(sameBits(tiled(c), plain(c))) << rows;
  }
}

TEST_F(TiledScores, WhatTilesCannotMultiplyHasTheBitsOfOtherTargets) {
  for (float great : {0x1p31f, infinity, -infinity, quietNan}) {
    AttentionCase c = sized("f", 100, 150, 32, 32);
    // The scores of a finite great element are not great.
    for (int64_t key = 0; key < 2 * c.keys; ++key)
      c.key[key * c.depth + 5] *= 0x1p-31f;
    Bits before = tiled(c);
    c.query[(100 + 37) * c.depth + 5] = great;
    Bits found = tiled(c), expected = plain(c);
    EXPECT_TRUE(sameBits(rowOf(c, found, 1, 37), rowOf(c, expected, 1, 37)));
    for (int64_t row = 0; row < c.rows; ++row)
      if (row != 37)
        EXPECT_TRUE(sameBits(rowOf(c, found, 1, row), rowOf(c, before, 1, row)))
            << row;
    // All keys of the head are in one block with the great one.
    AttentionCase keys = sized("f", 100, 50, 32, 32);
    for (int64_t row = 0; row < 2 * keys.rows; ++row)
      keys.query[row * keys.depth + 31] *= 0x1p-31f;
    keys.key[(50 + 7) * keys.depth + 31] = great;
    found = tiled(keys), expected = plain(keys);
    for (int64_t row = 0; row < keys.rows; ++row) {
      EXPECT_TRUE(
          sameBits(rowOf(keys, found, 1, row), rowOf(keys, expected, 1, row)))
          << row;
    }
    EXPECT_FALSE(sameBits(found, expected));
  }
}

TEST_F(TiledScores, TinyNumbersHaveTinyErrors) {
  AttentionCase c = sized("f", 70, 70, 64, 32);
  for (size_t i = 0; i < c.query.size(); ++i)
    c.query[i] *= i % 3 ? 0x1p30f / 8 : 0x1p-120f;
  for (size_t i = 0; i < c.key.size(); ++i)
    c.key[i] *= i % 3 ? 0x1p-30f : 0x1p-149f;
  compare(c, tiled(c));
}

TEST_F(TiledScores, RowsDoNotDependOnOthers) {
  AttentionCase c = sized("f", 133, 130, 64, 48);
  Bits all = tiled(c);
  // Row 120 of the first head becomes row 3 of a shorter one.
  AttentionCase moved = sized("f", 66, 130, 64, 48);
  moved.key = c.key;
  moved.value = c.value;
  std::copy_n(c.query.begin() + 120 * c.depth, c.depth,
              moved.query.begin() + 3 * c.depth);
  EXPECT_TRUE(
      sameBits(rowOf(moved, tiled(moved), 0, 3), rowOf(c, all, 0, 120)));
}

} // namespace
