// Tests the f32 multiply-add for CPUs without the instruction: it must give the
// bits of std::fma in every form, also for results that are hard to round.
#include "test/unit/elementwise/JitKernel.h"
#include "test/unit/elementwise/Sweep.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tenon {
namespace {

struct Triples {
  std::vector<float> a, b, c;
  void add(float x, float y, float z) {
    a.push_back(x), b.push_back(y), c.push_back(z);
  }
};

class FmaByDoubles : public testing::TestWithParam<bool> {
protected:
  /// Runs every form on the triples and expects the bits of std::fma, or any
  /// NaN if that is NaN. Pads the triples to a multiple of sixteen.
  void expectSameBits(Triples &in) {
    padToSixteen(in.a), padToSixteen(in.b), padToSixteen(in.c);
    std::vector<float> results(in.a.size());
    for (Form form : allForms) {
      kernels.run(0, form, {in.a.data(), in.b.data(), in.c.data()},
                  results.data(), results.size());
      for (size_t i = 0; i < results.size(); ++i) {
        float expected = std::fma(in.a[i], in.b[i], in.c[i]);
        if (std::isnan(expected) && std::isnan(results[i]))
          continue;
        ASSERT_EQ(std::bit_cast<uint32_t>(results[i]),
                  std::bit_cast<uint32_t>(expected))
            << std::hexfloat << in.a[i] << " * " << in.b[i] << " + " << in.c[i]
            << " gave " << results[i] << ", expected " << expected << ", form "
            << form;
      }
    }
  }

  std::mt19937 random{7};
  JitKernels kernels{{{.text = "",
                       .operands = {"f32", "f32", "f32"},
                       .result = "f32",
                       .multiplyAdd = true}},
                     {"x86-64-v2", GetParam(), false, true}};
};

TEST_P(FmaByDoubles, SpecialNumbers) {
  std::vector<float> numbers = specialFloats();
  for (float a : numbers) {
    Triples triples;
    for (float b : numbers)
      for (float c : numbers)
        triples.add(a, b, c);
    expectSameBits(triples);
  }
}

TEST_P(FmaByDoubles, AnyBits) {
  auto any = [&] { return std::bit_cast<float>(uint32_t(random())); };
  Triples triples;
  for (int i = 0; i < 4'000'000; ++i)
    triples.add(any(), any(), any());
  expectSameBits(triples);
}

/// The addend is near the negated product, so the result may be any number,
/// even a denormal.
TEST_P(FmaByDoubles, Cancellation) {
  Triples triples;
  for (int i = 0; i < 1'000'000; ++i) {
    float a = std::bit_cast<float>(uint32_t(random()) & 0xbfffffff);
    float b = std::bit_cast<float>(uint32_t(random()) & 0xbfffffff);
    int32_t near = int32_t(random() % 5) - 2;
    triples.add(a, b,
                std::bit_cast<float>(std::bit_cast<uint32_t>(-(a * b)) + near));
  }
  expectSameBits(triples);
}

/// Sums that f64 rounds to halfway between two f32. The product ends far below
/// the last bit of the sum, on either side, for normal and denormal results.
TEST_P(FmaByDoubles, RoundedToAHalf) {
  Triples triples;
  size_t twiceIsWrong = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    // c plus half a unit of c, plus or minus a little: (1 + 2^-k)(1 - 2^-k) is
    // just below 1.
    int exponent = int(random() % 250) - 140, bits = 1 + int(random() % 22);
    float c = std::ldexp(float(1 + random() % 0xffffff), exponent - 23);
    int unit = std::max(std::ilogb(c) - 23, -149);
    float little = std::ldexp(1.0f, -bits), sign = random() % 2 ? 1.0f : -1.0f;
    float other = random() % 3 ? 1 - little : 1 + little;
    float half = std::ldexp(sign, (unit - 1) / 2);
    float rest = std::ldexp(1.0f, unit - 1 - (unit - 1) / 2);
    float a = half * (1 + little), b = rest * other;
    triples.add(a, b, c);
    twiceIsWrong += float(double(a) * b + c) != std::fma(a, b, c);
  }
  EXPECT_GT(twiceIsWrong, 10'000u) << "the test has lost its point";
  expectSameBits(triples);
}

INSTANTIATE_TEST_SUITE_P(, FmaByDoubles, testing::Bool(), [](const auto &info) {
  return info.param ? "Optimized" : "Plain";
});

} // namespace
} // namespace tenon
