// Tests the f32 functions against libm in double. The bounds of
// docs/numerics.md must hold, and scalars and vectors of every target must give
// equal bits.
#include "test/unit/elementwise/JitKernel.h"
#include "test/unit/elementwise/Sweep.h"
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

namespace tenon {

uint64_t sweepStride = 2053;

namespace {

struct Unary {
  const char *name;
  double (*exact)(double);
  double bound;                      ///< in units in the last place
  std::optional<double> second = {}; ///< the value of an operand known at
                                     ///< compile time
  double greatest = INFINITY;        ///< of the operand
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double rsqrt(double x) { return 1 / std::sqrt(x); }
double expFlushed(double x) {
  return x < -125.5 * std::numbers::ln2 ? 0 : std::exp(x);
}
double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
double minimum(double a, double b) { return -maximum(-a, -b); }

const Unary unaries[] = {
    {"abs", std::fabs, 0},
    {"negate", [](double x) { return -x; }, 0},
    {"sign", sign, 0},
    {"ceil", std::ceil, 0},
    {"floor", std::floor, 0},
    {"round_nearest_even", std::nearbyint, 0},
    {"round_nearest_afz", std::round, 0},
    {"sqrt", std::sqrt, 0.5},
    {"rsqrt", rsqrt, 1.5},
    {"exponential", std::exp, 1},
    {"exponential_flushed", expFlushed, 1, {}, 0},
    {"exponential_minus_one", std::expm1, 1.5},
    {"log", std::log, 1},
    {"tanh", std::tanh, 1.5},
    {"logistic", logistic, 1.75},
    {"erf", std::erf, 1},
    {"log_plus_one", std::log1p, 0.51},
    {"sine", std::sin, 0.51},
    {"cosine", std::cos, 0.51},
    {"tan", std::tan, 0.51},
    {"asin", std::asin, 0.51},
    {"acos", std::acos, 0.51},
    {"atan", std::atan, 0.51},
    {"sinh", std::sinh, 0.51},
    {"cosh", std::cosh, 0.51},
    {"asinh", std::asinh, 0.51},
    {"acosh", std::acosh, 0.51},
    {"atanh", std::atanh, 0.51},
    {"cbrt", std::cbrt, 0.51},
    {"maximum", [](double x) { return maximum(x, 0.0); }, 0, 0.0},
    {"maximum", [](double x) { return maximum(x, -0.0); }, 0, -0.0},
    {"maximum", [](double x) { return maximum(x, 1); }, 0, 1},
    {"maximum", [](double) { return double(NAN); }, 0, NAN},
    {"minimum", [](double x) { return minimum(x, 0.0); }, 0, 0.0},
    {"minimum", [](double x) { return minimum(x, -0.0); }, 0, -0.0},
    {"minimum", [](double x) { return minimum(x, 6); }, 0, 6},
    {"power", [](double x) { return x * x; }, 0.5, 2},
    {"power", [](double x) { return x * x * x; }, 0.51, 3},
};

struct Binary {
  const char *name;
  double (*exact)(double, double);
  double bound;
};

const Binary binaries[] = {
    {"add", [](double a, double b) { return double(float(a) + float(b)); }, 0},
    {"subtract", [](double a, double b) { return double(float(a) - float(b)); },
     0},
    {"multiply", [](double a, double b) { return double(float(a) * float(b)); },
     0},
    {"divide", [](double a, double b) { return double(float(a) / float(b)); },
     0},
    {"remainder", std::fmod, 0},
    {"power", std::pow, 0.51},
    {"maximum", maximum, 0},
    {"minimum", minimum, 0},
    {"atan2", std::atan2, 0.51},
};

uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

/// True if the bits are equal; the sign and payload of a NaN are unspecified.
bool sameBits(float a, float b) {
  return bitsOf(a) == bitsOf(b) || (std::isnan(a) && std::isnan(b));
}

class FloatOps : public testing::Test {
protected:
  static void SetUpTestSuite() {
    std::vector<KernelSpec> specs;
    for (const Unary &op : unaries)
      specs.push_back(
          {"tenon." + std::string(op.name) + (op.second ? " %a, %b" : " %a"),
           std::vector<std::string>(op.second ? 2 : 1, "f32"),
           "f32",
           {},
           op.second});
    for (const Binary &op : binaries)
      specs.push_back(
          {"tenon." + std::string(op.name) + " %a, %b", {"f32", "f32"}, "f32"});
    for (Target target : runnableTargets())
      kernels.emplace_back(specs, target);
  }
  static void TearDownTestSuite() { kernels.clear(); }

