// Tests products of bf16 pairs against a scalar model of the instruction, bit
// by bit. Rows are rounded in the graph; weights are words in panels. The
// extents, the tiles and the tasks have no effect.
#include "test/unit/contraction/ContractionCase.h"

#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"
#include <bit>
#include <cmath>
#include <limits>

using namespace tenon;

namespace {
constexpr float infinity = std::numeric_limits<float>::infinity();

/// Rounds to nearest even; a NaN stays a NaN.
float asBfloat(float x) {
  auto bits = std::bit_cast<uint32_t>(x);
  if (std::isnan(x))
    return x;
  bits += 0x7fff + (bits >> 16 & 1);
  return std::bit_cast<float>(bits & 0xffff0000u);
}

float flushed(float x) {
  return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
}

/// A sum of pairs: the later product of a pair is added first, each by one
/// fused multiply-add, without denormals. Blocks have `block` pairs; 0 means
/// one chain.
class PairSum {
public:
  explicit PairSum(int64_t block) : block(block) {}
  void add(float x0, float y0, float x1, float y1) {
    part = flushed(std::fma(flushed(x1), flushed(y1), part));
    part = flushed(std::fma(flushed(x0), flushed(y0), part));
    if (block && ++pairs == block)
      endBlock();
  }
  void endBlock() {
    if (!block)
      return;
    sum += part;
    part = 0;
    pairs = 0;
  }
  float value() {
    if (block && pairs)
      endBlock();
    return block ? sum : part;
  }

private:
  int64_t block, pairs = 0;
  float sum = 0, part = 0;
};

int64_t pairsOf(int64_t depth) { return (depth + 1) / 2; }

/// The words of `taps` times `depth` rows of `columns` weights, in panels. The
/// padding of the last panel must have no effect.
std::vector<float> words(const std::vector<float> &weights, int64_t taps,
                         int64_t depth, int64_t columns, int64_t width) {
  int64_t panels = (columns + width - 1) / width, lines = pairsOf(depth);
  std::vector<float> result;
  for (int64_t p = 0; p < panels; ++p)
    for (int64_t line = 0; line < taps * lines; ++line)
      for (int64_t w = 0; w < width; ++w) {
        auto bits = [&](int64_t k) -> uint32_t {
          int64_t column = p * width + w;
          if (column >= columns)
            return 0x7fc1;
          float weight =
              k < depth ? weights[(line / lines * depth + k) * columns + column]
                        : 0;
          return std::bit_cast<uint32_t>(weight) >> 16;
        };
        int64_t k = line % lines * 2;
        result.push_back(std::bit_cast<float>(bits(k) | bits(k + 1) << 16));
      }
  return result;
}

std::vector<float> rounded(std::vector<float> values) {
  for (float &value : values)
    value = asBfloat(value);
  return values;
}

std::string retyped(std::string type, const char *element) {
  return type.replace(type.rfind('x') + 1, 3, element);
}

/// Text that makes `%r` the tensor `%x`, rounded and padded to an even last
/// extent.
std::string roundedRows(const Dims &dims, Unknown unknown, Dims &even) {
  even = dims;
  even.back() += even.back() % 2;
  std::string from = type(dims, unknown), bf16 = retyped(from, "bf16"),
              to = retyped(type(even, unknown), "bf16");
  std::string name = even == dims ? "r" : "c";
  std::string text = "  %" + name + " = tenon.convert %x to bf16 : (" + from +
                     ") -> " + bf16 + "\n";
  if (even == dims)
    return text;
  Dims none(dims.size()), one(dims.size());
  one.back() = 1;
  return text + "  %z = tenon.constant dense<0.0> : tensor<bf16>\n" +
         "  %r = tenon.pad %c, %z low " + list(none) + " high " + list(one) +
         " interior " + list(none) + " : (" + bf16 + ", tensor<bf16>) -> " +
         to + "\n";
}

using Change = void (*)(std::vector<float> &rows, std::vector<float> &weights);
void nothing(std::vector<float> &, std::vector<float> &) {}

Case product(int64_t rows, int64_t columns, int64_t depth,
             bool transposed = false, Unknown unknown = Unknown::None,
             Change change = nothing, int64_t width = 16) {
  std::string name = numbered("pairs", {rows, columns, depth, transposed,
                                        unknown == Unknown::None, width});
  Case test{name, {}, {}, {}, {rows, columns}, {}};
  std::vector<float> x = randomFloats(rows * depth, 3),
                     y = rounded(randomFloats(depth * columns, 5));
  change(x, y);
  int64_t panels = (columns + width - 1) / width, lines = pairsOf(depth);
  test.inputs = {x, words(y, 1, depth, columns, width)};
  test.dims = {{rows, depth}, {panels, lines, width}};
  std::vector<float> r = rounded(x);
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < columns; ++n) {
      PairSum sum(lines > 128 ? 128 : 0);
      for (int64_t k = 0; k < depth; k += 2) {
        bool last = k + 1 == depth;
        sum.add(r[m * depth + k], y[k * columns + n],
                last ? 0 : r[m * depth + k + 1],
                last ? 0 : y[(k + 1) * columns + n]);
      }
      test.expected.push_back(sum.value());
    }
  Dims even;
  std::string body = roundedRows({rows, depth}, unknown, even);
  std::string rowsType = retyped(type(even, unknown), "bf16"),
              q = retyped(type(test.dims[1]), "i32"),
              p = retyped(type({panels, 2 * lines, width}), "bf16"),
              w = retyped(transposed ? type({columns, 2 * lines})
                                     : type({2 * lines, columns}),
                          "bf16"),
              result = type(test.result, unknown);
  test.text = "func.func @" + name + "(%x: " + type({rows, depth}, unknown) +
              ", %q: " + q + ") -> " + result + " {\n" + body +
              "  %p = tenon.unpair %q : (" + q + ") -> " + p +
              "\n  %w = tenon.unpack %p dim " + (transposed ? "0" : "1") +
              " extent " + std::to_string(columns) + " : (" + p + ") -> " + w +
              "\n  %0 = tenon.dot_general %r, %w batch [] x [] contract [1] x "
              "[" +
              (transposed ? "1" : "0") + "] products pairs : (" + rowsType +
              ", " + w + ") -> " + result + "\n  return %0 : " + result +
              "\n}\n";
  return test;
}

