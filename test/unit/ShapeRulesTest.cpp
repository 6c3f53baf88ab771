// Tests the shape rules at their limits: rank 0, zero extents, dynamic extents,
// and the label of the violated constraint in each error.
#include "dialects/tenon/ShapeRules.h"
#include "dialects/tenon/Packing.h"

#include "gtest/gtest.h"

using namespace tenon;

namespace {

constexpr int64_t unknown = mlir::ShapedType::kDynamic;

using Shape = std::vector<int64_t>;

Shape shapeOf(const ShapeOrError &rule) {
  EXPECT_TRUE(rule.ok()) << rule.error;
  return Shape(rule.shape.begin(), rule.shape.end());
}

void expectBroken(const ShapeOrError &rule, const char *label) {
  EXPECT_FALSE(rule.ok());
  EXPECT_NE(rule.error.find(label), std::string::npos) << rule.error;
}

TEST(Compatible, UnknownAgreesWithAnything) {
  EXPECT_TRUE(compatible(unknown, 4));
  EXPECT_TRUE(compatible(4, unknown));
  EXPECT_TRUE(compatible(4, 4));
  EXPECT_FALSE(compatible(4, 1));
  EXPECT_TRUE(compatible(Extents(), Extents()));
  EXPECT_FALSE(compatible({4}, {4, 1}));
}

TEST(ElementCount, ZeroWinsOverUnknownAndOverflowIsUnknown) {
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({4, 8}), 32);
  EXPECT_EQ(elementCount({unknown, 0}), 0);
  EXPECT_EQ(elementCount({unknown, 4}), unknown);
  EXPECT_EQ(elementCount({int64_t(1) << 40, int64_t(1) << 40}), unknown);
  EXPECT_EQ(elementCount({int64_t(1) << 40, int64_t(1) << 40, 0}), 0);
}

TEST(DotGeneralShape, BatchThenFreeExtents) {
  EXPECT_EQ(shapeOf(dotGeneralShape({2, 4, 8}, {2, 8, 5}, {0}, {0}, {2}, {1})),
            (Shape{2, 4, 5}));
  // Dimensions may have any order: the result follows the lists, then the
  // operand.
  EXPECT_EQ(shapeOf(dotGeneralShape({8, 4, 2, 3}, {5, 3, 8, 2}, {3, 2}, {1, 3},
                                    {0}, {2})),
            (Shape{3, 2, 4, 5}));
}

TEST(DotGeneralShape, NothingShared) {
  EXPECT_EQ(shapeOf(dotGeneralShape({}, {}, {}, {}, {}, {})), Shape{});
  EXPECT_EQ(shapeOf(dotGeneralShape({4}, {5}, {}, {}, {}, {})), (Shape{4, 5}));
  EXPECT_EQ(shapeOf(dotGeneralShape({4}, {4}, {}, {}, {0}, {0})), Shape{});
}

TEST(DotGeneralShape, UnknownBatchTakesTheKnownExtent) {
  EXPECT_EQ(shapeOf(dotGeneralShape({unknown, 4, 0}, {2, 0, unknown}, {0}, {0},
                                    {2}, {1})),
            (Shape{2, 4, unknown}));
}

TEST(DotGeneralShape, Errors) {
  expectBroken(dotGeneralShape({4}, {4}, {0}, {}, {}, {}), "(C1)");
  expectBroken(dotGeneralShape({4}, {4}, {}, {}, {0}, {}), "(C1)");
  expectBroken(dotGeneralShape({4}, {4}, {}, {}, {1}, {0}), "(C2)");
  expectBroken(dotGeneralShape({4}, {4}, {}, {}, {-1}, {0}), "(C2)");
  expectBroken(dotGeneralShape({4}, {4}, {0}, {0}, {0}, {0}), "(C2)");
  expectBroken(dotGeneralShape({4, 2}, {3, 2}, {0}, {0}, {1}, {1}), "(C3)");
  expectBroken(dotGeneralShape({4}, {3}, {}, {}, {0}, {0}), "(C4)");
}

