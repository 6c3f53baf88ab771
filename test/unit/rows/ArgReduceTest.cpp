// The column of the greatest or least element of a row, in vectors.
#include "test/unit/contraction/JitGraph.h"
#include "test/unit/rows/RowCases.h"

#include "gtest/gtest.h"

using namespace tenon;

namespace {
std::string graphOf(const std::string &name, const std::string &width,
                    const std::string &type, const std::string &kind,
                    bool last) {
  std::string in = "tensor<3x" + width + "x" + type + ">";
  return "func.func @" + name + "(%x: " + in +
         ") -> tensor<3xi64> {\n  %0 = tenon.arg_reduce " + kind +
         " %x over 1" + (last ? " last" : "") + " : (" + in +
         ") -> tensor<3xi64>\n  return %0 : tensor<3xi64>\n}\n";
}

/// All four ways to choose, for rows of `width` elements or of any number.
std::string graphsOf(const std::string &prefix, const std::string &width,
                     const std::string &type) {
  return graphOf(prefix + "max", width, type, "maximum", false) +
         graphOf(prefix + "maxlast", width, type, "maximum", true) +
         graphOf(prefix + "min", width, type, "minimum", false) +
         graphOf(prefix + "minlast", width, type, "minimum", true);
}

template <typename T>
int64_t expected(const T *row, int64_t width, bool greatest, bool last) {
  int64_t best = 0;
  for (int64_t i = 1; i < width; ++i) {
    bool numberAfterNan = row[best] != row[best] && row[i] == row[i];
    bool nan = row[i] != row[i];
    bool beats = nan ? row[best] == row[best]
                     : !numberAfterNan &&
                           (greatest ? row[i] > row[best] : row[i] < row[best]);
    bool equal = nan ? row[best] != row[best] : row[i] == row[best];
    if (beats || (equal && last))
      best = i;
  }
  return best;
}

template <typename T>
void compare(const JitGraph &graph, const std::string &prefix,
             std::vector<T> row, const std::string &what) {
  int64_t width = row.size();
  // The row, the row reversed, and the row turned by half of it.
  std::vector<T> x(row);
  x.insert(x.end(), row.rbegin(), row.rend());
  for (int64_t i = 0; i < width; ++i)
    x.push_back(row[(i + width / 2) % width]);
  for (bool greatest : {true, false})
    for (bool last : {false, true})
      for (int64_t step : {1, 3}) {
        std::string name = (greatest ? "max" : "min");
        if (last)
          name += "last";
        std::vector<int64_t> found(3, -1);
        graph.run(prefix + name, {{x.data(), {3, width}}}, {found.data(), {3}},
                  step);
        for (int64_t r = 0; r < 3; ++r)
          EXPECT_EQ(found[r],
                    expected(x.data() + r * width, width, greatest, last))
              << what << ", " << prefix << name << ", row " << r;
      }
}
} // namespace

TEST(ArgReduce, Floats) {
  for (const JitTarget &target : jitTargets()) {
    JitGraph graph(
        graphsOf("any", "?", "f32") + graphsOf("short", "10", "f32") +
            graphsOf("middle", "200", "f32") + graphsOf("long", "9001", "f32"),
        target);
    auto compareWidth = [&](int64_t width, const std::string &prefix) {
      for (const RowCase &c : rowCases(width, uint32_t(width)))
        compare(graph, prefix, c.row, c.name + " " + std::to_string(width));
    };
    for (int64_t width :
         {1, 2, 15, 16, 17, 63, 64, 65, 129, 1000, 8192, 8193, 10239, 10240})
      compareWidth(width, "any");
    compareWidth(10, "short");
    compareWidth(200, "middle");
    compareWidth(9001, "long");
    for (float special : {-INFINITY, INFINITY, NAN})
      compare(graph, "middle", std::vector<float>(200, special), "one value");
  }
}

template <typename T> static void compareIntegers(const std::string &type) {
  JitGraph graph(graphsOf("any", "?", type), jitTargets().front());
  std::mt19937_64 random(5);
  for (int64_t width : {1, 40, 777, 8200})
    for (uint64_t range : {uint64_t(1), uint64_t(3), uint64_t(0)}) {
      std::vector<T> row(width);
      for (T &element : row)
        element = range == 1 ? std::numeric_limits<T>::min()
                  : range    ? T(random() % range)
                             : T(random());
      compare(graph, "any", row, type);
    }
}

TEST(ArgReduce, Integers) {
  compareIntegers<int8_t>("i8");
  compareIntegers<uint8_t>("ui8");
  compareIntegers<int32_t>("i32");
  compareIntegers<uint32_t>("ui32");
  compareIntegers<int64_t>("i64");
  compareIntegers<uint64_t>("ui64");
}

TEST(ArgReduce, OtherFloats) {
  JitGraph graph(graphsOf("half", "?", "f16") + graphsOf("double", "?", "f64"),
                 jitTargets().front());
  for (const RowCase &c : rowCases(300, 2)) {
    compare(graph, "half", std::vector<_Float16>(c.row.begin(), c.row.end()),
            c.name);
    compare(graph, "double", std::vector<double>(c.row.begin(), c.row.end()),
            c.name);
  }
}
