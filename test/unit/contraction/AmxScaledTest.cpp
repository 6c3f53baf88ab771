// Tests weights of integers with scales in AMX tiles: the error of each element
// against f64, and the rows that must have the bits of other targets.
#include "test/unit/contraction/AmxCase.h"
#include "test/unit/contraction/StoredWeight.h"
#include "test/unit/contraction/Tensors.h"

#include <cmath>

using namespace tenon;

namespace {
/// Rows of f32 times a weight of integers.
struct ScaledProduct {
  Extents size;
  Weight weight;
  std::vector<float> x;

  ScaledProduct(Extents size, Form form, uint32_t seed = 1)
      : size(size), weight(size.sum, size.columns, form),
        x(randomFloats(size.rows * size.sum, seed)) {}

  float &left(int64_t row, int64_t k) { return x[row * size.sum + k]; }
  float plain(int64_t row, int64_t column) {
    return weight.sum(&x[row * size.sum], column);
  }
  std::string text(int64_t known) const {
    std::string x = dims({known, size.sum}), w = dims({size.sum, size.columns}),
                y = dims({known, size.columns});
    return "func.func @f(%x: " + x + weight.parameters() + ") -> " + y +
           " {\n" + weight.unpacked(1, w) +
           "\n  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] "
           ": (" +
           x + ", " + w + ") -> " + y + "\n  return %0 : " + y + "\n}\n";
  }
  JitGraph graph(int64_t parts = 3) const {
    return JitGraph(text(size.rows), amxTarget(parts));
  }
  std::vector<float> run(const JitGraph &graph, int64_t step = 1000) {
    std::vector<float> result(size.rows * size.columns);
    int64_t width = weight.width;
    graph.run(
        "f",
        {{x.data(), {size.rows, size.sum}},
         {weight.stored.data(), {weight.panels, weight.lines, width}},
         {weight.storedScales.data(), {weight.panels, weight.groups, width}}},
        {result.data(), {size.rows, size.columns}}, step);
    return result;
  }
  /// Expects the bits of other targets in these rows.
  void expectPlain(const std::vector<float> &found, int64_t first,
                   int64_t last) {
    for (int64_t m = first; m < last; ++m)
      for (int64_t n = 0; n < size.columns; ++n)
        ASSERT_TRUE(sameBits(found[m * size.columns + n], plain(m, n)))
            << m << ", " << n;
  }
  /// Expects errors of at most `perProduct` times the magnitudes of products.
  void expectErrors(const std::vector<float> &found, double perProduct) {
    int64_t different = 0;
    for (int64_t m = 0; m < size.rows; ++m)
      for (int64_t n = 0; n < size.columns; ++n) {
        double sum = 0, magnitudes = 0;
        for (int64_t k = 0; k < size.sum; ++k) {
          double product = left(m, k) * weight.element(k, n);
          sum += product;
          magnitudes += std::fabs(product);
        }
        float here = found[m * size.columns + n];
        different += !sameBits(here, plain(m, n));
        ASSERT_LE(std::fabs(here - sum), perProduct * magnitudes)
            << "row " << m << ", column " << n << ": " << here << " for "
            << sum;
      }
    EXPECT_GT(different, size.rows * size.columns / 4) << "no tile was used";
  }
};

Form wide(Form form, int64_t width) {
  form.width = width;
  return form;
}

class AmxScaled : public AmxProduct {};

TEST_F(AmxScaled, HasThePlainError) {
  // Whole tiles, and remainders of rows, columns, groups and pieces.
  for (Form form : {bytes, nibbles, wide(bytes, 64), wide(nibbles, 96)})
    for (Extents size : {Extents{7, 256, 512}, Extents{16, 300, 840},
                         Extents{96, 256, 512}, Extents{65, 300, 840},
                         Extents{83, 209, 1025}, Extents{150, 350, 1100}}) {
      SCOPED_TRACE(std::string(form.element) + " " + std::to_string(size.sum));
      ScaledProduct product(size, form, uint32_t(size.sum));
      JitGraph graph = product.graph();
      ASSERT_TRUE(graph.usesTiles());
      std::vector<float> found = product.run(graph);
      product.expectErrors(found, plainError(size));
      EXPECT_EQ(product.run(graph, 1), found);
    }
}

TEST_F(AmxScaled, HasTheErrorOfFewerParts) {
  for (Form form : {bytes, nibbles}) {
    ScaledProduct product({80, 256, 600}, form);
    product.expectErrors(product.run(product.graph(2)),
                         plainError(product.size) + 0x1p-16);
    product.expectErrors(product.run(product.graph(1)),
                         plainError(product.size) + 0x1.01p-8);
  }
}

TEST_F(AmxScaled, RowsDoNotDependOnOneAnother) {
  for (Form form : {bytes, nibbles}) {
    ScaledProduct many({130, 256, 700}, form), few({70, 256, 700}, form);
    std::copy_n(many.x.begin(), few.x.size(), few.x.begin());
    std::vector<float> all = many.run(many.graph()),
                       first = few.run(few.graph());
    all.resize(first.size());
    EXPECT_EQ(all, first);
  }
}

TEST_F(AmxScaled, OneTileHasTheBitsOfMany) {
  for (Form form : {bytes, nibbles}) {
    ScaledProduct many({130, 256, 1000}, form);
    JitGraph open(many.text(-1), amxTarget(3));
    std::vector<float> all = many.run(many.graph());
    EXPECT_EQ(many.run(open), all);
    for (int64_t rows : {7, 15, 16, 17, 40}) {
      ScaledProduct less({rows, 256, 1000}, form);
      std::copy_n(many.x.begin(), less.x.size(), less.x.begin());
      std::vector<float> first(all.begin(), all.begin() + rows * 256);
      EXPECT_EQ(less.run(open), first) << rows;
      EXPECT_EQ(less.run(less.graph(), 1), first) << rows;
    }
  }
}

TEST_F(AmxScaled, SpecialRowsGoAsWithoutTiles) {
  for (Form form : {bytes, nibbles}) {
    ScaledProduct product({72, 256, 700}, form);
    product.left(0, 5) = infinity;
    product.left(1, 699) = quietNan;
    product.left(2, 130) = 0x1p-87f;
    product.left(3, 0) = 0x1p-140f;
    for (int64_t k = 0; k < 700; ++k)
      product.left(4, k) *= 0x1p-90f;
    for (int64_t k = 0; k < 700; ++k)
      product.left(5, k) *= 0x1p125f;
    std::vector<float> found = product.run(product.graph());
    product.expectPlain(found, 0, 5);
    // Sums of groups overflow.
    int64_t infinite = 0;
    for (int64_t n = 0; n < 256; ++n)
      if (!std::isfinite(product.plain(5, n))) {
        ASSERT_TRUE(sameBits(found[5 * 256 + n], product.plain(5, n))) << n;
        ++infinite;
      }
    EXPECT_GT(infinite, 0);
  }
}

TEST_F(AmxScaled, FewRowsGoAsWithoutTiles) {
  for (Form form : {bytes, nibbles}) {
    ScaledProduct few({6, 256, 700}, form);
    few.expectPlain(few.run(JitGraph(few.text(-1), amxTarget(3))), 0, 6);
  }
}
} // namespace