TEST(WindowExtent, PlacesOfAWindow) {
  EXPECT_EQ(windowExtent(8, 3, 1, 0, 0, 1, 1), 6);
  EXPECT_EQ(windowExtent(8, 3, 2, 1, 1, 1, 1), 4);
  EXPECT_EQ(windowExtent(8, 3, 1, 0, 0, 1, 2), 4);
  // A transposed convolution of stride 2: zeros between elements.
  EXPECT_EQ(windowExtent(5, 3, 1, 0, 0, 2, 1), 7);
  EXPECT_EQ(windowExtent(8, 8, 1, 0, 0, 1, 1), 1);
}

TEST(WindowExtent, NeverNegative) {
  EXPECT_EQ(windowExtent(2, 3, 1, 0, 0, 1, 1), 0);
  EXPECT_EQ(windowExtent(8, 3, 1, -4, -4, 1, 1), 0);
  EXPECT_EQ(windowExtent(8, 3, 5, -9, -9, 1, 1), 0);
}

TEST(WindowExtent, AnEmptyExtentIsItsPadding) {
  EXPECT_EQ(windowExtent(0, 1, 1, 0, 0, 1, 1), 0);
  EXPECT_EQ(windowExtent(0, 3, 1, 2, 2, 1, 1), 2);
  EXPECT_EQ(windowExtent(0, 3, 1, 2, 2, 7, 1), 2);
}

TEST(WindowExtent, WhatOverflowsIsNeitherUnknownNorSmall) {
  constexpr int64_t huge = int64_t(1) << 62;
  EXPECT_EQ(windowExtent(huge, 1, 1, huge, 0, 1, 1), INT64_MAX);
  EXPECT_EQ(windowExtent(huge, 1, 1, 0, 0, 4, 1), INT64_MAX);
  EXPECT_EQ(windowExtent(huge, huge, 1, 0, 0, 1, 4), 0);
}

TEST(WindowExtent, UnknownStaysUnknown) {
  EXPECT_EQ(windowExtent(unknown, 3, 1, 0, 0, 1, 1), unknown);
}

TEST(ConvolutionShape, GroupsAndUnknownExtents) {
  EXPECT_EQ(
      shapeOf(convolutionShape({1, 8, 4}, {3, 2, 6}, {1}, {1, 1}, {1}, {1}, 2)),
      (Shape{1, 8, 6}));
  EXPECT_EQ(shapeOf(convolutionShape({unknown, unknown, 4}, {3, 4, 6}, {1},
                                     {0, 0}, {1}, {1}, 1)),
            (Shape{unknown, unknown, 6}));
  EXPECT_EQ(shapeOf(convolutionShape({1, 8, unknown}, {unknown, 4, unknown},
                                     {1}, {0, 0}, {1}, {1}, 1)),
            (Shape{1, unknown, unknown}));
  EXPECT_EQ(
      shapeOf(convolutionShape({0, 8, 4}, {3, 4, 0}, {1}, {0, 0}, {1}, {1}, 1)),
      (Shape{0, 6, 0}));
}

TEST(ConvolutionShape, Errors) {
  expectBroken(convolutionShape({8, 4}, {3, 4}, {}, {}, {}, {}, 1), "(C1)");
  expectBroken(
      convolutionShape({1, 8, 4}, {3, 3, 4, 6}, {1}, {0, 0}, {1}, {1}, 1),
      "(C1)");
  expectBroken(
      convolutionShape({1, 8, 4}, {3, 4, 6}, {1, 1}, {0, 0}, {1}, {1}, 1),
      "(C2)");
  expectBroken(convolutionShape({1, 8, 4}, {3, 4, 6}, {1}, {0}, {1}, {1}, 1),
               "(C2)");
  expectBroken(convolutionShape({1, 8, 4}, {3, 4, 6}, {1}, {0, 0}, {1}, {1}, 0),
               "(C2)");
  expectBroken(
      convolutionShape({1, 8, 4}, {3, 4, 6}, {1}, {0, 0}, {-1}, {1}, 1),
      "(C2)");
  expectBroken(convolutionShape({1, 8, 4}, {3, 3, 6}, {1}, {0, 0}, {1}, {1}, 1),
               "(C3)");
  expectBroken(convolutionShape({1, 8, 4}, {3, 2, 5}, {1}, {0, 0}, {1}, {1}, 2),
               "(C3)");
}

