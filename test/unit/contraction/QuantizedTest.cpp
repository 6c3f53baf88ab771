// Tests products with quantized weights against docs/numerics.md, bit by bit. A
// weight of f16 or bf16 is used as f32. Integer weights are summed in one chain
// per group; each sum times its scale is added by one multiply-add.
#include "test/unit/contraction/ContractionCase.h"
#include "test/unit/contraction/StoredWeight.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace tenon;

namespace {
Case product(int64_t rows, int64_t columns, int64_t depth, Form form,
             bool transposed = false, Unknown unknown = Unknown::None) {
  Weight weight(depth, columns, form);
  int64_t width = form.width;
  std::string name =
      numbered(form.element, {rows, columns, depth, width, transposed,
                              unknown == Unknown::None, form.special});
  Case test{name, {}, {}, {}, {rows, columns}, {}};
  test.inputs = {randomFloats(rows * depth, 3), weight.stored};
  test.dims = {{rows, depth}, {weight.panels, weight.lines, width}};
  if (form.group) {
    test.inputs.push_back(weight.storedScales);
    test.dims.push_back({weight.panels, weight.groups, width});
  }
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < columns; ++n)
      test.expected.push_back(weight.sum(&test.inputs[0][m * depth], n));
  std::string x = type({rows, depth}, unknown),
              y = type({rows, columns}, unknown),
              w = transposed ? type({columns, depth}) : type({depth, columns});
  test.text =
      "func.func @" + name + "(%x: " + x + weight.parameters() + ") -> " + y +
      " {\n" + weight.unpacked(transposed ? 0 : 1, w) +
      "\n  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [" +
      (transposed ? "1" : "0") + "] : (" + x + ", " + w + ") -> " + y +
      "\n  return %0 : " + y + "\n}\n";
  return test;
}

/// Depths that end within a word, a group and a block; panels of one vector,
/// and panels wider than some tiles.
std::vector<Case> cases(Form form) {
  std::vector<Case> result;
  const Dims depths{1, 7, 32, 45, 130, 300};
  for (auto [width, columns] :
       {std::pair{16, Dims{1, 15, 16, 17, 50, 150}},
        {form.bits == 4 ? 96 : 64, Dims{1, 24, 63, 64, 97, 150}}}) {
    form.width = width;
    size_t n = 0;
    for (int64_t rows : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 33})
      for (int i = 0; i < 3; ++i, ++n)
        result.push_back(product(rows, columns[n % columns.size()],
                                 depths[(n + n / 6) % depths.size()], form,
                                 n % 2));
    for (int64_t rows : {1, 2, 5, 9, 16, 17, 33})
      result.push_back(product(rows, 150, 300, form, false, Unknown::Rows));
  }
  return result;
}

/// The targets of other tests, and one with costly broadcasts.
std::vector<JitTarget> targets() {
  std::vector<JitTarget> result = jitTargets();
  if (result.back().vectorBytes == 64) {
    result.push_back(result.back());
    result.back().costlyBroadcasts = true;
  }
  return result;
}
} // namespace

TEST(Quantized, Halves) { check(cases(halves), targets()); }

TEST(Quantized, SpecialHalves) {
  Form form = halves;
  form.special = true;
  std::vector<Case> tests;
  for (int64_t rows : {1, 3, 9})
    tests.push_back(product(rows, 150, 300, form));
  // The bits that are required are near the sums in double.
  Weight weight(300, 150, form);
  for (Case &test : tests)
    for (size_t i = 0; i < test.expected.size(); ++i) {
      int64_t column = int64_t(i) % 150;
      double sum = 0, magnitude = 0;
      for (int64_t k = 0; k < 300; ++k) {
        double product = double(test.inputs[0][int64_t(i) / 150 * 300 + k]) *
                         weight.at(column / 16, k, column % 16);
        sum += product;
        magnitude += std::fabs(product);
      }
      if (std::isfinite(magnitude))
        EXPECT_NEAR(test.expected[i], sum, 300 * 0x1p-24 * magnitude);
      else
        EXPECT_EQ(std::isnan(test.expected[i]), std::isnan(sum));
    }
  check(std::move(tests));
}

TEST(Quantized, Bfloats) { check(cases(bfloats), targets()); }

TEST(Quantized, Bytes) { check(cases(bytes), targets()); }

TEST(Quantized, Nibbles) { check(cases(nibbles), targets()); }

TEST(Quantized, PanelsThatLeaveTheSecondCache) {
  check({product(21, 50, 34000, bytes), product(21, 50, 68000, nibbles),
         product(21, 50, 17000, bfloats), product(21, 50, 17000, halves)},
        targets());
}
