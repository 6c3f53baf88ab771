// Tiles of depthwise convolutions: all columns once, from left to right, and
// no tile that is called inner has a tap outside.
#include "passes/cpu/depthwise/DepthwiseTile.h"

#include "test/unit/Machines.h"
#include "gtest/gtest.h"

using namespace tenon;

namespace {
int64_t resultOf(const ColumnWindow &window, int64_t high) {
  return (*window.input + window.low + high -
          (window.taps - 1) * window.dilation - 1) /
             window.stride +
         1;
}

void checkRuns(const ColumnWindow &window, int64_t columns,
               const std::vector<ColumnRun> &runs) {
  int64_t next = 0;
  for (const ColumnRun &run : runs) {
    EXPECT_EQ(run.first, next);
    EXPECT_LE(run.columns, columns);
    next += run.columns * run.tiles;
    for (int64_t column = run.first; run.inner && column < next; ++column)
      for (int64_t tap = 0; tap < window.taps; ++tap)
        EXPECT_TRUE(window.fits(column, tap)) << column << " " << tap;
  }
  EXPECT_EQ(next, *window.result);
}
} // namespace

TEST(DepthwiseTile, RunsCoverEachColumnOnce) {
  int64_t written = 0;
  for (int64_t input : {1, 5, 7, 14, 29, 56, 112})
    for (int64_t taps : {1, 3, 5, 7})
      for (int64_t stride : {1, 2, 3})
        for (int64_t dilation : {1, 2})
          for (int64_t pad : {0, 1, 3}) {
            ColumnWindow window{taps, stride, dilation, pad, input, {}};
            if (input + 2 * pad < (taps - 1) * dilation + 1)
              continue;
            window.result = resultOf(window, pad);
            for (int64_t vectorBytes : {32, 64}) {
              int64_t columns =
                  planDepthwise(window, taps * taps, 1, 96, vectorBytes / 4,
                                machineWith(vectorBytes))
                      .getColumns();
              std::vector<ColumnRun> runs = columnRuns(window, columns);
              if (runs.empty())
                continue;
              ++written;
              checkRuns(window, columns, runs);
            }
          }
  EXPECT_GT(written, 500);
}

TEST(DepthwiseTile, BordersAreFew) {
  ColumnWindow window{3, 1, 1, 1, 112, 112};
  std::vector<ColumnRun> runs = columnRuns(
      window,
      planDepthwise(window, 9, 1, 64, 16, machineWith(64)).getColumns());
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_FALSE(runs[0].inner);
  EXPECT_TRUE(runs[1].inner);
  EXPECT_FALSE(runs[2].inner);
  EXPECT_EQ(runs[1].tiles * runs[1].columns, 96);
}

TEST(DepthwiseTile, UnknownWidthsHaveNoRuns) {
  ColumnWindow window{3, 1, 1, 1, {}, {}};
  EXPECT_TRUE(columnRuns(window, 8).empty());
  // The border is so wide that it would be unrolled tile by tile.
  ColumnWindow wide{3, 1, 90, 90, 200, 200};
  EXPECT_TRUE(columnRuns(wide, 8).empty());
}

TEST(DepthwiseTile, ChannelsAreWholeVectors) {
  for (int64_t channels : {1, 16, 24, 200, 960, 5000}) {
    ColumnWindow window{5, 1, 1, 2, 28, 28};
    DepthwisePlanAttr plan =
        planDepthwise(window, 25, 1, channels, 16, machineWith(64));
    EXPECT_EQ(plan.getChannels() % 16, 0);
    EXPECT_GE(plan.getChannels(), 16);
    EXPECT_GE(plan.getRows(), 1);
  }
}
