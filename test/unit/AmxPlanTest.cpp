// Plans of contractions in AMX tiles: which forms fit, in how many parts, and
// that the stack holds a task.
#include "passes/cpu/amx/AmxPlan.h"

#include "test/unit/Machines.h"
#include "gtest/gtest.h"

using namespace tenon;

namespace {
NestFacts product(std::optional<int64_t> rows, int64_t columns, int64_t sum) {
  NestFacts facts;
  facts.size = {1, rows, columns, sum, rows.value_or(1)};
  facts.depth = sum;
  facts.lhsStep = 1;
  facts.panelWidth = 16;
  return facts;
}

AmxPlanAttr planned(const NestFacts &facts, int64_t tiles = 3) {
  return planAmx(facts, machineWith(64, tiles), {});
}
} // namespace

TEST(AmxPlan, SmallProductsDoNotFit) {
  EXPECT_TRUE(planned(product(128, 768, 768)));
  EXPECT_TRUE(planned(product({}, 768, 768)));
  EXPECT_FALSE(planned(product(64, 768, 768))); // splitting takes longer
  EXPECT_FALSE(planned(product(128, 40, 768)));
  EXPECT_FALSE(planned(product(128, 768, 40)));
  EXPECT_FALSE(planned(product(128, 31, 768)));
  EXPECT_FALSE(planned(product(128, 768, 31)));
  EXPECT_FALSE(planned(product(128, 768, 768), 0));
}

TEST(AmxPlan, OtherFormsDoNotFit) {
  NestFacts across = product(128, 768, 768), window = across, last = across;
  across.lhsStep = 2;
  window.isChain = false; // one product a tap
  window.depth = 1;
  last.columnIsLast = false;
  for (const NestFacts &facts : {across, window, last})
    EXPECT_FALSE(planned(facts));
}

TEST(AmxPlan, APieceIsWholeGroupsWithAScale) {
  NestFacts facts = product(128, 768, 768);
  facts.scaled = true;
  facts.rhsParts = 1;
  for (int64_t group : {32, 96, 128}) {
    facts.block = group;
    ASSERT_TRUE(planned(facts)) << group;
    EXPECT_EQ(planned(facts).getDepth() % group, 0) << group;
  }
  facts.block = 48; // one step and a half
  EXPECT_FALSE(planned(facts));
  facts.block = 512; // too large for L1
  EXPECT_FALSE(planned(facts));
}

TEST(AmxPlan, WindowsFitIfTheirTapsFillSteps) {
  NestFacts facts = product(3136, 64, 9 * 64);
  facts.isChain = false;
  facts.depth = 64;
  ASSERT_TRUE(planned(facts));
  EXPECT_EQ(planned(facts).getDepth(), 64);
  EXPECT_GT(planned(facts).getTaps(), 1);
  facts.sumsAreOneRun = false;
  EXPECT_FALSE(planned(facts));
  facts.sumsAreOneRun = true;
  facts.size.sum = 9 * 40;
  facts.depth = 40; // 40 of 64
  EXPECT_FALSE(planned(facts));
}

TEST(AmxPlan, BytesNeedTilesOfBytes) {
  NestFacts facts = product(128, 768, 192);
  facts.quads = true;
  facts.lhsStep = 4;
  facts.sumIsF32 = false;
  facts.lhsParts = facts.rhsParts = 0;
  EXPECT_FALSE(planned(facts));
  MachineAttr bytes =
      MachineAttr::x86(&tenonContext(), 64, {.byteTiles = true, .quads = true});
  ASSERT_TRUE(planAmx(facts, bytes, {}));
  EXPECT_TRUE(planAmx(facts, bytes, {}).getLhsInPlace());
  EXPECT_FALSE(planAmx(product(128, 768, 768), bytes, {}));
}

TEST(AmxPlan, PartsAreThoseOfTheTypes) {
  NestFacts facts = product(128, 768, 768);
  EXPECT_EQ(planned(facts).getLhsParts(), 3);
  EXPECT_EQ(planned(facts).getOrder(), 2);
  EXPECT_EQ(planned(facts, 2).getOrder(), 1);
  facts.rhsParts = 1; // bf16
  EXPECT_EQ(planned(facts).getRhsParts(), 1);
  facts.lhsParts = 2; // f16: no product is left out
  EXPECT_EQ(planned(facts, 1).getLhsParts(), 2);
  EXPECT_EQ(planned(facts, 1).getOrder(), 2);
}

