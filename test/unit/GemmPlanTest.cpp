// Tests the plans of contractions in register tiles: which columns are packed,
// which sums are computed in pieces, and how the plan depends on the machine.
#include "passes/cpu/gemm/GemmPlan.h"

#include "test/unit/Machines.h"
#include "gtest/gtest.h"

using namespace tenon;

namespace {
/// A product with a weight in panels that are one AVX-512 vector wide.
NestFacts product(std::optional<int64_t> rows, int64_t columns, int64_t sum) {
  NestFacts facts;
  facts.size = {1, rows, columns, sum, rows.value_or(1)};
  facts.depth = sum;
  facts.block = sum > 128 ? 128 : 0;
  facts.panelWidth = 16;
  return facts;
}

/// A product of these extents whose columns are not packed.
NestFacts unpacked(int64_t rows, int64_t columns, int64_t sum) {
  NestFacts facts = product(rows, columns, sum);
  facts.panelWidth.reset();
  return facts;
}
} // namespace

TEST(GemmPlan, DeepSumsAreComputedPieceByPiece) {
  MachineAttr machine = machineWith(64);
  EXPECT_EQ(planGemm(product(128, 768, 768), machine).getPiece(), 128);
  EXPECT_EQ(planGemm(product(128, 768, 256), machine).getPiece(), 0);
  EXPECT_EQ(planGemm(product(1, 768, 768), machine).getPiece(), 0);
  // The partial sums on the stack fit L1.
  TilePlanAttr plan = planGemm(product(512, 768, 3072), machine);
  EXPECT_LE(plan.getSharedRows() * plan.getVectors() * 64, machine.l1Bytes());
}

TEST(GemmPlan, ColumnsArePackedWhereTheyLieBadly) {
  MachineAttr machine = machineWith(64);
  NestFacts across = unpacked(128, 64, 64);
  EXPECT_FALSE(planGemm(across, machine).getPack());
  across.columnsContiguous = false;
  EXPECT_TRUE(planGemm(across, machine).getPack());
  EXPECT_EQ(planGemm(across, machine).getPiece(), 0);
  // A large operand is packed for many rows.
  EXPECT_TRUE(planGemm(unpacked(128, 1024, 1024), machine).getPack());
  EXPECT_FALSE(planGemm(unpacked(8, 1024, 1024), machine).getPack());
  EXPECT_FALSE(planGemm(product(128, 1024, 1024), machine).getPack());
}

TEST(GemmPlan, PackedPiecesAreWholeBlocks) {
  MachineAttr machine = machineWith(64);
  NestFacts facts = unpacked(128, 1024, 4096);
  EXPECT_EQ(planGemm(facts, machine).getPiece(), 128);
  facts.block = 0;
  int64_t width = planGemm(facts, machine).getVectors() * 16;
  EXPECT_EQ(planGemm(facts, machine).getPiece(),
            machine.l1Bytes() / (4 * width) / 16 * 16);
}

TEST(GemmPlan, FewerRegistersAreSmallerTiles) {
  NestFacts facts = product(128, 768, 768);
  for (int64_t vectorBytes : {16, 32}) {
    TilePlanAttr plan = planGemm(facts, machineWith(vectorBytes));
    EXPECT_LE(plan.getRows() * plan.getVectors(), 12) << vectorBytes;
  }
  TilePlanAttr plan = planGemm(facts, machineWith(64));
  EXPECT_GT(plan.getRows() * plan.getVectors(), 12);
}

TEST(GemmPlan, ASmallerCachePacksLargeOperandsSooner) {
  NestFacts facts = unpacked(128, 256, 512);
  MachineAttr machine = machineWith(64);
  auto small =
      MachineAttr::get(&tenonContext(), 64, 32, {16 << 10, 128 << 10, 1 << 20},
                       64, 256 << 10, 0, false, 0, false, false, false, false);
  EXPECT_FALSE(planGemm(facts, machine).getPack());
  EXPECT_TRUE(planGemm(facts, small).getPack());
}

// Six vectors of words, a broadcast and three rows fill the registers. Without
// the broadcast a fourth row fits.
TEST(GemmPlan, RowsWithoutBroadcastsFitFourTimes) {
  NestFacts facts = product({}, 768, 768);
  facts.panelWidth = 96;
  facts.converted = facts.onlyRhsConverted = true;
  MachineAttr costly =
      MachineAttr::x86(&tenonContext(), 64, {.costlyBroadcasts = true});
  EXPECT_EQ(planGemm(facts, machineWith(64)).getRows(), 3);
  EXPECT_EQ(planGemm(facts, costly).getRows(), 4);
  facts.onlyRhsConverted = false;
  EXPECT_EQ(planGemm(facts, costly).getRows(), 3);
}

TEST(GemmPlan, HalvesAreOfPlainPanels) {
  MachineAttr machine = machineWith(64);
  NestFacts facts = product(3136, 24, 72);
  EXPECT_TRUE(planGemm(facts, machine).getHalves());
  facts.converted = true;
  EXPECT_FALSE(planGemm(facts, machine).getHalves());
}
