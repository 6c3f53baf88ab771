// Rows of more than 8192 elements are reduced in pieces of 2048: a scalar model
// of the order gives the same bits, however the tasks are divided.
#include "test/unit/contraction/JitGraph.h"
#include "test/unit/rows/RowCases.h"

#include "dialects/tenon/NumericsContract.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <cstring>

using namespace tenon;

namespace {
constexpr int64_t rows = 2;

std::string sizesOf(int64_t width, bool dynamic) {
  return "tensor<2x" + (dynamic ? "?" : std::to_string(width)) + "xf32>";
}

/// The graph of a sum and of a softmax by its definition.
std::string graphOf(int64_t width, bool dynamic) {
  std::string x = sizesOf(width, dynamic);
  return "func.func @sum(%x: " + x +
         ") -> tensor<2xf32> {\n"
         "  %0 = tenon.reduce add %x over [1] : (" +
         x +
         ") -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
         "func.func @greatest(%x: " +
         x +
         ") -> tensor<2xf32> {\n"
         "  %0 = tenon.reduce maximum %x over [1] : (" +
         x +
         ") -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
         "func.func @softmax(%x: " +
         x + ") -> " + x + " {\n  %0 = tenon.softmax %x over 1 : " + x +
         "\n  return %0 : " + x + "\n}\n";
}

/// 64 lanes, combined by a tree.
float sumOfPiece(const float *x, int64_t count) {
  std::vector<float> lanes(reductionLanes, 0.0f);
  for (int64_t i = 0; i < count; ++i)
    lanes[i % reductionLanes] += x[i];
  for (int64_t half = reductionLanes / 2; half > 0; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane)
      lanes[lane] += lanes[lane + half];
  return lanes[0];
}

float sumOfRow(const float *x, int64_t width) {
  if (width <= wholeRow)
    return sumOfPiece(x, width);
  float sum = 0;
  for (int64_t low = 0; low < width; low += rowPiece)
    sum += sumOfPiece(x + low, std::min(rowPiece, width - low));
  return sum;
}

void compareWidth(int64_t width, bool dynamic, JitTarget target) {
  JitGraph graph(graphOf(width, dynamic), target);
  for (const RowCase &c : rowCases(rows * width, uint32_t(width))) {
    std::vector<float> x = c.row;
    std::string what = c.name + ", width " + std::to_string(width);
    std::vector<JitTensor> in{{x.data(), {rows, width}}};
    std::vector<float> first;
    for (int64_t step : {1, 3, 1000}) {
      std::vector<float> sums(rows), greatest(rows), soft(rows * width);
      graph.run("sum", in, {sums.data(), {rows}}, step);
      graph.run("greatest", in, {greatest.data(), {rows}}, step);
      graph.run("softmax", in, {soft.data(), {rows, width}}, step);
      for (int64_t r = 0; r < rows; ++r) {
        const float *row = x.data() + r * width;
        float sum = sumOfRow(row, width);
        bool isNan = std::any_of(row, row + width,
                                 [](float v) { return std::isnan(v); });
        if (std::isnan(sum))
          EXPECT_TRUE(std::isnan(sums[r])) << what;
        else
          EXPECT_EQ(sums[r], sum) << what;
        if (isNan) {
          EXPECT_TRUE(std::isnan(greatest[r])) << what;
          EXPECT_TRUE(std::isnan(soft[r * width])) << what;
          continue;
        }
        double most = *std::max_element(row, row + width), total = 0;
        EXPECT_EQ(greatest[r], float(most)) << what;
        if (std::isinf(most))
          continue;
        for (int64_t i = 0; i < width; ++i)
          total += std::exp(row[i] - most);
        for (int64_t i = 0; i < width; ++i) {
          double exact = std::exp(row[i] - most) / total;
          EXPECT_NEAR(soft[r * width + i], exact, 4e-6 * exact + 1e-37) << what;
        }
      }
      if (step == 1)
        first = soft;
      EXPECT_EQ(
          std::memcmp(soft.data(), first.data(), soft.size() * sizeof(float)),
          0)
          << what << ", step " << step;
    }
  }
}
} // namespace

TEST(LongRows, AreReducedInPieces) {
  for (const JitTarget &target : jitTargets())
    for (bool dynamic : {false, true})
      for (int64_t width : {8191, 8192, 8193, 10240, 10301, 50257})
        if (width != 50257 || target.optimize)
          compareWidth(width, dynamic, target);
}