  /// Runs every form on every target, expects equal bits, and returns one
  /// result.
  static std::vector<float> runAll(size_t index, const char *name,
                                   const std::vector<const void *> &inputs,
                                   const std::vector<const float *> &shown,
                                   size_t count) {
    std::vector<float> first(count), other(count);
    bool isFirst = true;
    for (size_t t = 0; t < kernels.size(); ++t)
      for (Form form : allForms) {
        std::vector<float> &into = isFirst ? first : other;
        kernels[t].run(index, form, inputs, into.data(), count);
        if (!isFirst)
          for (size_t i = 0; i < count; ++i)
            if (!sameBits(first[i], other[i])) {
              ADD_FAILURE()
                  << name << " of " << std::hexfloat << shown[0][i]
                  << ": scalar " << first[i] << ", form " << form << " of "
                  << runnableTargets()[t].cpu << " " << other[i];
              return first;
            }
        isFirst = false;
      }
    return first;
  }

  static std::vector<JitKernels> kernels;
};
std::vector<JitKernels> FloatOps::kernels;

TEST_F(FloatOps, UnaryWithinBounds) {
  constexpr uint64_t chunk = 1 << 16;
  for (size_t op = 0; op < std::size(unaries); ++op) {
    double worst = 0;
    float at = 0;
    auto check = [&](std::vector<float> &inputs) {
      for (float &x : inputs)
        x = x > unaries[op].greatest ? -x : x;
      padToSixteen(inputs);
      std::vector<float> results = runAll(
          op, unaries[op].name,
          std::vector<const void *>(unaries[op].second ? 2 : 1, inputs.data()),
          {inputs.data()}, inputs.size());
      for (size_t i = 0; i < inputs.size(); ++i) {
        double error = ulpError(results[i], unaries[op].exact(inputs[i]));
        if (error > worst)
          worst = error, at = inputs[i];
      }
      inputs.clear();
    };
    std::vector<float> inputs = specialFloats();
    check(inputs);
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += sweepStride) {
      inputs.push_back(std::bit_cast<float>(uint32_t(bits)));
      if (inputs.size() == chunk)
        check(inputs);
    }
    if (!inputs.empty())
      check(inputs);
    EXPECT_LE(worst, unaries[op].bound)
        << unaries[op].name << " of " << std::hexfloat << at;
    printf("%-24s %.3f at %a\n", unaries[op].name, worst, at);
  }
}

TEST_F(FloatOps, BinaryWithinBounds) {
  std::vector<float> left, right;
  std::vector<float> specials = specialFloats();
  for (float a : specials)
    for (float b : specials)
      left.push_back(a), right.push_back(b);
  std::mt19937 random(1);
  auto any = [&] { return std::bit_cast<float>(uint32_t(random())); };
  auto uniform = [&](float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random);
  };
  for (int i = 0; i < 300000; ++i) {
    left.push_back(any()), right.push_back(any());
    left.push_back(std::exp(uniform(-80, 80)));
    right.push_back(uniform(-2, 2));
    left.push_back(uniform(0.9f, 1.1f)), right.push_back(uniform(-900, 900));
    left.push_back(uniform(-9, 9)), right.push_back(int(uniform(-30, 30)));
  }
  padToSixteen(left), padToSixteen(right);
  for (size_t op = 0; op < std::size(binaries); ++op) {
    std::vector<float> results =
        runAll(std::size(unaries) + op, binaries[op].name,
               {left.data(), right.data()}, {left.data()}, left.size());
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < left.size(); ++i) {
      double error =
          ulpError(results[i], binaries[op].exact(left[i], right[i]));
      if (error > worst)
        worst = error, at = i;
    }
    EXPECT_LE(worst, binaries[op].bound)
        << binaries[op].name << " of " << std::hexfloat << left[at] << ", "
        << right[at] << " gave " << results[at];
    printf("%-24s %.3f at %a, %a\n", binaries[op].name, worst, left[at],
           right[at]);
  }
}

} // namespace
} // namespace tenon

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--stride=", 9) == 0)
      tenon::sweepStride = std::strtoull(argv[i] + 9, nullptr, 10);
    if (std::strncmp(argv[i], "--doubles=", 10) == 0)
      tenon::doublesOfAKind = std::strtoull(argv[i] + 10, nullptr, 10);
  }
  return RUN_ALL_TESTS();
}
