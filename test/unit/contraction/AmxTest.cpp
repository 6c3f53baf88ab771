// Tests products in AMX tiles, of a processor or the emulator: the error of
// each element against f64, and the rows that must have the bits of other
// targets.
#include "test/unit/contraction/AmxCase.h"
#include "test/unit/contraction/ContractionCase.h"

#include <bit>
#include <cmath>
#include <random>
#include <thread>

using namespace tenon;

namespace {
TEST_F(AmxProduct, HasThePlainError) {
  int64_t columns[] = {192, 209, 223, 224, 225, 255, 256, 287, 353};
  int64_t sums[] = {1024, 1025, 1055, 1056, 1057, 1087, 1100, 1200};
  for (int64_t rows = 65, i = 0; rows <= 96; rows += 1 + i % 3, ++i) {
    Product product({rows, columns[i % 9], sums[i * 5 % 8]}, i + 1);
    std::vector<float> found = runOnce(product, 3);
    expectErrors(product, found, plainError(product.size));
    // The average error must be below that of a sequential chain.
    double tiled = 0, chains = 0;
    bool differs = false;
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t n = 0; n < product.size.columns; ++n) {
        auto [sum, magnitudes] = product.exact(m, n);
        float here = found[m * product.size.columns + n], chain = 0;
        for (int64_t k = 0; k < product.size.sum; ++k)
          chain = std::fma(product.left(m, k), product.right(k, n), chain);
        tiled += std::pow((here - sum) / magnitudes, 2);
        chains += std::pow((chain - sum) / magnitudes, 2);
        differs |= !sameBits(here, product.plain(m, n));
      }
    EXPECT_LT(std::sqrt(tiled), 0.8 * std::sqrt(chains))
        << rows << " rows, sums of " << product.size.sum;
    EXPECT_TRUE(differs) << "no tile was used";
  }
}

TEST_F(AmxProduct, HasTheErrorOfFewerParts) {
  for (Extents size : {Extents{70, 130, 300}, Extents{80, 96, 500}}) {
    Product product(size);
    expectErrors(product, runOnce(product, 2), plainError(size) + 3 * 0x1p-18);
    expectErrors(product, runOnce(product, 1), plainError(size) + 0x1.01p-8);
  }
}

TEST_F(AmxProduct, ManyRowsAndColumnsAreSeveralTasks) {
  for (Extents size : {Extents{150, 300, 400}, Extents{300, 700, 300}}) {
    Product product(size);
    std::vector<float> found = runOnce(product, 3);
    expectErrors(product, found, plainError(size));
    // Tasks that run together share the split operands.
    for (int64_t step : {2, 3, 1000})
      EXPECT_EQ(runOnce(product, 3, step), found);
  }
}

TEST_F(AmxProduct, RowsDoNotDependOnOneAnother) {
  Extents size{100, 256, 400};
  JitGraph graph(textOf(size, -1), amxTarget(3));
  Product all(size);
  // These rows take the fallback.
  all.left(3, 7) = infinity;
  all.left(20, 199) = 0x1p-140f;
  for (int64_t k = 0; k < size.sum; ++k)
    all.left(11, k) = 0;
  std::vector<float> expected = run(graph, all);
  for (int64_t rows : {65, 80, 97, 99})
    for (int64_t first : {int64_t(0), size.rows - rows}) {
      Product some({rows, size.columns, size.sum});
      some.w = all.w;
      std::copy_n(&all.left(first, 0), rows * size.sum, some.x.begin());
      std::vector<float> found = run(graph, some);
      for (size_t i = 0; i < found.size(); ++i)
        ASSERT_TRUE(sameBits(found[i], expected[first * size.columns + i]))
            << rows << " rows from " << first << ", element " << i;
    }
}

TEST_F(AmxProduct, FewRowsGoAsElsewhere) {
  Extents size{64, 256, 400};
  JitGraph graph(textOf(size, -1), amxTarget(3));
  for (int64_t rows : {0, 1, 9, 64}) {
    Product product({rows, size.columns, size.sum});
    std::vector<float> found = run(graph, product);
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_TRUE(sameBits(found[i],
                           product.plain(i / size.columns, i % size.columns)));
  }
}

TEST_F(AmxProduct, RowsMayLieAnywhere) {
  // A convolution with one tap and stride two: 10 x 9 rows.
  Extents size{90, 256, 400};
  Product product(size);
  std::vector<float> image = randomFloats(19 * 18 * size.sum, 3);
  for (int64_t m = 0; m < size.rows; ++m)
    std::copy_n(&image[(m / 9 * 2 * 18 + m % 9 * 2) * size.sum], size.sum,
                &product.left(m, 0));
  std::string x = dims({1, 19, 18, 400}), p = dims({16, 1, 1, 400, 16}),
              w = dims({1, 1, 400, 256}), y = dims({1, 10, 9, 256});
  JitGraph graph(
      "func.func @f(%x: " + x + ", %p: " + p + ") -> " + y +
          " {\n  %w = tenon.unpack %p dim 3 extent 256 : (" + p + ") -> " + w +
          "\n  %0 = tenon.convolution %x, %w strides [2, 2] padding "
          "[0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] "
          "groups 1 : (" +
          x + ", " + w + ") -> " + y + "\n  return %0 : " + y + "\n}\n",
      amxTarget(3));
  std::vector<float> panels = product.panels(), found(size.rows * size.columns);
  graph.run(
      "f",
      {{image.data(), {1, 19, 18, 400}}, {panels.data(), {16, 1, 1, 400, 16}}},
      {found.data(), {1, 10, 9, 256}});
  EXPECT_EQ(found, runOnce(product, 3));
}

