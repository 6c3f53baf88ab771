// Top-k as compiled code is the beginning of a stable sort.
#include "test/unit/contraction/JitGraph.h"
#include "test/unit/rows/RowCases.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

using namespace tenon;

namespace {
/// A graph of rows of `type` whose k is the second input's extent.
std::string graphOf(const std::string &name, const std::string &shape,
                    int64_t dim, const std::string &type, bool ascending) {
  std::string tensor = "tensor<" + shape + "x" + type + ">",
              places = "tensor<" + shape + "xi64>";
  return "func.func @" + name + "(%x: " + tensor +
         ", %like: tensor<?xi8>) -> (" + tensor + ", " + places +
         ") {\n  %zero = arith.constant 0 : index\n"
         "  %k = tensor.dim %like, %zero : tensor<?xi8>\n"
         "  %0, %1 = tenon.top_k %x first %k dim " +
         std::to_string(dim) + (ascending ? " ascending" : "") + " : (" +
         tensor + ", index) -> (" + tensor + ", " + places +
         ")\n  return %0, %1 : " + tensor + ", " + places + "\n}\n";
}

/// A bf16 in memory: the first half of a float.
struct Bfloat {
  uint16_t bits = 0;
  Bfloat() = default;
  explicit Bfloat(float x) : bits(uint16_t(std::bit_cast<uint32_t>(x) >> 16)) {}
  operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
};

template <typename T> bool isBefore(T a, T b) {
  return a < b || (b != b && a == a);
}

/// The positions of the `k` first elements of the stable sort.
template <typename T>
std::vector<int64_t> expected(const T *row, int64_t width, int64_t stride,
                              int64_t k, bool ascending) {
  std::vector<int64_t> order(width);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return ascending ? isBefore(row[a * stride], row[b * stride])
                     : isBefore(row[b * stride], row[a * stride]);
  });
  order.resize(k);
  return order;
}

/// Compares two rows along the last dimension.
template <typename T>
void compareRows(const JitGraph &graph, const std::string &function,
                 std::vector<T> x, int64_t k, bool ascending,
                 const std::string &what) {
  int64_t width = x.size() / 2;
  std::vector<T> first(2 * k + 1);
  std::vector<int64_t> places(2 * k + 1);
  std::vector<int8_t> like(k + 1);
  for (int64_t step : {1, 2}) {
    graph.runAll(function, {{x.data(), {2, width}}, {like.data(), {k}}},
                 {{first.data(), {2, k}}, {places.data(), {2, k}}}, step);
    for (int64_t r = 0; r < 2; ++r) {
      const T *row = x.data() + r * width;
      std::vector<int64_t> order = expected(row, width, 1, k, ascending);
      EXPECT_TRUE(
          std::equal(order.begin(), order.end(), places.begin() + r * k))
          << what << ", k " << k << ", row " << r;
      for (int64_t i = 0; i < k; ++i)
        EXPECT_EQ(std::memcmp(&first[r * k + i], &row[order[i]], sizeof(T)), 0)
            << what << ", k " << k << ", element " << i;
    }
  }
}

std::vector<float> twoRows(const std::vector<float> &row) {
  std::vector<float> x(row);
  x.insert(x.end(), row.rbegin(), row.rend());
  return x;
}
} // namespace

TEST(TopK, Floats) {
  for (const JitTarget &target : jitTargets()) {
    JitGraph graph(graphOf("down", "2x?", 1, "f32", false) +
                       graphOf("up", "2x?", 1, "f32", true),
                   target);
    for (int64_t width : {1, 63, 64, 65, 255, 700, 9001})
      for (const RowCase &c : rowCases(width, uint32_t(width)))
        for (int64_t k : {0, 1, 5, 50, 300, 1024, 1025})
          for (bool ascending : {false, true})
            if (k <= width)
              compareRows(graph, ascending ? "up" : "down", twoRows(c.row), k,
                          ascending,
                          c.name + (ascending ? " up, width " : ", width ") +
                              std::to_string(width));
  }
}

template <typename T>
static void compareIntegers(const std::string &type, JitTarget target) {
  JitGraph graph(graphOf("down", "2x?", 1, type, false) +
                     graphOf("up", "2x?", 1, type, true),
                 target);
  std::mt19937_64 random(5);
  for (int64_t width : {100, 777})
    for (uint64_t range : {uint64_t(3), uint64_t(0)}) {
      std::vector<T> x(2 * width);
      for (T &element : x)
        element = T(range ? random() % range - range / 2 : random());
      for (int64_t k : {1, 60})
        for (bool ascending : {false, true})
          compareRows(graph, ascending ? "up" : "down", x, k, ascending, type);
    }
}

TEST(TopK, Integers) {
  JitTarget target = jitTargets().front();
  compareIntegers<int8_t>("i8", target);
  compareIntegers<uint8_t>("ui8", target);
  compareIntegers<int16_t>("i16", target);
  compareIntegers<uint16_t>("ui16", target);
  compareIntegers<int32_t>("i32", target);
  compareIntegers<uint32_t>("ui32", target);
  compareIntegers<int64_t>("i64", target);
  compareIntegers<uint64_t>("ui64", target);
}

template <typename T>
static void compareFloats(const std::string &type, JitTarget target) {
  JitGraph graph(graphOf("down", "2x?", 1, type, false) +
                     graphOf("up", "2x?", 1, type, true),
                 target);
  for (const RowCase &c : rowCases(700, 4)) {
    std::vector<float> from = twoRows(c.row);
    std::vector<T> x;
    for (float element : from)
      x.push_back(T(element));
    for (bool ascending : {false, true})
      compareRows(graph, ascending ? "up" : "down", x, 20, ascending,
                  c.name + " " + type);
  }
}

TEST(TopK, OtherFloats) {
  JitTarget target = jitTargets().front();
  compareFloats<double>("f64", target);
  compareFloats<_Float16>("f16", target);
  compareFloats<Bfloat>("bf16", target);
}

TEST(TopK, OtherDimensions) {
  JitGraph graph(graphOf("down", "?x3", 0, "f32", false), jitTargets().front());
  constexpr int64_t width = 300, k = 40;
  for (const RowCase &c : rowCases(3 * width, 4)) {
    std::vector<float> x = c.row, first(3 * k);
    std::vector<int64_t> places(3 * k);
    std::vector<int8_t> like(k);
    graph.runAll("down", {{x.data(), {width, 3}}, {like.data(), {k}}},
                 {{first.data(), {k, 3}}, {places.data(), {k, 3}}});
    for (int64_t column = 0; column < 3; ++column) {
      std::vector<int64_t> order =
          expected(x.data() + column, width, 3, k, false);
      for (int64_t i = 0; i < k; ++i) {
        EXPECT_EQ(places[i * 3 + column], order[i]) << c.name;
        EXPECT_EQ(std::memcmp(&first[i * 3 + column], &x[order[i] * 3 + column],
                              sizeof(float)),
                  0)
            << c.name;
      }
    }
  }
}
