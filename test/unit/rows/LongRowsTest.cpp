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
/// Graphs of a softmax and of the greatest of computed elements.
std::string twoGraphs(const std::string &prefix, const std::string &rowCount,
                      const std::string &width) {
  std::string x = "tensor<" + rowCount + "x" + width + "xf32>",
              places = "tensor<" + rowCount + "xi64>";
  return "func.func @" + prefix + "softmax(%x: " + x + ") -> " + x +
         " {\n  %0 = tenon.softmax %x over 1 : " + x + "\n  return %0 : " + x +
         "\n}\nfunc.func @" + prefix + "draw(%x: " + x + ") -> " + places +
         " {\n  %0 = tenon.tanh %x : (" + x + ") -> " + x +
         "\n  %1 = tenon.sine %0 : (" + x + ") -> " + x +
         "\n  %2 = tenon.arg_reduce minimum %1 over 1 last : (" + x + ") -> " +
         places + "\n  return %2 : " + places + "\n}\n";
}
} // namespace

TEST(LongRows, AreReducedInPieces) {
  for (const JitTarget &target : jitTargets())
    for (bool dynamic : {false, true})
      for (int64_t width : {8191, 8192, 8193, 10240, 10301, 50257})
        if (width != 50257 || target.optimize)
          compareWidth(width, dynamic, target);
}

TEST(LongRows, HaveTheSameBitsDividedOrWhole) {
  constexpr int64_t width = 10301;
  JitGraph graph(
      twoGraphs("divided", "3", "10301") + twoGraphs("any", "?", "10301") +
          twoGraphs("whole", "3", "?") + twoGraphs("many", "17", "10301"),
      jitTargets().front());
  auto compare = [&](const std::string &a, const std::string &b,
                     std::vector<float> x, const std::string &what) {
    int64_t count = x.size() / width;
    std::vector<JitTensor> in{{x.data(), {count, width}}};
    std::vector<float> soft[2];
    std::vector<int64_t> places[2];
    for (size_t i : {0, 1}) {
      const std::string &prefix = i ? b : a;
      soft[i].resize(x.size());
      places[i].resize(count);
      graph.run(prefix + "softmax", in, {soft[i].data(), {count, width}}, 2);
      graph.run(prefix + "draw", in, {places[i].data(), {count}}, 2);
    }
    bool isNan =
        std::any_of(x.begin(), x.end(), [](float v) { return std::isnan(v); });
    EXPECT_TRUE(isNan || std::memcmp(soft[0].data(), soft[1].data(),
                                     x.size() * sizeof(float)) == 0)
        << a << " and " << b << ", " << what;
    EXPECT_EQ(places[0], places[1]) << a << " and " << b << ", " << what;
  };
  for (const RowCase &c : rowCases(3 * width, 9)) {
    compare("divided", "whole", c.row, c.name);
    compare("any", "whole", c.row, c.name);
  }
  // More rows than are divided.
  compare("any", "many", rowCases(17 * width, 9).front().row, "many rows");
}
