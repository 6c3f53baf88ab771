// Tests the ops that round to whole numbers on CPUs without the instruction:
// they must give libm's bits in every form.
#include "test/unit/elementwise/JitKernel.h"
#include "test/unit/elementwise/Sweep.h"

#include <gtest/gtest.h>
#include <random>

namespace tenon {
namespace {

template <typename T> struct Rounding {
  const char *name;
  T (*exact)(T);
};

template <typename T, typename Word> void expectSameBits(const char *type) {
  const Rounding<T> roundings[] = {
      {"ceil", std::ceil},
      {"floor", std::floor},
      {"round_nearest_even", std::nearbyint},
      {"round_nearest_afz", std::round},
  };
  std::vector<T> inputs;
  std::mt19937_64 random(1);
  for (float special : specialFloats())
    inputs.push_back(special);
  for (int quarter = -40; quarter <= 40; ++quarter)
    for (T center : {T(0), T(0x1p22), T(0x1p23), T(0x1p51), T(0x1p52)}) {
      T x = center + T(quarter) / 4;
      inputs.push_back(x);
      inputs.push_back(std::nextafter(x, T(INFINITY)));
      inputs.push_back(std::nextafter(-x, T(INFINITY)));
    }
  for (int i = 0; i < 300000; ++i) {
    inputs.push_back(std::bit_cast<T>(Word(random())));
    inputs.push_back(std::ldexp(T(int64_t(random())), int(random() % 80) - 90));
  }
  padToSixteen(inputs);

  std::vector<KernelSpec> specs;
  for (const Rounding<T> &op : roundings)
    specs.push_back({"tenon." + std::string(op.name) + " %a", {type}, type});
  JitKernels kernels(specs, {"x86-64", true, false, true, true});
  std::vector<T> results(inputs.size());
  for (size_t op = 0; op < std::size(roundings); ++op)
    for (Form form : allForms) {
      kernels.run(op, form, {inputs.data()}, results.data(),
                  int64_t(inputs.size()));
      for (size_t i = 0; i < inputs.size(); ++i) {
        T exact = roundings[op].exact(inputs[i]);
        if (std::isnan(exact))
          ASSERT_TRUE(std::isnan(results[i]));
        else
          ASSERT_EQ(std::bit_cast<Word>(exact), std::bit_cast<Word>(results[i]))
              << roundings[op].name << " of " << std::hexfloat << inputs[i]
              << " gave " << results[i] << ", form " << form;
      }
    }
}

TEST(RoundByAdding, Floats) { expectSameBits<float, uint32_t>("f32"); }
TEST(RoundByAdding, Doubles) { expectSameBits<double, uint64_t>("f64"); }

} // namespace
} // namespace tenon
