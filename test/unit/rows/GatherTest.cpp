// Gathers whose lanes read places of their own, alone and with ops on their
// results, as compiled code.
#include "test/unit/contraction/JitGraph.h"
#include "test/unit/rows/MovedElements.h"

#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace tenon;

namespace {
/// Places along an extent. Some are outside it: they count as the nearest
/// inside.
template <typename Index>
std::vector<Index> places(int64_t count, int64_t extent, std::mt19937 &draws) {
  std::vector<Index> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(Index(int64_t(draws() % uint64_t(extent + 6)) - 3));
  return result;
}

template <typename Index> int64_t inside(Index place, int64_t extent) {
  return std::min(std::max<int64_t>(place, 0), extent - 1);
}

std::string columnsOf(const std::string &name, const std::string &element,
                      const std::string &index, bool isOpen) {
  auto size = [&](const char *known) { return isOpen ? "?" : known; };
  std::string from =
                  std::string("tensor<5x") + size("13") + "x" + element + ">",
              at = std::string("tensor<") + size("37") + "x" + index + ">",
              to = std::string("tensor<5x") + size("37") + "x" + element + ">";
  return "func.func @" + name + "(%x: " + from + ", %i: " + at + ") -> " + to +
         " {\n  %0 = tenon.gather %x, %i offset_dims [0] collapsed [1] "
         "batching [] x [] map [1] vector_dim 1 slice_sizes [5, 1] : (" +
         from + ", " + at + ") -> " + to + "\n  return %0 : " + to + "\n}\n";
}

template <typename Index>
void check(const JitGraph &graph, const std::string &name, size_t bytes,
           int64_t width, int64_t count) {
  constexpr int64_t rows = 5;
  unsigned seed = std::random_device{}();
  std::mt19937 draws(seed);
  std::vector<uint8_t> x(size_t(rows * width) * bytes),
      y(size_t(rows * count) * bytes), expected(y.size());
  for (uint8_t &byte : x)
    byte = uint8_t(draws());
  std::vector<Index> at = places<Index>(count, width, draws);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < count; ++c)
      memcpy(&expected[size_t(r * count + c) * bytes],
             &x[size_t(r * width + inside(at[size_t(c)], width)) * bytes],
             bytes);
  graph.run(name, {{x.data(), {rows, width}}, {at.data(), {count}}},
            {y.data(), {rows, count}});
  EXPECT_EQ(y, expected) << name << ", " << count << " of " << width
                         << ", seed " << seed;
}

// Every bit is copied, also those of a NaN.
TEST(Gather, ReadsPlacesOfLanes) {
  std::string text;
  for (const MovedElement &element : movedElements)
    for (const char *index : {"i64", "i32"}) {
      std::string name = std::string(element.name) + index;
      text += columnsOf("open_" + name, element.name, index, true) +
              columnsOf("known_" + name, element.name, index, false);
    }
  for (const JitTarget &target : jitTargets()) {
    JitGraph graph(text, target);
    for (const MovedElement &element : movedElements) {
      std::string name = element.name;
      check<int64_t>(graph, "known_" + name + "i64", element.bytes, 13, 37);
      check<int32_t>(graph, "known_" + name + "i32", element.bytes, 13, 37);
      for (int64_t width : {1, 16, 40})
        for (int64_t count : {0, 1, 15, 16, 17, 70}) {
          check<int64_t>(graph, "open_" + name + "i64", element.bytes, width,
                         count);
          check<int32_t>(graph, "open_" + name + "i32", element.bytes, width,
                         count);
        }
    }
  }
}

// As in an image that is enlarged, with rows that are chosen too, and places
// that are pairs of indices.
TEST(Gather, ComputesBetweenPlaces) {
  const std::string text = R"(
func.func @between(%x: tensor<6x?xf32>, %r: tensor<9xi64>, %i: tensor<?xi64>, %j: tensor<?xi64>, %k: tensor<?x2xi64>, %w: tensor<9x?xf32>) -> tensor<9x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %rows = tenon.gather %x, %r offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, -1] : (tensor<6x?xf32>, tensor<9xi64>) -> tensor<9x?xf32>
  %a = tenon.gather %rows, %i offset_dims [0] collapsed [1] batching [] x [] map [1] vector_dim 1 slice_sizes [9, 1] : (tensor<9x?xf32>, tensor<?xi64>) -> tensor<9x?xf32>
  %b = tenon.gather %rows, %j offset_dims [0] collapsed [1] batching [] x [] map [1] vector_dim 1 slice_sizes [9, 1] : (tensor<9x?xf32>, tensor<?xi64>) -> tensor<9x?xf32>
  %p = tenon.gather %x, %k offset_dims [] collapsed [0, 1] batching [] x [] map [1, 0] vector_dim 1 slice_sizes [1, 1] : (tensor<6x?xf32>, tensor<?x2xi64>) -> tensor<?xf32>
  %pairs = tenon.broadcast_in_dim %p dims [1] sizes [9, %n] : (tensor<?xf32>, index) -> tensor<9x?xf32>
  %0 = tenon.multiply %a, %w : (tensor<9x?xf32>, tensor<9x?xf32>) -> tensor<9x?xf32>
  %1 = tenon.maximum %0, %b : (tensor<9x?xf32>, tensor<9x?xf32>) -> tensor<9x?xf32>
  %2 = tenon.minimum %1, %pairs : (tensor<9x?xf32>, tensor<9x?xf32>) -> tensor<9x?xf32>
  return %2 : tensor<9x?xf32>
}
)";
  constexpr int64_t lines = 6, rows = 9;
  unsigned seed = std::random_device{}();
  std::mt19937 draws(seed);
  std::normal_distribution<float> normal;
  for (const JitTarget &target : jitTargets()) {
    JitGraph graph(text, target);
    for (int64_t width : {1, 28})
      for (int64_t count : {1, 16, 45}) {
        std::vector<float> x(size_t(lines * width)), w(size_t(rows * count)),
            y(w.size());
        for (std::vector<float> *values : {&x, &w})
          for (float &value : *values)
            value = normal(draws);
        auto r = places<int64_t>(rows, lines, draws),
             i = places<int64_t>(count, width, draws),
             j = places<int64_t>(count, width, draws),
             k = places<int64_t>(2 * count, width, draws);
        graph.run("between",
                  {{x.data(), {lines, width}},
                   {r.data(), {rows}},
                   {i.data(), {count}},
                   {j.data(), {count}},
                   {k.data(), {count, 2}},
                   {w.data(), {rows, count}}},
                  {y.data(), {rows, count}});
        auto at = [&](int64_t row, int64_t column) {
          return x[size_t(inside(row, lines) * width + inside(column, width))];
        };
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t c = 0; c < count; ++c) {
            float a = at(r[row], i[c]), b = at(r[row], j[c]),
                  pair = at(k[2 * c + 1], k[2 * c]);
            ASSERT_EQ(y[row * count + c],
                      std::min(std::max(a * w[row * count + c], b), pair))
                << "row " << row << ", column " << c << ", width " << width
                << ", seed " << seed;
          }
      }
  }
}
} // namespace