TEST(ReduceWindowShape, RankZeroAndErrors) {
  EXPECT_EQ(shapeOf(reduceWindowShape({}, {}, {}, {}, {})), Shape{});
  EXPECT_EQ(shapeOf(reduceWindowShape({8, unknown}, {2, 1}, {2, 1}, {1, 1},
                                      {0, 0, 0, 0})),
            (Shape{4, unknown}));
  expectBroken(reduceWindowShape({8}, {2, 2}, {1}, {1}, {0, 0}), "(C1)");
  expectBroken(reduceWindowShape({8}, {0}, {1}, {1}, {0, 0}), "(C1)");
  expectBroken(reduceWindowShape({8}, {2}, {1}, {1}, {0}), "(C1)");
}

TEST(ReduceShape, NoneAllAndSomeDimensions) {
  EXPECT_EQ(shapeOf(reduceShape({4, 0, unknown}, {})), (Shape{4, 0, unknown}));
  EXPECT_EQ(shapeOf(reduceShape({4, 0, unknown}, {0, 1, 2})), Shape{});
  EXPECT_EQ(shapeOf(reduceShape({4, 0, unknown}, {1})), (Shape{4, unknown}));
  expectBroken(reduceShape({4, 8}, {1, 0}), "(C1)");
  expectBroken(reduceShape({4, 8}, {1, 1}), "(C1)");
  expectBroken(reduceShape({4, 8}, {2}), "(C1)");
  expectBroken(reduceShape({}, {0}), "(C1)");
}

TEST(TransposeShape, PermutationsOnly) {
  EXPECT_EQ(shapeOf(transposeShape({}, {})), Shape{});
  EXPECT_EQ(shapeOf(transposeShape({4, unknown, 0}, {2, 0, 1})),
            (Shape{0, 4, unknown}));
  expectBroken(transposeShape({4, 8}, {0}), "(C1)");
  expectBroken(transposeShape({4, 8}, {0, 0}), "(C1)");
  expectBroken(transposeShape({4, 8}, {0, 2}), "(C1)");
}

TEST(PackShape, PanelsStandFirstAndLast) {
  EXPECT_EQ(shapeOf(packShape({8, 40}, 1, 16)), (Shape{3, 8, 16}));
  EXPECT_EQ(shapeOf(packShape({unknown, 2}, 0, 4)), (Shape{unknown, 2, 4}));
  EXPECT_EQ(shapeOf(packShape({0}, 0, 4)), (Shape{0, 4}));
  expectBroken(packShape({8}, 1, 16), "(C1)");
  expectBroken(packShape({8}, -1, 16), "(C1)");
  expectBroken(packShape({}, 0, 16), "(C1)");
  expectBroken(packShape({8}, 0, 0), "(C2)");
}

TEST(UnpackShape, TheExtentNeedsEveryPanel) {
  EXPECT_EQ(shapeOf(unpackShape({3, 8, 16}, 1, 40)), (Shape{8, 40}));
  EXPECT_EQ(shapeOf(unpackShape({3, 8, 16}, 0, 48)), (Shape{48, 8}));
  EXPECT_EQ(shapeOf(unpackShape({0, 4}, 0, 0)), (Shape{0}));
  EXPECT_EQ(shapeOf(unpackShape({unknown, 2, 4}, 1, 7)), (Shape{2, 7}));
  expectBroken(unpackShape({3, 8, 16}, 2, 40), "(C1)");
  expectBroken(unpackShape({3}, 0, 40), "(C1)");
  expectBroken(unpackShape({}, 0, 40), "(C1)");
  expectBroken(unpackShape({3, 16}, 0, 32), "(C2)");
  expectBroken(unpackShape({3, 16}, 0, 49), "(C2)");
  expectBroken(unpackShape({3, 0}, 0, 0), "(C2)");
  expectBroken(unpackShape({unknown, 4}, 0, -1), "(C2)");
}

