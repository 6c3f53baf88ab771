// Tests attention against its definition in f64, with odd sizes, orders, masks
// and values that are not finite. Results must have equal bits for all vector
// widths and task ranges, and must not depend on other rows or on masked keys.
#include "test/unit/attention/AttentionCase.h"

#include "gtest/gtest.h"
#include <cmath>
#include <functional>
#include <limits>

using namespace tenon;

namespace {

using Case = AttentionCase;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Expects equal and correct bits for all targets and task ranges. Returns the
/// results, in the order of the cases.
std::vector<std::vector<float>> check(std::vector<Case> cases) {
  std::string text;
  for (const Case &c : cases)
    text += textOf(c);
  std::vector<std::vector<float>> first;
  for (JitTarget target : jitTargets()) {
    JitGraph graph(text, target);
    for (size_t i = 0; i < cases.size(); ++i)
      for (int64_t step : {1, 3}) {
        std::vector<float> result = run(graph, cases[i], step);
        if (first.size() == i) {
          compare(cases[i], result);
          first.push_back(result);
        }
        EXPECT_TRUE(sameBits(first[i], result))
            << cases[i].name << " on " << target.cpu << ", tasks by " << step;
      }
  }
  return first;
}

TEST(Attention, OddSizes) {
  std::vector<Case> cases;
  for (int64_t rows : {1, 6, 13, 131})
    for (int64_t keys : {1, 65, 192, 200})
      cases.push_back(sized("f" + std::to_string(cases.size()), rows, keys,
                            rows % 2 ? 17 : 64, keys % 2 ? 64 : 21));
  // The exponentials of the next tile are computed during part of the values'
  // columns.
  cases.push_back(sized("wide", 43, 130, 16, 136));
  check(cases);
}

TEST(Attention, NoKeysAverageToZero) { check({sized("none", 7, 0, 8, 8)}); }

TEST(Attention, UnknownExtents) {
  std::vector<Case> cases;
  for (int64_t rows : {0, 1, 7, 70})
    for (int64_t keys : {0, 1, 63, 64, 130}) {
      Case c = sized("f" + std::to_string(cases.size()), rows, keys, 20, 40);
      c.unknown = true;
      c.batch = 2;
      c.mask = rows == 7    ? Mask::AddedPerKey
               : rows == 70 ? Mask::Added
                            : Mask::None;
      draw(c);
      cases.push_back(c);
    }
  check(cases);
}

TEST(Attention, OrdersAndGroupedHeads) {
  std::vector<Case> cases;
  for (int64_t group : {1, 3})
    for (int64_t rows : {1, 40}) {
      Case c = sized("f" + std::to_string(cases.size()), rows, 70, 24, 33);
      c.batch = 2;
      c.sharedHeads = 2;
      c.heads = 2 * group;
      c.queryOrder = c.resultOrder = {0, 2, 1, 3};
      cases.push_back(c);
      c.name += "_keys";
      c.keyOrder = {0, 1, 3, 2}; // depth before keys
      c.valueOrder = {1, 2, 0, 3};
      cases.push_back(c);
      c.name += "_values";
      c.valueOrder = {0, 1, 3, 2};
      c.resultOrder = {3, 2, 0, 1}; // depth is not innermost
      c.causal = 70 - rows;
      cases.push_back(c);
    }
  for (Case &c : cases)
    draw(c);
  check(cases);
}

TEST(Attention, NarrowFloats) {
  std::vector<Case> cases;
  for (const char *element : {"f16", "bf16"}) {
    Case c = sized(element, 20, 70, 32, 40);
    c.element = element;
    c.causal = 30;
    // Only one rounding of the result counts: the inputs have few bits.
    c.tolerance = element[0] == 'b' ? 4e-3 : 5e-4;
    for (auto *values : {&c.query, &c.key, &c.value})
      for (float &value : *values)
        value = std::round(value * 32) / 64;
    cases.push_back(c);
  }
  check(cases);
}

TEST(Attention, Masks) {
  std::vector<Case> cases;
  for (Mask mask : {Mask::Added, Mask::AddedPerKey, Mask::Bools})
    for (float fill : {-1e4f, -infinity}) {
      Case c = sized("f" + std::to_string(cases.size()), 23, 150, 32, 32);
      c.mask = mask;
      c.fill = fill;
      draw(c);
      // One row sees no key; another sees none of the first block.
      for (int64_t k = 0; k < c.keys; ++k) {
        bool all = mask == Mask::AddedPerKey;
        if (!all)
          c.bools[3 * c.keys + k] = 0;
        if (!all)
          c.added[3 * c.keys + k] = -infinity;
        if (k < 70)
          c.added[(all ? 0 : 5 * c.keys) + k] = -infinity;
        if (k < 70 && !all)
          c.bools[5 * c.keys + k] = 0;
      }
      cases.push_back(c);
    }
  check(cases);
}

TEST(Attention, Causal) {
  std::vector<Case> cases;
  for (int64_t offset : {0, 60, -70})
    for (float fill : {-1e9f, -infinity, -1.0f}) {
      Case c = sized("f" + std::to_string(cases.size()), 130, 170, 16, 16);
      c.causal = offset;
      c.fill = fill;
      c.mask = fill == -1.0f ? Mask::Added : Mask::None;
      draw(c);
      cases.push_back(c);
    }
  Case grouped = sized("grouped", 50, 190, 16, 16);
  grouped.heads = 6;
  grouped.causal = 20;
  draw(grouped);
  cases.push_back(grouped);
  // The added mask lifts a filled score above all visible ones.
  Case lifted = sized("lifted", 10, 170, 16, 16);
  lifted.causal = 0;
  lifted.fill = -200;
  lifted.mask = Mask::Added;
  draw(lifted);
  for (int64_t row = 0; row < 2 * lifted.rows; ++row)
    lifted.added[row * lifted.keys + 150] = 300;
  cases.push_back(lifted);
  check(cases);
}

TEST(Attention, OneRowReadsKeysAndValuesInPlace) {
  std::vector<Case> cases;
  for (int64_t keys : {1, 64, 150})
    for (Mask mask : {Mask::None, Mask::Bools}) {
      Case c = sized("f" + std::to_string(cases.size()), 1, keys, 32, 64);
      c.mask = mask;
      c.keyOrder = {0, 2, 1, 3};
      if (mask == Mask::None)
        c.causal = keys - 20;
      draw(c);
      if (keys == 150) // masked: has an effect only if it is not finite
        c.value[149 * c.valueDepth] = infinity;
      cases.push_back(c);
    }
  check(cases);
}

TEST(Attention, NotFinite) {
  std::vector<Case> cases;
  auto add = [&](std::function<void(Case &)> change) {
    Case c = sized("f" + std::to_string(cases.size()), 20, 140, 16, 16);
    c.causal = 10;
    draw(c);
    change(c);
    cases.push_back(c);
  };
  add([](Case &c) { c.query[5 * c.depth] = nan; });
  add([](Case &c) { c.key[3 * c.depth + 1] = nan; });
  add([](Case &c) { c.key[3 * c.depth + 1] = infinity; });
  // Masked keys have no effect. Masked values that are not finite do, because
  // zero times them is not zero.
  add([](Case &c) { c.key[130 * c.depth] = nan; });
  add([](Case &c) { c.value[130 * c.valueDepth] = infinity; });
  add([](Case &c) { c.value[2 * c.valueDepth] = nan; });
  add([](Case &c) { c.key[0] = c.query[0] = 1e18f; });
  check(cases);
}

TEST(Attention, RowsDoNotDependOnTheirNeighboursOrUnseenKeys) {
  Case whole = sized("whole", 75, 75, 48, 40);
  whole.causal = 0;
  draw(whole);
  std::vector<Case> cases{whole};
  for (int64_t row : {0, 5, 63, 64, 74}) {
    // The row on its own, with the keys it sees: a decoding step.
    Case alone = sized("row" + std::to_string(row), 1, row + 1, 48, 40);
    for (int64_t h = 0; h < 2; ++h) {
      auto copy = [&](const std::vector<float> &from, std::vector<float> &to,
                      int64_t first, int64_t rows, int64_t width) {
        for (int64_t i = 0; i < rows * width; ++i)
          to[h * rows * width + i] = from[(h * 75 + first) * width + i];
      };
      copy(whole.query, alone.query, row, 1, 48);
      copy(whole.key, alone.key, 0, row + 1, 48);
      copy(whole.value, alone.value, 0, row + 1, 40);
    }
    cases.push_back(alone);
  }
  std::vector<std::vector<float>> results = check(cases);
  for (size_t i = 1; i < cases.size(); ++i)
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t d = 0; d < 40; ++d)
        EXPECT_EQ(results[i][h * 40 + d],
                  results[0][(h * 75 + cases[i].keys - 1) * 40 + d]);
}

} // namespace
