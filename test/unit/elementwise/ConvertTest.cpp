// Tests conversions between all element types against LLVM's exact arithmetic,
// at the values where rounding, saturation and sign matter.
#include "test/unit/elementwise/Elements.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include <bit>
#include <gtest/gtest.h>
#include <random>

using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

namespace tenon {
namespace {

const char *const typeNames[] = {"f16",  "bf16", "f32", "f64", "i8",
                                 "i16",  "i32",  "i64", "ui8", "ui16",
                                 "ui32", "ui64", "i1"};

const llvm::fltSemantics &semanticsOf(const ElementType &type) {
  return type.name == "f16"    ? APFloat::IEEEhalf()
         : type.name == "bf16" ? APFloat::BFloat()
         : type.name == "f32"  ? APFloat::IEEEsingle()
                               : APFloat::IEEEdouble();
}

APFloat floatOf(const ElementType &type, uint64_t bits) {
  return APFloat(semanticsOf(type), APInt(type.width, bits & type.mask()));
}

uint64_t bitsOf(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

uint64_t convertExactly(const ElementType &from, const ElementType &to,
                        uint64_t bits) {
  bool ignored;
  if (from.isFloat) {
    APFloat value = floatOf(from, bits);
    if (to.width == 1)
      return !value.isZero();
    if (to.isFloat) {
      value.convert(semanticsOf(to), APFloat::rmNearestTiesToEven, &ignored);
      return bitsOf(value);
    }
    APSInt result(to.width, to.isUnsigned);
    value.convertToInteger(result, APFloat::rmTowardZero, &ignored);
    return value.isNaN() ? 0 : result.getZExtValue();
  }
  __int128 value = from.value(bits);
  if (to.width == 1)
    return value != 0;
  if (!to.isFloat)
    return uint64_t(value) & to.mask();
  APFloat result(semanticsOf(to));
  result.convertFromAPInt(APInt(from.width, bits & from.mask()),
                          !from.isUnsigned, APFloat::rmNearestTiesToEven);
  return bitsOf(result);
}

/// Values of `from` that are difficult to convert to some type.
Bits valuesOf(const ElementType &from) {
  Bits values;
  if (from.width <= 16) {
    for (uint64_t bits = 0; bits <= from.mask(); ++bits)
      values.push_back(bits);
  } else if (!from.isFloat) {
    std::mt19937_64 random(3);
    for (unsigned power = 0; power < from.width; ++power)
      for (int64_t near = -3; near <= 3; ++near)
        for (unsigned half = 0; half <= power; ++half) {
          uint64_t value = (uint64_t(1) << power) + (uint64_t(1) << half);
          values.push_back((value + near) & from.mask());
          values.push_back((-value + near) & from.mask());
        }
    for (int i = 0; i < 3000; ++i)
      values.push_back((random() >> (i % from.width)) & from.mask());
  } else {
    std::mt19937_64 random(3);
    // Ties and near ties of every narrower format, at all or many exponents.
    unsigned mantissa = from.width == 32 ? 23 : 52;
    uint64_t exponents = from.width == 32 ? 256 : 2048;
    for (uint64_t exponent = 0; exponent < exponents;
         exponent += std::abs(int(exponent * 2 - exponents)) < 340 ? 1 : 5)
      for (unsigned bit = 0; bit < mantissa; ++bit)
        for (int64_t near = -1; near <= 1; ++near) {
          uint64_t top = random() << (bit + 1);
          uint64_t value =
              (exponent << mantissa) +
              ((top | uint64_t(1) << bit) & ((uint64_t(1) << mantissa) - 1)) +
              near;
          values.push_back((value ^ (random() << (from.width - 1))) &
                           from.mask());
        }
    for (int i = 0; i < 20000; ++i)
      values.push_back(random() & from.mask());
  }
  while (values.size() % 16)
    values.push_back(0);
  return values;
}

class Conversions : public testing::TestWithParam<const char *> {};

TEST_P(Conversions, RoundOnceAndSaturate) {
  ElementType from(GetParam());
  std::vector<KernelSpec> specs;
  for (const char *to : typeNames)
    specs.push_back(
        {"tenon.convert %a to " + std::string(to), {from.name}, to});
  Bits values = valuesOf(from);
  std::vector<Target> targets = runnableTargets();
  targets.push_back({"x86-64-v2", true, /*halfByIntegers=*/true});
  for (Target target : targets) {
    JitKernels kernels(specs, target);
    for (size_t spec = 0; spec < specs.size(); ++spec) {
      ElementType to(specs[spec].result);
      for (Form form : allForms) {
        Bits got = runBits(kernels, spec, form, specs[spec], {values});
        for (size_t i = 0; i < values.size(); ++i) {
          uint64_t want = convertExactly(from, to, values[i]);
          if (to.isFloat && floatOf(to, want).isNaN())
            ASSERT_TRUE(floatOf(to, got[i]).isNaN())
                << from.name << " to " << to.name << " of " << values[i];
          else
            ASSERT_EQ(got[i], want)
                << from.name << " to " << to.name << " of bits " << std::hex
                << values[i] << ", form " << form << " of " << target.cpu;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, Conversions, testing::ValuesIn(typeNames));

TEST(Bitcasts, KeepBits) {
  std::vector<KernelSpec> specs{
      {"tenon.bitcast_convert %a to i32", {"f32"}, "i32"},
      {"tenon.bitcast_convert %a to bf16", {"f16"}, "bf16"},
      {"tenon.bitcast_convert %a to ui16", {"i16"}, "ui16"},
      {"tenon.bitcast_convert %a to f64", {"ui64"}, "f64"}};
  JitKernels kernels(specs, runnableTargets().front());
  Bits values(16, 0xffa5);
  for (size_t spec = 0; spec < specs.size(); ++spec)
    for (Form form : allForms)
      EXPECT_EQ(runBits(kernels, spec, form, specs[spec], {values}), values);
}

} // namespace
} // namespace tenon
