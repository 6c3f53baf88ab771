// Tests the rows of attention tasks: there are enough tasks if there are enough
// rows, little is computed twice, and the memory of a task fits L2.
#include "passes/cpu/attention/AttentionPlan.h"

#include "test/unit/Machines.h"
#include "gtest/gtest.h"

using namespace tenon;

namespace {
AttentionSizes planned(int64_t heads, std::optional<int64_t> rows,
                       int64_t valueDepth = 64, bool causal = false,
                       int64_t vectorBytes = 64) {
  MachineAttr machine = machineWith(vectorBytes);
  return {planAttention({heads, rows, 64, valueDepth, causal}, machine),
          machine, 64, valueDepth};
}
} // namespace

TEST(AttentionPlan, ATaskPacksAHeadOnceWhereThereAreTasksEnough) {
  EXPECT_EQ(planned(12, 197).taskRows, 200);
  EXPECT_EQ(planned(12, 128).taskRows, 128);
  EXPECT_EQ(planned(2, 128).taskRows, 32);
  EXPECT_EQ(planned(1, 24).taskRows, 24);
  // One task computes all rows, so keys and values are joined once. PlanFusions
  // relies on this.
  for (int64_t rows = 1; rows <= 16; ++rows)
    EXPECT_GE(planned(8, rows, 4096).taskRows, rows);
}

TEST(AttentionPlan, RowsOfATaskStayInL2) {
  for (int64_t depth : {8, 64, 128, 1024})
    for (std::optional<int64_t> rows :
         {std::optional<int64_t>(), std::optional<int64_t>(4000)}) {
      AttentionSizes sizes = planned(12, rows, depth);
      EXPECT_LE(sizes.taskRows * (attentionBlock + sizes.valueWidth) * 4,
                machineWith(64).l2Bytes() / 2);
    }
}

TEST(AttentionPlan, TheStackHoldsWhatIsKeptAndPacked) {
  for (int64_t depth : {8, 64, 100, 256})
    for (int64_t vectorBytes : {16, 32, 64})
      for (bool causal : {false, true}) {
        MachineAttr machine = machineWith(vectorBytes);
        AttentionSizes sizes(
            planAttention({12, {}, depth, depth, causal}, machine), machine,
            depth, depth);
        int64_t ofRow = attentionBlock + sizes.valueWidth + attentionLanes + 4,
                ofBlock = attentionBlock * (depth + sizes.valueWidth);
        EXPECT_LE(4 * (ofBlock + sizes.scratchRows() * ofRow),
                  machine.getStack());
      }
}

TEST(AttentionPlan, TilesDivideTheRowsWhereTheyCan) {
  EXPECT_EQ(planned(12, 197).scoreRows, 6);
  EXPECT_EQ(planned(12, 128).scoreRows, 4);
  EXPECT_EQ(planned(12, 1).taskRows, 1);
  EXPECT_EQ(planned(12, 7).scoreRows, 4);
}

TEST(AttentionPlan, PowersGoBesideProductsWhereRegistersAreLeft) {
  EXPECT_TRUE(planned(12, 128).overlapped);
  EXPECT_FALSE(planned(12, 128, 64, true).overlapped);
  EXPECT_FALSE(planned(12, 128, 64, false, 32).overlapped);
  EXPECT_FALSE(planned(12, 5).overlapped);
  EXPECT_FALSE(planned(12, 128, 64, false, 16).overlapped);
}

TEST(AttentionPlan, TilesMultiplyManyRowsOfMostDepths) {
  auto tiles = [](std::optional<int64_t> rows, int64_t depth, bool tame = true,
                  bool causal = false, int64_t parts = 3) {
    AttentionFacts facts{12, rows, depth, depth, causal};
    facts.tameQueries = tame;
    return planAttention(facts, machineWith(64, parts)).getTiles();
  };
  EXPECT_TRUE(tiles(65, 64));
  EXPECT_TRUE(tiles({}, 80));
  EXPECT_TRUE(tiles(128, 256));
  EXPECT_FALSE(tiles(64, 64));
  EXPECT_FALSE(tiles(128, 40));
  EXPECT_FALSE(tiles(128, 288));
  EXPECT_FALSE(tiles(128, 64, false));
  EXPECT_FALSE(tiles(128, 64, true, true));
  EXPECT_FALSE(tiles(128, 64, true, false, 0));
}

TEST(AttentionPlan, TheStackOfTilesHoldsTheSplitQueries) {
  MachineAttr machine = machineWith(64, 3);
  for (int64_t depth : {32, 64, 256}) {
    AttentionFacts facts{12, {}, depth, depth};
    facts.tameQueries = true;
    AttentionSizes sizes(planAttention(facts, machine), machine, depth, depth);
    ASSERT_TRUE(sizes.tiles);
    int64_t ofRow =
                4 * (attentionBlock + sizes.valueWidth + attentionLanes + 4),
            ofBlock = (4 * 2 + 6) * attentionBlock * depth;
    EXPECT_LE(ofBlock + sizes.scratchRows() * ofRow +
                  sizes.tileRows() * 6 * depth,
              machine.getTileStack());
    EXPECT_GE(sizes.taskRows, 100);
  }
}

TEST(AttentionPlan, OperandsReadOnceAreNotPacked) {
  auto plan = [](int64_t rows, bool wholeKeys, bool wholeValues) {
    return planAttention({12, rows, 64, 64, false, wholeKeys, wholeValues},
                         machineWith(64));
  };
  EXPECT_TRUE(plan(1, true, true).getKeysInPlace());
  EXPECT_TRUE(plan(1, true, true).getValuesInPlace());
  EXPECT_FALSE(plan(1, false, false).getKeysInPlace());
  EXPECT_FALSE(plan(1, true, false).getValuesInPlace());
  EXPECT_TRUE(plan(2, true, true).getKeysInPlace());
  EXPECT_FALSE(plan(7, true, true).getKeysInPlace());
  EXPECT_FALSE(plan(128, true, true).getValuesInPlace());
}

TEST(AttentionPlan, RowsOfACausalTileAreThoseOfBothSteps) {
  for (std::optional<int64_t> rows : {std::optional<int64_t>(), {7}, {130}}) {
    AttentionSizes sizes = planned(12, rows, 64, true);
    EXPECT_EQ(sizes.scoreRows, sizes.valueRows);
  }
}
