// Tests non-maximum suppression of runtime/core, compiled as ordinary C,
// against its definition.
extern "C" {
#include "runtime/core/core.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace {

TEST(NonMaxSuppression, TakesTheBestAndSkipsWhatOverlaps) {
  const float boxes[] = {0, 0, 1, 1, 1, 1.1f, 0, 0.1f, 0, 2, 1, 3, 0, 2, 1, 3};
  const float scores[] = {0.5f, 0.9f, 0.7f, NAN};
  int64_t selected[12];
  ASSERT_EQ(tenon_core_nms(boxes, scores, 1, 1, 4, 4, 0.5f, 0.0f, 0, selected),
            2);
  EXPECT_EQ(selected[2], 1);
  EXPECT_EQ(selected[5], 2);
  EXPECT_EQ(tenon_core_nms(boxes, scores, 1, 1, 4, 1, 0.5f, 0.0f, 0, selected),
            1);
  EXPECT_EQ(tenon_core_nms(boxes, scores, 1, 1, 4, 4, 0.5f, 0.8f, 0, selected),
            1);
}

struct Case {
  int64_t batches, classes, count, limit;
  float iouThreshold, scoreThreshold;
  int32_t center;
  std::vector<float> boxes, scores;
};

/// Low and high ends of a box.
struct Ends {
  float low[2], high[2];
  Ends(const float *at, bool center) {
    for (int d = 0; d < 2; ++d) {
      // A box by its center has x before y.
      float a = center ? at[1 - d] - at[3 - d] / 2 : at[d],
            b = center ? at[1 - d] + at[3 - d] / 2 : at[2 + d];
      low[d] = std::min(a, b);
      high[d] = std::max(a, b);
    }
  }
  float area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
};

bool overlap(const Ends &a, const Ends &b, float threshold) {
  float sides[2];
  for (int d = 0; d < 2; ++d)
    sides[d] = std::min(a.high[d], b.high[d]) - std::max(a.low[d], b.low[d]);
  if (sides[0] <= 0 || sides[1] <= 0)
    return false;
  float common = sides[0] * sides[1];
  return common / (a.area() + b.area() - common) > threshold;
}

/// The definition: each candidate against all boxes taken before it.
std::vector<int64_t> expected(const Case &c) {
  std::vector<int64_t> selected;
  for (int64_t batch = 0; batch < c.batches; ++batch)
    for (int64_t cls = 0; cls < c.classes; ++cls) {
      const float *scores =
          c.scores.data() + (batch * c.classes + cls) * c.count;
      std::vector<int64_t> candidates;
      for (int64_t i = 0; i < c.count; ++i)
        if (scores[i] > c.scoreThreshold)
          candidates.push_back(i);
      std::sort(candidates.begin(), candidates.end(),
                [&](int64_t a, int64_t b) {
                  return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
                });
      std::vector<Ends> taken;
      for (int64_t candidate : candidates) {
        if (int64_t(taken.size()) >= c.limit)
          break;
        Ends ends(c.boxes.data() + (batch * c.count + candidate) * 4, c.center);
        if (std::any_of(taken.begin(), taken.end(), [&](const Ends &other) {
              return overlap(ends, other, c.iouThreshold);
            }))
          continue;
        taken.push_back(ends);
        selected.insert(selected.end(), {batch, cls, candidate});
      }
    }
  return selected;
}

void check(const Case &c) {
  std::vector<int64_t> want = expected(c),
                       got(size_t(c.batches * c.classes * c.count * 3));
  int64_t total = tenon_core_nms(c.boxes.data(), c.scores.data(), c.batches,
                                 c.classes, c.count, c.limit, c.iouThreshold,
                                 c.scoreThreshold, c.center, got.data());
  got.resize(size_t(total * 3));
  EXPECT_EQ(got, want) << c.count << " boxes, at most " << c.limit
                       << ", threshold " << c.iouThreshold << ", center "
                       << c.center;
}

// Sizes around those of one and of several batches. Scores are of few levels,
// so that many are equal, or all different and rising, so that each candidate
// comes before all earlier ones.
TEST(NonMaxSuppression, IsItsDefinition) {
  unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 draws(seed);
  std::uniform_real_distribution<float> place(0, 30), side(-3, 3);
  for (int64_t count : {0, 1, 7, 511, 512, 513, 1024, 1025, 1800})
    for (float threshold : {-1.0f, 0.3f, 1.0f})
      for (int levels : {0, 2, 40}) {
        Case c{2,
               2,
               count,
               levels == 2 ? 20 : count,
               threshold,
               0.2f,
               int32_t(draws() % 2),
               {},
               {}};
        for (int64_t i = 0; i < 2 * count; ++i) {
          float x = place(draws), y = place(draws);
          if (c.center)
            c.boxes.insert(c.boxes.end(), {x, y, side(draws), side(draws)});
          else
            c.boxes.insert(c.boxes.end(),
                           {y, x, y + side(draws), x + side(draws)});
        }
        for (int64_t i = 0; i < 4 * count; ++i) {
          float level = levels ? float(int(draws() % unsigned(levels)))
                               : float(i % std::max<int64_t>(count, 1));
          uint32_t kind = draws() % 50;
          c.scores.push_back(kind == 0   ? NAN
                             : kind == 1 ? INFINITY
                             : kind == 2 ? -INFINITY
                                         : level);
        }
        check(c);
      }
}

// Zeros of both signs are equal scores.
TEST(NonMaxSuppression, EqualScoresGoByPlace) {
  Case c{1,
         1,
         3,
         3,
         0.5f,
         -1,
         0,
         {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5},
         {-0.0f, 0.0f, -0.0f}};
  check(c);
}

} // namespace