/// A convolution with windows of `taps` x `taps` on one image.
Case convolution(int64_t size, int64_t features, int64_t outputs, int64_t taps,
                 SquareWindow window) {
  constexpr int64_t width = 16;
  std::string name =
      numbered("windows", {size, features, outputs, taps, window.stride,
                           window.padding, window.dilation});
  int64_t places = window.placesOf(size, taps),
          panels = (outputs + width - 1) / width, lines = pairsOf(features);
  Case test{name, {}, {}, {}, {1, places, places, outputs}, {}};
  std::vector<float> x = randomFloats(size * size * features, 3),
                     y = rounded(
                         randomFloats(taps * taps * features * outputs, 5));
  // It must not affect pixels whose window excludes it.
  y[0] = infinity;
  test.inputs = {x, words(y, taps * taps, features, outputs, width)};
  test.dims = {{1, size, size, features}, {panels, taps, taps, lines, width}};
  std::vector<float> r = rounded(x);
  for (int64_t i = 0; i < count(test.result); ++i) {
    int64_t n = i % outputs, row = i / outputs / places,
            column = i / outputs % places;
    PairSum sum(lines < 64 ? 0 : lines <= 192 ? lines : 128);
    for (int64_t tap = 0; tap < taps * taps; ++tap) {
      int64_t h = window.pixelAt(row, tap / taps, size),
              v = window.pixelAt(column, tap % taps, size);
      if (h < 0 || v < 0)
        continue;
      const float *pixel = &r[(h * size + v) * features];
      const float *weight = &y[tap * features * outputs + n];
      for (int64_t k = 0; k < features; k += 2) {
        bool last = k + 1 == features;
        sum.add(pixel[k], weight[k * outputs], last ? 0 : pixel[k + 1],
                last ? 0 : weight[(k + 1) * outputs]);
      }
      sum.endBlock();
    }
    test.expected.push_back(sum.value());
  }
  Dims even;
  std::string body = roundedRows(test.dims[0], Unknown::None, even);
  std::string rows = retyped(type(even), "bf16"),
              q = retyped(type(test.dims[1]), "i32"),
              p = retyped(type({panels, taps, taps, 2 * lines, width}), "bf16"),
              w = retyped(type({taps, taps, 2 * lines, outputs}), "bf16"),
              result = type(test.result);
  auto twice = [](int64_t number) { return list({number, number}); };
  test.text =
      "func.func @" + name + "(%x: " + type(test.dims[0]) + ", %q: " + q +
      ") -> " + result + " {\n" + body + "  %p = tenon.unpair %q : (" + q +
      ") -> " + p + "\n  %w = tenon.unpack %p dim 3 extent " +
      std::to_string(outputs) + " : (" + p + ") -> " + w +
      "\n  %0 = tenon.convolution %r, %w strides " + twice(window.stride) +
      " padding " +
      list({window.padding, window.padding, window.padding, window.padding}) +
      " lhs_dilation [1, 1] rhs_dilation " + twice(window.dilation) +
      " groups 1 products pairs : (" + rows + ", " + w + ") -> " + result +
      "\n  return %0 : " + result + "\n}\n";
  return test;
}

class Pairs : public testing::Test {
protected:
  void SetUp() override {
    if (!llvm::sys::getHostCPUFeatures().lookup("avx512bf16"))
      GTEST_SKIP() << "no instruction for pairs of bf16";
  }
  static void checkPairs(std::vector<Case> cases) {
    check(std::move(cases), {{"cooperlake", 64, {"+avx512bf16"}}});
  }
};
} // namespace

