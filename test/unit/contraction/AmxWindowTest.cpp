// Tests convolutions whose windows have several taps in AMX tiles, with f32
// operands and with pairs of bf16: the error of each element against f64, and
// taps outside the image.
#include "test/unit/contraction/AmxCase.h"
#include "test/unit/contraction/ContractionCase.h"
#include "test/unit/contraction/Tensors.h"

#include "llvm/TargetParser/Host.h"
#include <bit>
#include <cmath>

using namespace tenon;

namespace {
constexpr int64_t width = 16;

struct Window {
  int64_t size, features, outputs, taps;
  SquareWindow of;

  int64_t places() const { return of.placesOf(size, taps); }
  /// The first element of the pixel that tap number `tap` of row number `row`
  /// reads; -1 if the tap is outside the image.
  int64_t pixel(int64_t row, int64_t tap) const {
    int64_t y = of.pixelAt(row / places(), tap / taps, size),
            x = of.pixelAt(row % places(), tap % taps, size);
    return y < 0 || x < 0 ? -1 : (y * size + x) * features;
  }
};

/// A convolution of one image, as the product of its windows and the weights.
/// Taps outside the image are zeros.
struct WindowProduct : Product {
  Window window;
  std::vector<float> image;

  WindowProduct(const Window &window, uint32_t seed)
      : Product({window.places() * window.places(), window.outputs,
                 window.taps * window.taps * window.features},
                seed),
        window(window),
        image(randomFloats(window.size * window.size * window.features,
                           seed + 2)) {
    gather();
  }
  void gather() {
    for (int64_t m = 0; m < size.rows; ++m)
      for (int64_t k = 0; k < size.sum; ++k) {
        int64_t pixel = window.pixel(m, k / window.features);
        left(m, k) = pixel < 0 ? 0 : image[pixel + k % window.features];
      }
  }
  int64_t panelCount() const { return (window.outputs + width - 1) / width; }
  std::string text(int64_t known, const std::string &panels,
                   const char *element, const char *products) const {
    auto [size, features, outputs, taps, of] = window;
    int64_t placesKnown = known < 0 ? known : window.places();
    std::string x = dims({1, known, known, features}, element),
                p = dims({panelCount(), taps, taps, features, width}, element),
                w = dims({taps, taps, features, outputs}, element),
                y = dims({1, placesKnown, placesKnown, outputs});
    auto twice = [](int64_t number) {
      std::string text = std::to_string(number);
      return "[" + text + ", " + text + "]";
    };
    std::string pad = std::to_string(of.padding);
    return "func.func @f(%x: " + x + ", " + panels +
           "  %w = tenon.unpack %p dim 3 extent " + std::to_string(outputs) +
           " : (" + p + ") -> " + w + "\n  %0 = tenon.convolution %x, %w " +
           "strides " + twice(of.stride) + " padding [" + pad + ", " + pad +
           ", " + pad + ", " + pad + "] lhs_dilation [1, 1] rhs_dilation " +
           twice(of.dilation) + " groups 1" + products + " : (" + x + ", " + w +
           ") -> " + y + "\n  return %0 : " + y + "\n}\n";
  }
  std::string resultType(int64_t known) const {
    int64_t places = known < 0 ? known : window.places();
    return dims({1, places, places, window.outputs});
  }
  std::vector<int64_t> resultDims() const {
    return {1, window.places(), window.places(), window.outputs};
  }
};

std::vector<float> runFloats(WindowProduct &product, int64_t parts,
                             bool open = false, int64_t step = 1) {
  const Window &window = product.window;
  int64_t known = open ? -1 : window.size;
  std::vector<float> panels = product.panels(),
                     result(product.size.rows * product.size.columns);
  std::string p = dims(
      {product.panelCount(), window.taps, window.taps, window.features, width});
  JitGraph graph(
      product.text(known,
                   "%p: " + p + ") -> " + product.resultType(known) + " {\n",
                   "f32", ""),
      amxTarget(parts));
  EXPECT_TRUE(graph.usesTiles());
  graph.run(
      "f",
      {{product.image.data(), {1, window.size, window.size, window.features}},
       {panels.data(),
        {product.panelCount(), window.taps, window.taps, window.features,
         width}}},
      {result.data(), product.resultDims()}, step);
  return result;
}

const Window windows[] = {{9, 32, 96, 3, 1, 1},     {9, 62, 126, 3, 1, 1},
                          {18, 64, 100, 3, 2, 1},   {9, 120, 128, 3, 1, 1},
                          {11, 64, 96, 3, 1, 2, 2}, {9, 250, 96, 3, 1, 1},
                          {9, 32, 128, 5, 1, 2},    {10, 64, 128, 2, 1, 0},
                          {20, 32, 96, 3, 1, 1},    {9, 600, 112, 3, 1, 1}};

TEST_F(AmxProduct, WindowsHaveThePlainError) {
  uint32_t seed = 11;
  for (const Window &window : windows) {
    WindowProduct product(window, seed++);
    std::vector<float> found = runFloats(product, 3);
    expectErrors(product, found, plainError(product.size));
    if (seed % 3 != 0)
      continue;
    // Neither open extents nor tasks change a bit.
    EXPECT_EQ(runFloats(product, 3, /*open=*/true), found);
    EXPECT_EQ(runFloats(product, 3, /*open=*/false, /*step=*/1000), found);
  }
}

TEST_F(AmxProduct, WindowsHaveTheErrorOfFewerParts) {
  WindowProduct product({9, 64, 96, 3, 1, 1}, 5);
  double error = plainError(product.size);
  expectErrors(product, runFloats(product, 2), error + 3 * 0x1p-18);
  expectErrors(product, runFloats(product, 1), error + 0x1.01p-8);
}

/// Expects that infinite weights of the first tap reach the rows whose first
/// tap is inside the image, and no other.
template <typename Run>
void expectInfinityInside(WindowProduct &product, Run run) {
  for (int64_t n = 0; n < product.window.outputs; ++n)
    product.right(0, n) = infinity;
  std::vector<float> found = run(product);
  for (int64_t n = 0; n < product.window.outputs; ++n)
    product.right(0, n) = 0;
  for (int64_t m = 0; m < product.size.rows; ++m)
    for (int64_t n = 0; n < product.window.outputs; ++n) {
      float here = found[m * product.window.outputs + n];
      if (product.window.pixel(m, 0) >= 0) {
        ASSERT_FALSE(std::isfinite(here)) << m << ", " << n;
        continue;
      }
      auto [sum, magnitudes] = product.exact(m, n);
      ASSERT_NEAR(here, sum, plainError(product.size) * magnitudes)
          << m << ", " << n;
    }
}

TEST_F(AmxProduct, InfiniteWeightsAddNothingOutside) {
  WindowProduct product({9, 32, 96, 3, 1, 1}, 21);
  expectInfinityInside(product,
                       [](WindowProduct &p) { return runFloats(p, 3); });
}

TEST_F(AmxProduct, TinyElementsOfWindowsAreNotLost) {
  WindowProduct product({9, 32, 96, 3, 1, 1}, 31);
  for (size_t i = 0; i < product.image.size(); ++i)
    product.image[i] = std::ldexp(product.image[i], -int(i % 120) - 20);
  product.gather();
  expectErrors(product, runFloats(product, 3), plainError(product.size));
}

/// Cuts the values to bf16.
void cut(std::vector<float> &values) {
  for (float &value : values)
    value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffff0000u);
}

