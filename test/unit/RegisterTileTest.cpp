// Tiles and tasks of contractions over many sizes: what the kernels assume of
// them, whatever the machine.
#include "passes/cpu/tile/RegisterTile.h"

#include "test/unit/Machines.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <string>

using namespace tenon;

namespace {

std::string text(std::optional<int64_t> value) {
  return value ? std::to_string(*value) : "?";
}

/// Calls `body` with every size and layout, and the tile chosen for them.
template <typename Body> void forAllTiles(Body body) {
  const std::optional<int64_t> some[] = {
      std::nullopt, 0,  1,  2,   3,   4,   5,   7,    8,
      12,           13, 49, 128, 196, 255, 768, 50257};
  for (int64_t vectorBytes : {16, 32, 64})
    for (int64_t elementBytes : {4, 8})
      for (int64_t panelBytes : {0, 64, 128, 256, 384})
        for (std::optional<int64_t> rows : some)
          for (std::optional<int64_t> columns : some)
            for (bool scratch : {false, true}) {
              MachineAttr machine = machineWith(vectorBytes);
              int64_t lanes = machine.lanes(elementBytes);
              ColumnLayout layout{scratch && panelBytes == 0,
                                  panelBytes / elementBytes / lanes};
              ContractionSize size{1, rows, columns, 768};
              SCOPED_TRACE(text(rows) + " x " + text(columns) + ", " +
                           std::to_string(lanes) + " lanes, panels of " +
                           std::to_string(layout.panelVectors));
              body(machine, lanes, layout, size,
                   chooseTile(size, machine, lanes, layout));
            }
}

} // namespace

TEST(RegisterTile, NarrowColumnsHaveALineOfAShortImage) {
  auto rows = [](int64_t line) {
    ContractionSize size{{}, line * line, 16, 144};
    size.rowFactor = line * line;
    size.line = line;
    return chooseTile(size, machineWith(64), 16, {false, 1}).rows;
  };
  EXPECT_EQ(rows(7), 7);
  EXPECT_EQ(rows(14), 14);
  EXPECT_GT(rows(5), 7); // five chains would wait for one another
}

TEST(RegisterTile, FitsTheRegistersAndThePanels) {
  forAllTiles([](MachineAttr machine, int64_t, const ColumnLayout &layout,
                 const ContractionSize &size, RegisterTile tile) {
    EXPECT_GE(tile.rows, 1);
    EXPECT_GE(tile.vectors, 1);
    EXPECT_LE(tile.rows * tile.vectors, machine.accumulators());
    if (layout.panelVectors)
      EXPECT_TRUE(tile.vectors % layout.panelVectors == 0 ||
                  layout.panelVectors % tile.vectors == 0);
    if (size.rows && *size.rows > 0)
      EXPECT_LE(tile.rows, *size.rows);
  });
}

TEST(RegisterTile, TasksAreWholeTiles) {
  forAllTiles([](MachineAttr, int64_t lanes, const ColumnLayout &layout,
                 const ContractionSize &size, RegisterTile tile) {
    TaskBlock block = chooseBlock(size, machineWith(64), tile, lanes, layout);
    EXPECT_GE(block.rows, tile.rows);
    EXPECT_EQ(block.rows % tile.rows, 0);
    EXPECT_GE(block.columns, tile.vectors * lanes);
    EXPECT_EQ(block.columns % (tile.vectors * lanes), 0);
  });
}

TEST(RegisterTile, NoRowIsLeftOverWhereASmallerTileFits) {
  auto rowsOf = [](int64_t rows, int64_t vectorBytes) {
    int64_t lanes = vectorBytes / 4;
    return chooseTile({1, rows, 768, 768}, machineWith(vectorBytes), lanes,
                      {false, 16 / lanes})
        .rows;
  };
  EXPECT_EQ(rowsOf(128, 64), 8);
  EXPECT_EQ(rowsOf(49, 64), 7);
  EXPECT_EQ(rowsOf(13, 64), 8);
  EXPECT_EQ(rowsOf(18, 64), 6);
  EXPECT_EQ(rowsOf(8, 32), 4);
  EXPECT_EQ(rowsOf(12, 32), 6);
  // A dynamic batch of 7 x 7 positions has no remainder either.
  auto rowsOfMany = [](int64_t factor) {
    return chooseTile({1, std::nullopt, 768, 768, factor}, machineWith(64), 16,
                      {false, 1})
        .rows;
  };
  EXPECT_EQ(rowsOfMany(49), 7);
  EXPECT_EQ(rowsOfMany(3136), 8);
  EXPECT_EQ(rowsOfMany(12), 6);
  EXPECT_EQ(rowsOfMany(1), 8);
}

TEST(RegisterTile, WindowsFillLines) {
  auto rowsOf = [](int64_t height, int64_t width, int64_t columns) {
    return chooseTile({1, {}, columns, 27, height * width, width},
                      machineWith(64), 16, {false, 1})
        .rows;
  };
  EXPECT_EQ(rowsOf(112, 112, 16), 16);
  EXPECT_EQ(rowsOf(112, 112, 48), 8);
  EXPECT_EQ(rowsOf(28, 28, 48), 7);
  // No tile divides 31; whole tiles are better.
  EXPECT_EQ(rowsOf(32, 31, 48), 8);
  EXPECT_EQ(
      chooseTile({1, {}, 16, 27, 112 * 112}, machineWith(64), 16, {false, 1})
          .rows,
      8);
}