TEST(AmxPlan, PairsInWholeTilesAreReadInPlace) {
  NestFacts facts = product(128, 768, 384);
  facts.pairs = true;
  facts.lhsStep = 2;
  facts.lhsParts = 1;
  facts.rhsParts = 0;
  EXPECT_TRUE(planned(facts).getLhsInPlace());
  EXPECT_TRUE(planned(facts).getRhsInPlace());
  facts.size.rows = 100; // the last tile repeats rows
  EXPECT_TRUE(planned(facts).getLhsInPlace());
  facts.hasRowStride = false;
  EXPECT_FALSE(planned(facts).getLhsInPlace());
  facts.size.rows = 15; // a tile has sixteen
  EXPECT_FALSE(planned(facts));
  facts.size.rows = 100;
  facts.size.sum = facts.depth = 380;
  EXPECT_FALSE(planned(facts).getRhsInPlace());
}

TEST(AmxPlan, TheStackHoldsATask) {
  for (int64_t parts : {1, 2, 3})
    for (std::optional<int64_t> rows :
         {std::optional<int64_t>(), {70}, {128}, {1000}})
      for (int64_t columns : {128, 768, 3072, 50257}) {
        AmxPlanAttr plan = planned(product(rows, columns, 768), parts);
        int64_t depth = plan.getDepth(),
                all = plan.getBlockColumns() * plan.getTasks(),
                bytes = plan.getBlockRows() *
                            (all * 4 + depth * parts * 2 + 2 * amxTile * 4) +
                        2 * amxPanel * depth * parts * 2 + all * 2 * 4;
        EXPECT_LE(bytes, machineWith(64, parts).getTileStack() - (48 << 10));
      }
}

TEST(AmxPlan, DeepSumsOfOpenImagesHaveFewTasks) {
  auto columns = [](int64_t sum, bool image) {
    NestFacts facts = product({}, 512, sum);
    facts.size.isOpenImage = image;
    return planned(facts).getBlockColumns();
  };
  EXPECT_EQ(columns(512, true), 64);
  EXPECT_EQ(columns(18432, true), 256);
  EXPECT_EQ(columns(18432, false), 64);
}

TEST(AmxPlan, OpenRowsHaveAPlanForFew) {
  MachineAttr machine = machineWith(64, 3);
  auto few =
      TilePlanAttr::get(&tenonContext(), 4, 1, 4, 16, 4, 0, false, false);
  EXPECT_EQ(planAmx(product({}, 768, 768), machine, few).getFewRows(), few);
  EXPECT_FALSE(planAmx(product(128, 768, 768), machine, few).getFewRows());
}

TEST(AmxPlan, ColumnsOfOnePartGainFromSevenRowsOn) {
  auto withParts = [](std::optional<int64_t> rows, int64_t parts) {
    NestFacts facts = product(rows, 768, 768);
    facts.rhsParts = parts;
    return planned(facts);
  };
  EXPECT_FALSE(withParts(6, 1));
  EXPECT_TRUE(withParts(7, 1));
  EXPECT_FALSE(withParts(64, 2));
  AmxPlanAttr open = withParts({}, 1), one = open.getOneTile();
  ASSERT_TRUE(one);
  EXPECT_EQ(one.getBlockRows(), amxTile);
  EXPECT_EQ(one, withParts(16, 1)); // as if the number were known
  EXPECT_GT(open.getBlockRows(), amxTile);
  EXPECT_FALSE(withParts({}, 2).getOneTile());
}

TEST(AmxPlan, OneTileFindsRoomInTheMemoryOfMany) {
  for (int64_t columns : {64, 200, 768, 3072, 50257})
    for (int64_t sum : {256, 768, 3072}) {
      NestFacts facts = product({}, columns, sum);
      facts.rhsParts = 1;
      AmxPlanAttr many = planned(facts);
      if (!many)
        continue;
      auto sums = [](AmxPlanAttr plan) {
        return plan.getBlockRows() * plan.getBlockColumns() * plan.getTasks();
      };
      EXPECT_LE(sums(many.getOneTile()), sums(many)) << columns << " " << sum;
      EXPECT_EQ(many.getOneTile().getDepth(), many.getDepth());
    }
}
