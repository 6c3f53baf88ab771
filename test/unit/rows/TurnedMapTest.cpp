// Maps that turn their operand, as compiled code: tiles of all widths, full and
// not.
#include "test/unit/contraction/JitGraph.h"
#include "test/unit/rows/MovedElements.h"

#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace tenon;

namespace {
constexpr int64_t sizes[] = {8, 9, 15, 16, 17, 40};
constexpr int64_t openSizes[] = {0, 1, 8, 9, 15, 16, 17, 40};

std::string turning(const std::string &name, const std::string &rows,
                    const std::string &columns, const std::string &element) {
  std::string from = "tensor<2x" + rows + "x3x" + columns + "x" + element + ">",
              to = "tensor<2x" + columns + "x3x" + rows + "x" + element + ">";
  return "func.func @" + name + "(%x: " + from + ") -> " + to +
         " {\n  %0 = tenon.transpose %x [0, 3, 2, 1] : (" + from + ") -> " +
         to + "\n  return %0 : " + to + "\n}\n";
}

void check(const JitGraph &graph, const std::string &name, int64_t rows,
           int64_t columns, size_t bytes) {
  unsigned seed = std::random_device{}();
  std::mt19937 draws(seed);
  std::vector<uint8_t> x(size_t(6 * rows * columns) * bytes), y(x.size()),
      expected(x.size());
  for (uint8_t &byte : x)
    byte = uint8_t(draws());
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t m = 0; m < 3; ++m)
        for (int64_t c = 0; c < columns; ++c) {
          int64_t from = ((b * rows + r) * 3 + m) * columns + c,
                  to = ((b * columns + c) * 3 + m) * rows + r;
          memcpy(&expected[size_t(to) * bytes], &x[size_t(from) * bytes],
                 bytes);
        }
  for (int64_t step : {1, 5}) {
    std::fill(y.begin(), y.end(), 0);
    graph.run(name, {{x.data(), {2, rows, 3, columns}}},
              {y.data(), {2, columns, 3, rows}}, step);
    EXPECT_EQ(y, expected) << name << " of " << rows << " x " << columns
                           << ", seed " << seed;
  }
}

// Every bit is copied, also those of a NaN.
TEST(TurnedMap, MovesEachElement) {
  std::string text;
  for (const MovedElement &element : movedElements) {
    text +=
        turning(std::string("open_") + element.name, "?", "?", element.name);
    for (int64_t size : sizes)
      text += turning("n" + std::to_string(size) + element.name,
                      std::to_string(size), "17", element.name);
  }
  for (const JitTarget &target : jitTargets()) {
    JitGraph graph(text, target);
    for (const MovedElement &element : movedElements)
      for (int64_t rows : sizes)
        check(graph, "n" + std::to_string(rows) + element.name, rows, 17,
              element.bytes);
    for (const MovedElement &element : movedElements)
      for (int64_t rows : openSizes)
        for (int64_t columns : openSizes)
          check(graph, std::string("open_") + element.name, rows, columns,
                element.bytes);
  }
}

// Planes become neighbours, as the channels of an image do.
TEST(TurnedMap, InterleavesPlanes) {
  constexpr int64_t images = 2, lines = 5, mostPlanes = 5;
  std::string text;
  auto nameOf = [](int64_t planes, const MovedElement &element) {
    return "planes" + std::to_string(planes) + element.name;
  };
  for (const MovedElement &element : movedElements)
    for (int64_t planes = 1; planes <= mostPlanes; ++planes) {
      std::string p = std::to_string(planes), e = element.name,
                  from = "tensor<2x" + p + "x5x?x" + e + ">",
                  to = "tensor<2x5x?x" + p + "x" + e + ">";
      text += "func.func @" + nameOf(planes, element) + "(%x: " + from +
              ") -> " + to + " {\n  %0 = tenon.transpose %x [0, 2, 3, 1] : (" +
              from + ") -> " + to + "\n  return %0 : " + to + "\n}\n";
    }
  unsigned seed = std::random_device{}();
  std::mt19937 draws(seed);
  for (const JitTarget &target : jitTargets()) {
    JitGraph graph(text, target);
    for (const MovedElement &element : movedElements)
      for (int64_t planes = 1; planes <= mostPlanes; ++planes)
        for (int64_t width : {0, 1, 7, 8, 9, 15, 16, 17, 33, 48}) {
          size_t bytes = element.bytes;
          std::vector<uint8_t> x(size_t(images * planes * lines * width) *
                                 bytes),
              y(x.size()), expected(x.size());
          for (uint8_t &byte : x)
            byte = uint8_t(draws());
          for (int64_t i = 0; i < images; ++i)
            for (int64_t p = 0; p < planes; ++p)
              for (int64_t r = 0; r < lines * width; ++r) {
                int64_t from = (i * planes + p) * lines * width + r,
                        to = (i * lines * width + r) * planes + p;
                memcpy(&expected[size_t(to) * bytes], &x[size_t(from) * bytes],
                       bytes);
              }
          graph.run(nameOf(planes, element),
                    {{x.data(), {images, planes, lines, width}}},
                    {y.data(), {images, lines, width, planes}});
          EXPECT_EQ(y, expected) << nameOf(planes, element) << " of width "
                                 << width << ", seed " << seed;
        }
  }
}

// Elementwise ops, a choice, and a row that is broadcast, before the transpose
// and after it.
TEST(TurnedMap, ComputesOnItsWay) {
  const std::string text = R"(
func.func @computed(%x: tensor<40x24xf32>, %low: tensor<24xf32>) -> tensor<24x40xf32> {
  %l = tenon.broadcast_in_dim %low dims [1] sizes [40, 24] : (tensor<24xf32>) -> tensor<40x24xf32>
  %less = tenon.compare lt %x, %l : (tensor<40x24xf32>, tensor<40x24xf32>) -> tensor<40x24xi1>
  %most = tenon.select %less, %l, %x : (tensor<40x24xi1>, tensor<40x24xf32>, tensor<40x24xf32>) -> tensor<40x24xf32>
  %turned = tenon.transpose %most [1, 0] : (tensor<40x24xf32>) -> tensor<24x40xf32>
  %c = tenon.constant dense<0.5> : tensor<24x40xf32>
  %0 = tenon.add %turned, %c : (tensor<24x40xf32>, tensor<24x40xf32>) -> tensor<24x40xf32>
  return %0 : tensor<24x40xf32>
}
)";
  const int64_t rows = 40, columns = 24;
  unsigned seed = std::random_device{}();
  std::mt19937 draws(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(rows * columns), low(columns), y(x.size());
  for (std::vector<float> *values : {&x, &low})
    for (float &value : *values)
      value = normal(draws);
  for (const JitTarget &target : jitTargets()) {
    JitGraph graph(text, target);
    graph.run("computed",
              {{x.data(), {rows, columns}}, {low.data(), {columns}}},
              {y.data(), {columns, rows}});
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        ASSERT_EQ(y[size_t(c * rows + r)],
                  std::max(x[size_t(r * columns + c)], low[size_t(c)]) + 0.5f)
            << "row " << r << ", column " << c << ", seed " << seed;
  }
}
} // namespace