TEST(RegisterTile, FewRowsAreFewTiles) {
  // Smaller tiles would be as good if columns needed no loads.
  EXPECT_EQ(chooseTile({1, 8, 1024, 768}, machineWith(64), 16, {false, 1}).rows,
            8);
  EXPECT_EQ(
      chooseTile({1, 16, 1024, 768}, machineWith(64), 16, {false, 1}).rows, 8);
  EXPECT_EQ(chooseTile({1, 12, 768, 768}, machineWith(64), 16, {false, 1}).rows,
            12);
  EXPECT_EQ(
      chooseTile({1, 32, 1024, 768}, machineWith(64), 16, {false, 1}).rows, 4);
}

TEST(RegisterTile, FewColumnsAreOneTask) {
  ContractionSize size{1, 3136, 256, 64};
  EXPECT_EQ(chooseBlock(size, machineWith(64), {6, 4}, 16, {false, 1}).columns,
            256);
  EXPECT_EQ(chooseBlock(size, machineWith(64), {6, 4}, 16, {true, 0}).columns,
            64);
  size.sum = 576;
  EXPECT_EQ(chooseBlock(size, machineWith(64), {6, 4}, 16, {false, 1}).columns,
            64);
}

TEST(RegisterTile, RowsAreDividedForThreadsToKeep) {
  auto rowsOf = [](std::optional<int64_t> rows, int64_t columns, int64_t sum,
                   int64_t factor = 1) {
    ContractionSize size{1, rows, columns, sum, factor};
    ColumnLayout layout{false, 1};
    RegisterTile tile = chooseTile(size, machineWith(64), 16, layout);
    return chooseBlock(size, machineWith(64), tile, 16, layout).rows;
  };
  EXPECT_EQ(rowsOf(128, 768, 768), 64);
  EXPECT_EQ(rowsOf(512, 768, 3072), 64);
  EXPECT_EQ(rowsOf(1024, 4096, 4096), 128);
  EXPECT_EQ(rowsOf(3136, 64, 576), 196);   // 16 of 33 tiles, not 13
  EXPECT_EQ(rowsOf({}, 160, 960, 49), 28); // because there are few tasks
  // Smaller tiles would read the columns again, which costs more than it saves.
  EXPECT_EQ(rowsOf(49, 512, 4608), 49);
}

TEST(RegisterTile, FewRowsReadFewStreams) {
  EXPECT_EQ(
      chooseTile({1, 1, 768, 768}, machineWith(64), 16, {false, 1}).vectors, 4);
  EXPECT_EQ(
      chooseTile({1, 1, 768, 768}, machineWith(32), 8, {false, 2}).vectors, 4);
  EXPECT_EQ(chooseTile({1, 1, 20, 768}, machineWith(32), 8, {false, 2}).vectors,
            4);
  EXPECT_EQ(chooseTile({1, 1, 9, 768}, machineWith(32), 8, {false, 2}).vectors,
            2);
}

TEST(RegisterTile, WidePanelsAreReadAloneOrInShares) {
  EXPECT_EQ(
      chooseTile({1, 1, 768, 768}, machineWith(64), 16, {false, 4}).vectors, 4);
  EXPECT_EQ(
      chooseTile({1, 1, 768, 768}, machineWith(32), 8, {false, 8}).vectors, 8);
  EXPECT_EQ(
      chooseTile({1, 4, 768, 768}, machineWith(32), 8, {false, 8}).vectors, 2);
  EXPECT_EQ(
      chooseTile({1, 128, 768, 768}, machineWith(64), 16, {false, 4}).vectors,
      4);
  EXPECT_EQ(
      chooseTile({1, 128, 768, 768}, machineWith(32), 8, {false, 8}).vectors,
      2);
  EXPECT_EQ(chooseTile({1, 1, 768, 768}, machineWith(64), 16, {false, 6, true})
                .vectors,
            6);
  EXPECT_EQ(chooseTile({1, {}, 768, 768}, machineWith(64), 16, {false, 6, true})
                .vectors,
            6);
  EXPECT_EQ(
      chooseTile({1, 128, 768, 768}, machineWith(64), 16, {false, 6, true})
          .rows,
      8);
  // Not divided, because the last panel is not full.
  EXPECT_EQ(
      chooseTile({1, {}, 50257, 768}, machineWith(64), 16, {false, 4}).vectors,
      4);
  EXPECT_EQ(
      chooseTile({1, 16, 768, 768}, machineWith(64), 16, {false, 4, true}).rows,
      4);
  EXPECT_EQ(
      chooseTile({1, 128, 768, 768}, machineWith(64), 16, {false, 4, true})
          .rows,
      6);
}

TEST(RegisterTile, TwoRowsShareHalfAVector) {
  EXPECT_TRUE(endInHalf(24, 16));
  EXPECT_TRUE(endInHalf(1000, 16));
  EXPECT_FALSE(endInHalf(28, 16));
  EXPECT_FALSE(endInHalf(32, 16));
  EXPECT_FALSE(endInHalf(6, 4));
  auto tileOf = [](int64_t columns, bool halves) {
    return chooseTile({1, 3136, columns, 72}, machineWith(64), 16,
                      {false, 1, false, halves});
  };
  // Twelve rows of one and a half vectors would leave a remainder.
  EXPECT_EQ(tileOf(24, true).vectors, 2);
  EXPECT_EQ(tileOf(24, true).rows, 8);
  EXPECT_EQ(tileOf(40, true).vectors, 3);
  // Four and a half vectors: a panel of three and a remainder.
  EXPECT_EQ(tileOf(72, true).vectors, 3);
}

TEST(RegisterTile, NarrowLastPanelsAreCounted) {
  // Seven rows with three panels of three vectors and one of one are better
  // than twelve rows with five panels of two, which leave a remainder of one
  // row.
  RegisterTile tile = chooseTile({1, std::nullopt, 160, 960, 49},
                                 machineWith(64), 16, {false, 1});
  EXPECT_EQ(tile.rows, 7);
  EXPECT_EQ(tile.vectors, 3);
}
