// Tests the f64 functions against libm in x87's 64-bit precision, whose own
// error is about a thousandth of a unit here. The bounds of docs/numerics.md
// must hold, and scalars and vectors of every target must give equal bits.
#include "test/unit/elementwise/JitKernel.h"
#include "test/unit/elementwise/Sweep.h"
#include <cstdio>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

namespace tenon {

size_t doublesOfAKind = 50000;

namespace {

using Wide = long double;

struct Unary {
  const char *name;
  Wide (*exact)(Wide);
  double bound; ///< in units in the last place
};

Wide logistic(Wide x) { return 1 / (1 + std::exp(-x)); }

const Unary unaries[] = {
    {"exponential", std::exp, 1},
    {"exponential_flushed", std::exp, 1},
    {"exponential_minus_one", std::expm1, 2},
    {"log", std::log, 1},
    {"log_plus_one", std::log1p, 1},
    {"tanh", std::tanh, 1.5},
    {"sinh", std::sinh, 1.75},
    {"cosh", std::cosh, 1.5},
    {"logistic", logistic, 1.75},
    {"erf", std::erf, 1.25},
    {"asinh", std::asinh, 1.5},
    {"acosh", std::acosh, 1.75},
    {"atanh", std::atanh, 1.5},
    {"cbrt", std::cbrt, 0.51},
    {"sine", std::sin, 1},
    {"cosine", std::cos, 1},
    {"tan", std::tan, 1},
    {"asin", std::asin, 1.75},
    {"acos", std::acos, 1.25},
    {"atan", std::atan, 1.75},
};

struct Binary {
  const char *name;
  Wide (*exact)(Wide, Wide);
  double bound;
};

/// x87's powl takes -2^63 for an odd number; from 2^53 on all f64 are even.
Wide power(Wide x, Wide y) {
  return std::pow(std::abs(y) >= 0x1p53L ? std::abs(x) : x, y);
}

const Binary binaries[] = {
    {"power", power, 1.25},
    {"atan2", std::atan2, 1.75},
    {"remainder", std::fmod, 0},
};

/// The distance of `got` from `exact` in units in the last place of f64 at
/// `exact`. Infinite if the sign differs or only one is NaN.
double unitsBetween(double got, Wide exact) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : INFINITY;
  if (std::signbit(got) != std::signbit(exact))
    return INFINITY;
  // An infinity counts as the next float after the greatest.
  const Wide end = 0x1p1024L;
  Wide value = std::isinf(got) ? std::copysign(end, Wide(got)) : Wide(got);
  exact = std::clamp(exact, -end, end);
  int exponent = exact == 0 ? -1022 : std::max(std::ilogb(exact), -1022);
  return double(std::abs(value - exact) / std::ldexp(Wide(1), exponent - 52));
}

/// Zeros, infinities, NaN, the ends of every range, points where functions
/// change, the f64 nearest to a multiple of pi / 2, and neighbours of all.
std::vector<double> specialDoubles() {
  std::vector<double> values{0x0p0,
                             0x1p-1074,
                             0x1p-1023,
                             0x1p-1022,
                             0x1p-1021,
                             1e-20,
                             0x1p-54,
                             0x1p-53,
                             0x1p-27,
                             0.25,
                             0.4142135623730951,
                             0.5,
                             0.5625,
                             0.7071067811865476,
                             1,
                             1.4142135623730951,
                             1.5,
                             2,
                             2.5,
                             3,
                             6,
                             19.1,
                             20,
                             37,
                             40,
                             0x1p28,
                             0x1p30,
                             0x1p31,
                             707,
                             709.782712893384,
                             710.475860073943,
                             711,
                             744.44,
                             745.1332191019411,
                             746,
                             1000,
                             0x1p52,
                             0x1p53,
                             0x1p63,
                             0x1p64,
                             6381956970095103.0 * 0x1p797,
                             0x1p1022,
                             0x1p1023,
                             0x1.fffffffffffffp1023,
                             INFINITY,
                             NAN};
  for (size_t i = 0, n = values.size(); i < n; ++i) {
    double up = values[i], down = up;
    for (int step = 0; step < 3; ++step) {
      values.push_back(up = std::nextafter(up, INFINITY));
      values.push_back(down = std::nextafter(down, -INFINITY));
    }
  }
  for (size_t i = 0, n = values.size(); i < n; ++i)
    values.push_back(-values[i]);
  return values;
}

bool sameBits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

class DoubleOps : public testing::Test {
protected:
  static void SetUpTestSuite() {
    std::vector<KernelSpec> specs;
    for (const Unary &op : unaries)
      specs.push_back(
          {"tenon." + std::string(op.name) + " %a", {"f64"}, "f64"});
    for (const Binary &op : binaries)
      specs.push_back(
          {"tenon." + std::string(op.name) + " %a, %b", {"f64", "f64"}, "f64"});
    for (Target target : runnableTargets())
      kernels.emplace_back(specs, target);
  }
  static void TearDownTestSuite() { kernels.clear(); }