std::vector<float> runPairs(WindowProduct &product) {
  const Window &window = product.window;
  std::vector<uint16_t> image;
  for (float value : product.image)
    image.push_back(uint16_t(std::bit_cast<uint32_t>(value) >> 16));
  int64_t lines = product.size.sum / 2;
  std::vector<uint32_t> words(product.panelCount() * lines * width);
  for (int64_t n = 0; n < window.outputs; ++n)
    for (int64_t k = 0; k < product.size.sum; ++k)
      words[(n / width * lines + k / 2) * width + n % width] |=
          std::bit_cast<uint32_t>(product.right(k, n)) >> 16 << k % 2 * 16;
  std::vector<int64_t> extents{product.panelCount(), window.taps, window.taps,
                               window.features / 2, width};
  std::string q = dims({extents[0], extents[1], extents[2], extents[3], width},
                       "i32"),
              p = dims(
                  {extents[0], extents[1], extents[2], window.features, width},
                  "bf16");
  JitGraph graph(product.text(window.size,
                              "%q: " + q + ") -> " +
                                  product.resultType(window.size) +
                                  " {\n  %p = tenon.unpair %q : (" + q +
                                  ") -> " + p + "\n",
                              "bf16", " products pairs"),
                 {"x86-64-v4",
                  64,
                  {"+amx-tile", "+amx-bf16", "+avx512bf16"},
                  /*amxParts=*/1});
  std::vector<float> result(product.size.rows * product.size.columns);
  EXPECT_TRUE(graph.usesTiles());
  graph.run("f",
            {{image.data(), {1, window.size, window.size, window.features}},
             {words.data(), extents}},
            {result.data(), product.resultDims()});
  return result;
}

TEST_F(AmxProduct, WindowsOfPairs) {
  if (!llvm::sys::getHostCPUFeatures().lookup("avx512bf16"))
    GTEST_SKIP() << "doubtful sums are computed by AVX-512's instruction";
  uint32_t seed = 41;
  for (const Window &window : windows) {
    WindowProduct product(window, seed++);
    cut(product.image);
    cut(product.w);
    product.gather();
    expectErrors(product, runPairs(product), plainError(product.size));
    expectInfinityInside(product, runPairs);
  }
}
} // namespace