TEST_F(Pairs, EveryNumberOfRows) {
  std::vector<Case> cases;
  const Dims columns{1, 15, 16, 17, 50, 150}, depths{2, 3, 7, 32, 45, 130, 301};
  size_t n = 0;
  for (int64_t rows = 0; rows <= 17; ++rows)
    for (int i = 0; i < 3; ++i, ++n)
      cases.push_back(product(rows, columns[n % columns.size()],
                              depths[(n + n / 6) % depths.size()], n % 2));
  checkPairs(std::move(cases));
}

TEST_F(Pairs, RowsKnownInTheRun) {
  std::vector<Case> cases;
  for (int64_t rows : {1, 2, 5, 9, 33})
    for (int64_t depth : {30, 301})
      cases.push_back(product(rows, 150, depth, false, Unknown::Rows));
  checkPairs(std::move(cases));
}

// If the CPU lacks the instruction, or operands are neither rounded nor packed,
// each element is computed separately. A sum of one product has no order.
TEST(PairsAnywhere, OperandsAreRounded) {
  Case test{"one_by_one", {}, {}, {{5, 1}, {1, 20}}, {5, 20}, {}};
  fillInputs(test, Element::Float);
  for (float x : test.inputs[0])
    for (float y : test.inputs[1])
      test.expected.push_back(asBfloat(x) * asBfloat(y));
  test.text =
      "func.func @one_by_one(%x: tensor<5x1xf32>, %y: tensor<1x20xf32>) "
      "-> tensor<5x20xf32> {\n  %0 = tenon.dot_general %x, %y batch [] "
      "x [] contract [1] x [0] products pairs : (tensor<5x1xf32>, "
      "tensor<1x20xf32>) -> tensor<5x20xf32>\n  return %0 : "
      "tensor<5x20xf32>\n}\n";
  check({test});
}

TEST(PairsAnywhere, WordsAreReadByHalves) {
  // One row and one product per element: again no order.
  Case test = product(1, 20, 1);
  check({test}, {{"x86-64-v3", 32}});
}

TEST_F(Pairs, WidePanels) {
  std::vector<Case> cases;
  for (int64_t rows : {1, 2, 3, 7, 8, 12, 13, 40})
    for (int64_t columns : {64, 100})
      cases.push_back(
          product(rows, columns, 301, false, Unknown::None, nothing, 64));
  cases.push_back(product(5, 100, 60, true, Unknown::Rows, nothing, 64));
  checkPairs(std::move(cases));
}

TEST_F(Pairs, PanelsThatLeaveTheSecondCache) {
  checkPairs({product(21, 50, 17001), product(3, 50, 17000)});
}

TEST_F(Pairs, SpecialValues) {
  // One special value per row. The last column stays finite unless the row is
  // not.
  checkPairs({product(9, 18, 6, false, Unknown::None,
                      [](std::vector<float> &x, std::vector<float> &y) {
                        const float numbers[] = {
                            infinity,
                            -infinity,
                            std::numeric_limits<float>::quiet_NaN(),
                            3.4e38f, // rounds to infinity
                            1e-40f,  // a denormal
                            -1e-40f,
                            0x1.fffffep-127f, // rounds to a normal
                            -0.0f,
                            0x1.01p0f}; // a tie
                        for (size_t m = 0; m < 9; ++m)
                          x[m * 6 + m % 6] = numbers[m];
                        y[0] = 0;
                        y[1] = infinity;
                        y[2] = asBfloat(1e-39f);
                        y[3] = asBfloat(3e38f);
                        y[18 + 3] = asBfloat(-3e38f);
                      }),
              // Products that are denormals, and sums that become denormal.
              product(4, 16, 4, false, Unknown::None,
                      [](std::vector<float> &x, std::vector<float> &y) {
                        for (float &value : x)
                          value *= 0x1p-70f;
                        for (float &value : y)
                          value = asBfloat(value * 0x1p-57f);
                      })});
}

TEST_F(Pairs, Windows) {
  checkPairs({convolution(9, 3, 18, 3, {1, 1, 1}),
              convolution(11, 3, 64, 7, {2, 3, 1}),
              convolution(9, 20, 18, 3, {1, 0, 1}),
              convolution(9, 21, 34, 3, {2, 1, 1}),
              convolution(9, 32, 16, 3, {1, 2, 2}),
              convolution(7, 130, 50, 3, {1, 1, 1}),
              convolution(6, 256, 64, 3, {1, 1, 1}),
              convolution(5, 400, 40, 3, {1, 1, 1}),
              convolution(7, 64, 70, 1, {1, 0, 1}),
              convolution(7, 64, 70, 1, {2, 0, 1})});
}