  /// Runs every form on every target, expects equal bits, and returns one
  /// result.
  static std::vector<double> runAll(size_t index, const char *name,
                                    const std::vector<const void *> &inputs,
                                    const std::vector<double> &shown) {
    std::vector<double> first(shown.size()), other(shown.size());
    bool isFirst = true;
    for (size_t t = 0; t < kernels.size(); ++t)
      for (Form form : allForms) {
        std::vector<double> &into = isFirst ? first : other;
        kernels[t].run(index, form, inputs, into.data(), shown.size());
        if (!isFirst)
          for (size_t i = 0; i < shown.size(); ++i)
            if (!sameBits(first[i], other[i])) {
              ADD_FAILURE()
                  << name << " of " << std::hexfloat << shown[i] << ": scalar "
                  << first[i] << ", form " << form << " of "
                  << runnableTargets()[t].cpu << " " << other[i];
              return first;
            }
        isFirst = false;
      }
    return first;
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  double anyBits() { return std::bit_cast<double>(random()); }
  double whole(double limit) { return std::floor(uniform(-limit, limit)); }
  double neighbour(double x) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(x) + random() % 5 - 2);
  }

  static std::vector<JitKernels> kernels;
  std::mt19937_64 random{1};
};
std::vector<JitKernels> DoubleOps::kernels;

TEST_F(DoubleOps, UnaryWithinBounds) {
  std::vector<double> inputs = specialDoubles();
  constexpr double right = std::numbers::pi / 2, ln2 = std::numbers::ln2;
  for (size_t i = 0; i < doublesOfAKind; ++i) {
    inputs.push_back(anyBits());
    for (double limit : {1.0, 2.0, 40.0, 800.0})
      inputs.push_back(uniform(-limit, limit));
    inputs.push_back(std::ldexp(uniform(-1, 1), int(uniform(-60, 10))));
    inputs.push_back(1 + std::ldexp(uniform(-1, 1), int(uniform(-50, 0))));
    // Near the borders of reductions: multiples of pi / 4 and of ln 2 / 2.
    inputs.push_back(neighbour(whole(2000) * (right / 2)));
    inputs.push_back(neighbour(whole(1e9) * right));
    inputs.push_back(neighbour((whole(1100) + 0.5) * ln2));
    inputs.push_back(neighbour((whole(1100) + 0.5) * (ln2 / 2)));
  }
  padToSixteen(inputs);
  for (size_t op = 0; op < std::size(unaries); ++op) {
    std::vector<double> results =
        runAll(op, unaries[op].name, {inputs.data()}, inputs);
    double worst = 0, at = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      double error = unitsBetween(results[i], unaries[op].exact(inputs[i]));
      if (error > worst)
        worst = error, at = inputs[i];
    }
    EXPECT_LE(worst, unaries[op].bound)
        << unaries[op].name << " of " << std::hexfloat << at;
    printf("%-24s %.3f at %a\n", unaries[op].name, worst, at);
  }
}

TEST_F(DoubleOps, BinaryWithinBounds) {
  std::vector<double> left, right;
  auto add = [&](double a, double b) { left.push_back(a), right.push_back(b); };
  std::vector<double> specials = specialDoubles();
  for (double a : specials)
    for (double b : specials)
      add(a, b);
  for (size_t i = 0; i < doublesOfAKind; ++i) {
    add(anyBits(), anyBits());
    add(std::exp(uniform(-700, 700)), uniform(-3, 3));
    add(uniform(0.5, 2), uniform(-1000, 1000));
    add(1 + std::ldexp(uniform(-1, 1), int(uniform(-50, -3))),
        uniform(-0x1p20, 0x1p20));
    add(uniform(-9, 9), int(uniform(-300, 300)));
    add(uniform(-9, 9), uniform(-9, 9));
    // Powers near the greatest and the least result.
    double base = std::exp(uniform(-1, 1));
    add(base, uniform(690, 712) / std::log(base));
    add(base, uniform(-746, -700) / std::log(base));
  }
  padToSixteen(left), padToSixteen(right);
  for (size_t op = 0; op < std::size(binaries); ++op) {
    std::vector<double> results =
        runAll(std::size(unaries) + op, binaries[op].name,
               {left.data(), right.data()}, left);
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < left.size(); ++i) {
      double error =
          unitsBetween(results[i], binaries[op].exact(left[i], right[i]));
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
