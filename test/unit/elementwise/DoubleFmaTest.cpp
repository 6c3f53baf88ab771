// Tests the f64 multiply-add for CPUs without the instruction: it must give the
// bits of std::fma in every form, also for results that are hard to round.
#include "test/unit/elementwise/JitKernel.h"
#include "test/unit/elementwise/Sweep.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tenon {
namespace {

uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }

class FmaOfDoubles : public testing::TestWithParam<bool> {
protected:
  void add(double x, double y, double z) {
    a.push_back(x), b.push_back(y), c.push_back(z);
  }

  /// Runs every form on the triples and expects the bits of std::fma, or any
  /// NaN if that is NaN. Pads the triples to a multiple of sixteen.
  void expectSameBits() {
    padToSixteen(a), padToSixteen(b), padToSixteen(c);
    std::vector<double> results(a.size());
    for (Form form : allForms) {
      kernels.run(0, form, {a.data(), b.data(), c.data()}, results.data(),
                  int64_t(results.size()));
      for (size_t i = 0; i < results.size(); ++i) {
        double expected = std::fma(a[i], b[i], c[i]);
        if (std::isnan(expected) && std::isnan(results[i]))
          continue;
        ASSERT_EQ(bitsOf(results[i]), bitsOf(expected))
            << std::hexfloat << a[i] << " * " << b[i] << " + " << c[i]
            << " gave " << results[i] << ", expected " << expected << ", form "
            << form;
      }
    }
  }

  double anyBits() { return std::bit_cast<double>(random()); }
  /// A float with the given exponent and any sign.
  double at(int exponent) {
    double fraction = 1 + double(random() >> 12) * 0x1p-52;
    return std::ldexp(random() % 2 ? fraction : -fraction, exponent);
  }
  /// A number of few bits, so that products and sums are often halfway.
  double roundAt(int exponent) {
    double fraction = double(1 + random() % 7) * 0.5 +
                      std::ldexp(double(random() % 3), -int(random() % 54));
    return std::ldexp(random() % 2 ? fraction : -fraction, exponent);
  }
  int within(int low, int high) {
    return low + int(random() % uint64_t(high - low + 1));
  }

  std::vector<double> a, b, c;
  std::mt19937_64 random{7};
  JitKernels kernels{{{.text = "",
                       .operands = {"f64", "f64", "f64"},
                       .result = "f64",
                       .multiplyAdd = true}},
                     {"x86-64-v2", GetParam(), false, true}};
};

TEST_P(FmaOfDoubles, SpecialNumbers) {
  std::vector<double> numbers{0x0p0,     0x1p-1074, 0x1.8p-1073,
                              0x1p-1023, 0x1p-1022, 0x1p-600,
                              0x1p-54,   0x1p-53,   0.5,
                              1,         1.5,       0x1.0000000000001p0,
                              3,         0x1p52,    0x1p53,
                              0x1p600,   0x1p1023,  0x1.fffffffffffffp1023,
                              INFINITY,  NAN};
  for (size_t i = 0, n = numbers.size(); i < n; ++i) {
    numbers.push_back(-numbers[i]);
    numbers.push_back(std::nextafter(numbers[i], 1));
  }
  for (double x : numbers)
    for (double y : numbers)
      for (double z : numbers)
        add(x, y, z);
  expectSameBits();
}

TEST_P(FmaOfDoubles, AnyBits) {
  for (int i = 0; i < 1'000'000; ++i)
    add(anyBits(), anyBits(), anyBits());
  expectSameBits();
}

/// The exponents of the addend and the product differ by less than 130, and the
/// result may be denormal or overflow.
TEST_P(FmaOfDoubles, NearExponents) {
  for (int i = 0; i < 1'000'000; ++i) {
    int whole = i % 3 == 0   ? within(-1090, -960)
                : i % 3 == 1 ? within(-900, 900)
                             : within(960, 1030);
    int part =
        within(std::max(whole - 1023, -1074), std::min(whole + 1074, 1023));
    add(at(part), at(whole - part),
        at(std::min(whole + within(-130, 130), 1023)));
  }
  expectSameBits();
}

/// The addend is near the negated product.
TEST_P(FmaOfDoubles, Cancellation) {
  for (int i = 0; i < 1'000'000; ++i) {
    int whole = i % 2 ? within(-1080, -960) : within(-900, 900);
    int part =
        within(std::max(whole - 1000, -1000), std::min(whole + 1000, 1000));
    double x = at(part), y = at(whole - part);
    uint64_t near = random() % 5 - 2;
    add(x, y, std::bit_cast<double>(bitsOf(-(x * y)) + near));
  }
  expectSameBits();
}

/// Sums that end halfway between two results, or just beside it.
TEST_P(FmaOfDoubles, Halfway) {
  for (int i = 0; i < 2'000'000; ++i) {
    int whole = i % 2 ? within(-1080, -960) : within(-300, 300);
    int part = within(-400, 400);
    add(roundAt(part), roundAt(whole - part),
        roundAt(whole + within(-110, 110)));
  }
  expectSameBits();
}

INSTANTIATE_TEST_SUITE_P(, FmaOfDoubles, testing::Bool(), [](const auto &info) {
  return info.param ? "Optimized" : "Plain";
});

} // namespace
} // namespace tenon
