// Tests percentiles of measured times, and the sweeps of `tenon bench`.
#include "tools/tenon/Statistics.h"

#include <gtest/gtest.h>

using namespace tenon::cli;

namespace {

TEST(Statistics, PercentilesAreMeasuredTimes) {
  std::vector<double> seconds;
  for (int i = 100; i >= 1; --i)
    seconds.push_back(i);
  TimeStatistics s = summarize(seconds);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.p50, 50);
  EXPECT_EQ(s.p95, 95);
  EXPECT_EQ(s.p99, 99);
  EXPECT_EQ(s.mean, 50.5);
  EXPECT_NEAR(s.deviation, 29.0115, 1e-4);
}

TEST(Statistics, OneMeasurementIsAllOfThem) {
  TimeStatistics s = summarize({3});
  EXPECT_EQ(s.p50, 3);
  EXPECT_EQ(s.p99, 3);
  EXPECT_EQ(s.deviation, 0);
  EXPECT_EQ(summarize({}).p50, 0);
}

std::vector<int64_t> sweep(const char *text) {
  std::vector<int64_t> numbers;
  if (!parseSweep(text, 1024, numbers))
    numbers = {-1};
  return numbers;
}

TEST(Statistics, Sweeps) {
  using List = std::vector<int64_t>;
  EXPECT_EQ(sweep("1,8"), (List{1, 8}));
  EXPECT_EQ(sweep("1-32*2"), (List{1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(sweep("1-4+1"), (List{1, 2, 3, 4}));
  EXPECT_EQ(sweep("2-4,9"), (List{2, 3, 4, 9}));
  EXPECT_EQ(sweep("1-8*3"), (List{1, 3}));
  for (const char *bad : {"", "0", "1,", "a", "4-1", "1-4*1", "1-4+0", "2000",
                          "1-4x", "1--2", "-1"})
    EXPECT_EQ(sweep(bad), List{-1}) << bad;
}

} // namespace