TEST_F(AmxProduct, OpsFollowOnTheSums) {
  Extents size{70, 250, 400};
  Product product(size);
  std::vector<float> sums = runOnce(product, 3),
                     found = run(
                         JitGraph(textOf(size, size.rows, true), amxTarget(3)),
                         product),
                     bias = biasOf(size);
  for (size_t i = 0; i < sums.size(); ++i)
    ASSERT_EQ(found[i], std::max(sums[i] + bias[i % size.columns], 0.0f));
}

/// Gives the elements random exponents in [low, high].
void scatterExponents(std::vector<float> &values, int low, int high,
                      uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> exponents(low, high);
  for (float &value : values)
    value = std::ldexp(value, exponents(random));
}

TEST_F(AmxProduct, HasThePlainErrorAtAnyScale) {
  struct Range {
    int lowLeft, highLeft, lowRight, highRight;
  };
  uint32_t seed = 1;
  for (Range range : {Range{-20, 20, -20, 20},
                      {-60, 0, -60, 0},
                      {-100, -60, -40, 0},
                      {-149, -100, 0, 40},
                      {-40, 0, -149, -100},
                      {-149, -120, 90, 125},
                      {-30, 125, -149, 0},
                      {-149, 126, -149, 126},
                      {-75, -70, -75, -70},
                      {-41, -39, -41, -39},
                      {28, 32, 28, 32}})
    for (Extents size : {Extents{70, 256, 400}, Extents{66, 144, 1057}}) {
      Product product(size, seed++);
      scatterExponents(product.x, range.lowLeft, range.highLeft, seed++);
      scatterExponents(product.w, range.lowRight, range.highRight, seed++);
      SCOPED_TRACE(std::to_string(range.lowLeft) + ".." +
                   std::to_string(range.highLeft) + " by " +
                   std::to_string(range.lowRight) + ".." +
                   std::to_string(range.highRight));
      expectErrors(product, runOnce(product, 3), plainError(size));
    }
}

TEST_F(AmxProduct, TinyProductsBesideZerosAreNotLost) {
  // A one is multiplied by a one, and all other products are zero, so the sum
  // is exact.
  Extents size{70, 250, 400};
  Product product(size);
  std::fill(product.x.begin(), product.x.end(), 0.0f);
  std::fill(product.w.begin(), product.w.end(), 0.0f);
  std::mt19937 random(5);
  std::uniform_int_distribution<int> exponents(-149, 60);
  for (int64_t m = 0; m < size.rows; ++m)
    product.left(m, m) = std::ldexp(1.9999f, exponents(random));
  for (int64_t n = 0; n < size.columns; ++n)
    product.right(n, n) = std::ldexp(1.3333f, exponents(random));
  std::vector<float> found = runOnce(product, 3);
  expectErrors(product, found, plainError(size));
  for (int64_t m = 0; m < size.rows; ++m)
    for (int64_t n = 0; n < size.columns; ++n) {
      if (m == n)
        continue;
      ASSERT_EQ(found[m * size.columns + n], 0.0f);
    }
}

TEST_F(AmxProduct, SpecialValuesComeOutAsElsewhere) {
  Extents size{70, 250, 400};
  const float specials[] = {infinity,         -infinity,
                            quietNan,         -0.0f,
                            0x1p-149f,        -0x1p-126f,
                            0x1p-130f,        3.4e38f,
                            -0x1.fffffep127f, std::bit_cast<float>(0x7fffffff)};
  for (int64_t parts : {1, 2, 3}) {
    JitGraph graph(textOf(size, size.rows), amxTarget(parts));
    double error = plainError(size) + (parts == 1   ? 0x1.01p-8
                                       : parts == 2 ? 3 * 0x1p-18
                                                    : 0);
    for (float special : specials) {
      if (parts < 3 && std::fabs(special) < 0x1p-120f)
        continue;
      Product product(size);
      product.left(4, 69) = special;
      product.left(17, 0) = special;
      product.right(3, 49) = special;
      product.right(33, 5) = special;
      product.right(0, 5) = -special;
      product.left(9, 3) = 0;
      std::vector<float> found = run(graph, product);
      expectErrors(product, found, error);
      for (int64_t m = 0; m < size.rows; ++m)
        for (int64_t n = 0; n < size.columns; ++n)
          if (float plain = product.plain(m, n); !std::isfinite(plain)) {
            EXPECT_TRUE(sameBits(found[m * size.columns + n], plain))
                << special << ": " << m << ", " << n;
          }
    }
  }
}

TEST_F(AmxProduct, ThreadsHaveTilesOfTheirOwn) {
  Extents size{80, 256, 400};
  JitGraph graph(textOf(size, size.rows), amxTarget(3));
  std::vector<Product> products;
  std::vector<std::vector<float>> expected, found(4);
  for (uint32_t i = 0; i < 4; ++i) {
    products.emplace_back(size, i + 1);
    expected.push_back(run(graph, products[i]));
  }
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { found[i] = run(graph, products[i]); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(found, expected);
}

} // namespace
