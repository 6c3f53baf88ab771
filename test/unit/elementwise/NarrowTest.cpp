// Tests f16 and bf16 ops on every value. Results must equal the exact result
// rounded once, except for the last bit where the f32 error decides.
#include "test/unit/elementwise/Elements.h"
#include "llvm/ADT/APFloat.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using llvm::APFloat;

namespace tenon {
namespace {

struct Function {
  const char *name;
  double (*exact)(double);
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

const Function functions[] = {
    {"abs", std::fabs},
    {"negate", [](double x) { return -x; }},
    {"ceil", std::ceil},
    {"floor", std::floor},
    {"round_nearest_even", std::nearbyint},
    {"round_nearest_afz", std::round},
    {"sqrt", std::sqrt},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
    {"exponential", std::exp},
    {"exponential_minus_one", std::expm1},
    {"log", std::log},
    {"log_plus_one", std::log1p},
    {"sine", std::sin},
    {"cosine", std::cos},
    {"tan", std::tan},
    {"asin", std::asin},
    {"acos", std::acos},
    {"atan", std::atan},
    {"sinh", std::sinh},
    {"cosh", std::cosh},
    {"tanh", std::tanh},
    {"asinh", std::asinh},
    {"acosh", std::acosh},
    {"atanh", std::atanh},
    {"cbrt", std::cbrt},
    {"logistic", logistic},
    {"erf", std::erf},
};

std::vector<KernelSpec> specsOn(const std::string &type) {
  std::vector<KernelSpec> specs;
  for (const Function &function : functions)
    specs.push_back(
        {"tenon." + std::string(function.name) + " %a", {type}, type});
  specs.push_back({"tenon.is_nan %a", {type}, "i1"});
  specs.push_back({"tenon.maximum %a, %b", {type, type}, type});
  specs.push_back({"tenon.compare lt %a, %b", {type, type}, "i1"});
  specs.push_back({"tenon.multiply %a, %b", {type, type}, type});
  return specs;
}

class NarrowOps : public testing::TestWithParam<const char *> {};

TEST_P(NarrowOps, RoundOnce) {
  ElementType type(GetParam());
  const llvm::fltSemantics &semantics =
      type.name == "f16" ? APFloat::IEEEhalf() : APFloat::BFloat();
  bool ignored;
  auto widen = [&](uint64_t bits) {
    APFloat value(semantics, llvm::APInt(16, bits));
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &ignored);
    return value.convertToDouble();
  };
  auto narrow = [&](double exact) {
    APFloat value(exact);
    value.convert(semantics, APFloat::rmNearestTiesToEven, &ignored);
    return value.bitcastToAPInt().getZExtValue();
  };
  Bits all, reversed;
  for (uint64_t bits = 0; bits < 65536; ++bits)
    all.push_back(bits), reversed.push_back(bits * 40503 & 0xffff);
  std::vector<KernelSpec> specs = specsOn(type.name);
  constexpr size_t isNan = std::size(functions), maximum = isNan + 1,
                   less = isNan + 2, product = isNan + 3;
  for (Target target : runnableTargets()) {
    JitKernels kernels(specs, target);
    for (Form form : allForms) {
      auto run = [&](size_t spec) {
        std::vector<Bits> inputs{all, reversed};
        inputs.resize(specs[spec].operands.size());
        return runBits(kernels, spec, form, specs[spec], inputs);
      };
      for (size_t spec = 0; spec < isNan; ++spec) {
        Bits got = run(spec);
        for (uint64_t bits : all) {
          double exact = functions[spec].exact(widen(bits));
          uint64_t want = narrow(exact);
          if (std::isnan(exact)) {
            ASSERT_TRUE(std::isnan(widen(got[bits]))) << specs[spec].text;
            continue;
          }
          // An f32 error of two units changes the result only next to a tie.
          ASSERT_LE(std::abs(int64_t(got[bits]) - int64_t(want)), 1)
              << specs[spec].text << " of " << widen(bits);
          if (got[bits] != want)
            ASSERT_NE(narrow(exact * (1 - 0x1p-21)),
                      narrow(exact * (1 + 0x1p-21)))
                << specs[spec].text << " of " << widen(bits);
        }
      }
      Bits nan = run(isNan), max = run(maximum), lt = run(less),
           times = run(product);
      for (size_t i = 0; i < all.size(); ++i) {
        double a = widen(all[i]), b = widen(reversed[i]);
        ASSERT_EQ(nan[i], std::isnan(a));
        ASSERT_EQ(lt[i], a < b) << a << " < " << b;
        bool either = std::isnan(a) || std::isnan(b);
        ASSERT_EQ(std::isnan(widen(max[i])), either);
        if (!either)
          ASSERT_EQ(max[i], narrow(a == b ? (std::signbit(a) ? b : a)
                                          : std::max(a, b)));
        if (std::isnan(a * b))
          ASSERT_TRUE(std::isnan(widen(times[i])));
        else
          ASSERT_EQ(times[i], narrow(a * b)) << a << " * " << b;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BothTypes, NarrowOps, testing::Values("f16", "bf16"));

} // namespace
} // namespace tenon