TEST(ConcatenateShape, SumsOneExtentAndJoinsTheOthers) {
  EXPECT_EQ(shapeOf(concatenateShape({{4, unknown}, {0, 8}, {2, unknown}}, 0)),
            (Shape{6, 8}));
  EXPECT_EQ(shapeOf(concatenateShape({{unknown, 8}, {2, 8}}, 0)),
            (Shape{unknown, 8}));
  constexpr int64_t huge = int64_t(1) << 62;
  EXPECT_EQ(shapeOf(concatenateShape({{0, huge}, {0, huge}}, 1)),
            (Shape{0, INT64_MAX}));
  expectBroken(concatenateShape({}, 0), "(C1)");
  expectBroken(concatenateShape({Extents()}, 0), "(C1)");
  expectBroken(concatenateShape({{4}}, 1), "(C1)");
  expectBroken(concatenateShape({{4}, {4, 4}}, 0), "(C2)");
  expectBroken(concatenateShape({{4, 8}, {4, 7}}, 0), "(C2)");
  // An extent known from one operand applies to the next.
  expectBroken(concatenateShape({{4, unknown}, {4, 8}, {4, 7}}, 0), "(C2)");
}

TEST(PadShape, NegativePaddingCuts) {
  EXPECT_EQ(shapeOf(padShape({4, unknown}, {1, 0}, {2, 0}, {0, 0})),
            (Shape{7, unknown}));
  EXPECT_EQ(shapeOf(padShape({4}, {-2}, {-2}, {0})), (Shape{0}));
  EXPECT_EQ(shapeOf(padShape({4}, {0}, {0}, {2})), (Shape{10}));
  EXPECT_EQ(shapeOf(padShape({0}, {1}, {1}, {5})), (Shape{2}));
  EXPECT_EQ(shapeOf(padShape({4}, {unknown}, {0}, {0})), (Shape{unknown}));
  constexpr int64_t huge = int64_t(1) << 62;
  EXPECT_EQ(shapeOf(padShape({huge, 0}, {huge, 0}, {0, 0}, {0, 0})),
            (Shape{INT64_MAX, 0}));
  EXPECT_EQ(shapeOf(padShape({huge, 0}, {0, 0}, {0, 0}, {3, 0})),
            (Shape{INT64_MAX, 0}));
  expectBroken(padShape({4}, {1, 1}, {0}, {0}), "(C1)");
  expectBroken(padShape({4}, {0}, {0}, {-1}), "(C1)");
  expectBroken(padShape({4}, {-3}, {-2}, {0}), "(C3)");
}

TEST(GatherShape, TakesRows) {
  EXPECT_EQ(
      shapeOf(gatherShape({4, 8}, {3, 1}, {1}, {0}, {}, {}, {0}, 1, {1, 8})),
      (Shape{3, 8}));
  // Without an index vector dimension each index is one number.
  EXPECT_EQ(
      shapeOf(gatherShape({4, 8}, {3, 2}, {2}, {0}, {}, {}, {0}, 2, {1, 8})),
      (Shape{3, 2, 8}));
  // -1 is the whole extent, static or dynamic.
  EXPECT_EQ(shapeOf(gatherShape({4, unknown}, {unknown, 1}, {1}, {0}, {}, {},
                                {0}, 1, {1, -1})),
            (Shape{unknown, unknown}));
  // One index of rank 0 into rank 1.
  EXPECT_EQ(shapeOf(gatherShape({4}, {}, {}, {0}, {}, {}, {0}, 0, {1})),
            Shape{});
  // No indices, and empty slices.
  EXPECT_EQ(
      shapeOf(gatherShape({4, 0}, {0, 1}, {1}, {0}, {}, {}, {0}, 1, {1, 0})),
      (Shape{0, 0}));
}

TEST(GatherShape, NoSlicesOfNothing) {
  EXPECT_EQ(shapeOf(gatherShape({0}, {0, 1}, {}, {0}, {}, {}, {0}, 1, {1})),
            (Shape{0}));
  EXPECT_EQ(
      shapeOf(gatherShape({0}, {unknown, 1}, {}, {0}, {}, {}, {0}, 1, {1})),
      (Shape{unknown}));
  expectBroken(gatherShape({0}, {2, 1}, {}, {0}, {}, {}, {0}, 1, {1}), "(C4)");
}

TEST(GatherShape, BatchingDimensionsGoAlong) {
  EXPECT_EQ(shapeOf(gatherShape({2, 4, 8}, {2, 3, 1}, {2}, {1}, {0}, {0}, {1},
                                2, {1, 1, 8})),
            (Shape{2, 3, 8}));
}

TEST(GatherShape, Errors) {
  expectBroken(gatherShape({4}, {3, 1}, {}, {0}, {}, {}, {0}, 3, {1}), "(C2)");
  expectBroken(gatherShape({4}, {3, 2}, {}, {0}, {}, {}, {0}, 1, {1}), "(C2)");
  expectBroken(gatherShape({4}, {3, 1}, {}, {0}, {}, {}, {1}, 1, {1}), "(C2)");
  expectBroken(gatherShape({4, 4}, {3, 1}, {}, {1}, {0}, {}, {1}, 1, {1, 1}),
               "(C3)");
  expectBroken(
      gatherShape({2, 4, 8}, {3, 3, 1}, {2}, {1}, {0}, {0}, {1}, 2, {1, 1, 8}),
      "(C3)");
  expectBroken(gatherShape({4}, {3, 1}, {}, {0}, {}, {}, {0}, 1, {2}), "(C1)");
  expectBroken(gatherShape({4}, {3, 1}, {}, {0}, {}, {}, {0}, 1, {1, 1}),
               "(C1)");
  expectBroken(gatherShape({4}, {3, 1}, {}, {}, {}, {}, {0}, 1, {2}), "(C1)");
  expectBroken(gatherShape({4}, {3, 1}, {1}, {}, {}, {}, {0}, 1, {5}), "(C4)");
}

TEST(AttentionShape, HeadsMayBeGrouped) {
  EXPECT_EQ(shapeOf(attentionShape({2, 4, 5, 8}, {2, 2, 7, 8}, {2, 2, 7, 3})),
            (Shape{2, 4, 5, 3}));
  EXPECT_EQ(shapeOf(attentionShape({5, 8}, {7, 8}, {7, 8})), (Shape{5, 8}));
  EXPECT_EQ(shapeOf(attentionShape({unknown, 0, 8}, {4, 0, unknown},
                                   {unknown, 0, 0})),
            (Shape{unknown, 0, 0}));
  // Only the last batch extent holds heads.
  expectBroken(attentionShape({4, 2, 5, 8}, {2, 2, 7, 8}, {2, 2, 7, 8}),
               "(C2)");
  expectBroken(attentionShape({2, 5, 8}, {4, 7, 8}, {4, 7, 8}), "(C2)");
  expectBroken(attentionShape({2, 5, 8}, {0, 7, 8}, {0, 7, 8}), "(C2)");
  expectBroken(attentionShape({2, 5, 8}, {2, 7, 8}, {3, 7, 8}), "(C2)");
  expectBroken(attentionShape({5, 8}, {7, 9}, {7, 8}), "(C3)");
  expectBroken(attentionShape({5, 8}, {7, 8}, {6, 8}), "(C3)");
}

} // namespace
