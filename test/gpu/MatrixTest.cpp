// mma.sync against scalar code with the layouts as the PTX manual writes them,
// and mistakes in its use.
#include "test/gpu/Findings.h"
#include "test/gpu/emulator/MatrixProduct.h"
#include "test/gpu/instructions/DriverDevice.h"

#include <cmath>

using namespace tenon::ptx;

namespace {
using Place = std::pair<int, int>; // row and column
using Layout = Place (*)(int group, int inGroup, int i);

/// A form of mma.sync. `a` and `b` say where element i of a lane stands.
struct Form {
  const char *modifiers;
  Factor a, b;
  int rows, depth, architecture;
  Layout placeInA, placeInB;
};

const Layout
    a8 = [](int g, int t,
            int i) { return Place(i < 2 ? g : g + 8, 2 * t + (i & 1)); },
    b8 = [](int g, int t, int i) { return Place(2 * t + i, g); },
    a16 =
        [](int g, int t, int i) {
          return Place(i < 2 || (4 <= i && i < 6) ? g : g + 8,
                       2 * t + (i & 1) + (i < 4 ? 0 : 8));
        },
    b16 = [](int g, int t,
             int i) { return Place(2 * t + (i & 1) + (i < 2 ? 0 : 8), g); },
    a4 = [](int g, int t, int i) { return Place(i == 0 ? g : g + 8, t); },
    b4 = [](int g, int t, int) { return Place(t, g); },
    a8Wide =
        [](int g, int t, int i) {
          return Place(i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4);
        },
    b8Wide = [](int g, int t, int i) { return Place(i == 0 ? t : t + 4, g); },
    a16Small = [](int g, int t, int i) { return Place(g, 4 * t + i); },
    a16Bytes = [](int g, int t,
                  int i) { return Place(i < 4 ? g : g + 8, 4 * t + (i & 3)); },
    b16Bytes = [](int g, int t, int i) { return Place(4 * t + i, g); },
    a32Bytes =
        [](int g, int t, int i) {
          return Place(i < 4 || (8 <= i && i < 12) ? g : g + 8,
                       4 * t + (i & 3) + (i < 8 ? 0 : 16));
        },
    b32Bytes = [](int g, int t, int i) {
      return Place(4 * t + (i & 3) + (i < 4 ? 0 : 16), g);
    };

const Form forms[] = {
    {"m16n8k8.row.col.f32.f16.f16.f32", Factor::F16, Factor::F16, 16, 8, 75, a8,
     b8},
    {"m16n8k8.row.col.f16.f16.f16.f16", Factor::F16, Factor::F16, 16, 8, 75, a8,
     b8},
    {"m16n8k16.row.col.f32.f16.f16.f32", Factor::F16, Factor::F16, 16, 16, 80,
     a16, b16},
    {"m16n8k16.row.col.f16.f16.f16.f16", Factor::F16, Factor::F16, 16, 16, 80,
     a16, b16},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", Factor::BF16, Factor::BF16, 16, 8, 80,
     a8, b8},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", Factor::BF16, Factor::BF16, 16, 16,
     80, a16, b16},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", Factor::TF32, Factor::TF32, 16, 4, 80,
     a4, b4},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", Factor::TF32, Factor::TF32, 16, 8, 80,
     a8Wide, b8Wide},
    {"m8n8k16.row.col.s32.s8.s8.s32", Factor::S8, Factor::S8, 8, 16, 75,
     a16Small, b16Bytes},
    {"m16n8k16.row.col.s32.s8.u8.s32", Factor::S8, Factor::U8, 16, 16, 80,
     a16Bytes, b16Bytes},
    {"m16n8k32.row.col.s32.u8.s8.s32", Factor::U8, Factor::S8, 16, 32, 80,
     a32Bytes, b32Bytes},
    {"m16n8k32.row.col.satfinite.s32.u8.u8.s32", Factor::U8, Factor::U8, 16, 32,
     80, a32Bytes, b32Bytes},
};

/// The words of A, B and C that a lane has.
struct Words {
  explicit Words(const Form &form)
      : halfSums(std::string(form.modifiers).ends_with(".f16.f16")),
        a(form.rows * form.depth * bitsOf(form.a) / 1024),
        b(8 * form.depth * bitsOf(form.b) / 1024),
        c(form.rows / (halfSums ? 8 : 4)) {}
  bool halfSums;
  int a, b, c;
};

/// Reads the words of A, B and C, each 128 bytes after the last, and writes C.
std::string kernelOf(const Form &form) {
  Words words(form);
  std::string text = "mov.u32 %r31, %tid.x; ld.param.u64 %d1, [p];\n"
                     "mul.wide.u32 %d2, %r31, 4; add.s64 %d3, %d1, %d2;\n";
  int all = words.a + words.b + words.c;
  for (int i = 0; i < all; ++i)
    text += "ld.global.b32 %r" + std::to_string(i) + ", [%d3+" +
            std::to_string(128 * i) + "];\n";
  text += std::string("mma.sync.aligned.") + form.modifiers + " " +
          registerList(20, words.c) + ", " + registerList(0, words.a) + ", " +
          registerList(words.a, words.b) + ", " +
          registerList(words.a + words.b, words.c) + ";\n";
  for (int i = 0; i < words.c; ++i)
    text += "st.global.b32 [%d3+" + std::to_string(128 * (all + i)) + "], %r" +
            std::to_string(20 + i) + ";\n";
  return moduleOf(text, "sm_" + std::to_string(form.architecture));
}

uint32_t bitsOfSum(const Form &form, double value) {
  if (isInteger(form.a))
    return uint32_t(int64_t(value));
  if (Words(form).halfSums)
    return std::bit_cast<uint16_t>(_Float16(value));
  return std::bit_cast<uint32_t>(float(value));
}

double sumOf(const Form &form, uint32_t bits) {
  if (isInteger(form.a))
    return int32_t(bits);
  if (Words(form).halfSums)
    return double(std::bit_cast<_Float16>(uint16_t(bits)));
  return std::bit_cast<float>(bits);
}

uint32_t randomFactor(Factor factor, std::mt19937_64 &draws) {
  auto sign = uint32_t(draws() & 1), fraction = uint32_t(draws());
  auto exponent = uint32_t(draws() % 12);
  switch (factor) {
  case Factor::F16:
    return sign << 15 | (10 + exponent % 8) << 10 | (fraction & 0x3ff);
  case Factor::BF16:
    return sign << 15 | (120 + exponent) << 7 | (fraction & 0x7f);
  case Factor::TF32:
    return sign << 31 | (120 + exponent) << 23 | (fraction & 0x3ff) << 13;
  default:
    return fraction & 0xff;
  }
}

double factorValue(Factor factor, uint32_t bits) {
  switch (factor) {
  case Factor::F16:
    return double(std::bit_cast<_Float16>(uint16_t(bits)));
  case Factor::BF16:
    return std::bit_cast<float>(bits << 16);
  case Factor::TF32:
    return std::bit_cast<float>(bits);
  case Factor::S8:
    return int8_t(bits);
  default:
    return uint8_t(bits);
  }
}

/// Matrices as bits, their registers, and the result of scalar code.
struct Case {
  Case(const Form &form, std::mt19937_64 &draws) : form(form), words(form) {
    for (auto &row : a)
      for (uint32_t &x : row)
        x = randomFactor(form.a, draws);
    for (auto &row : b)
      for (uint32_t &x : row)
        x = randomFactor(form.b, draws);
    for (auto &row : c)
      for (double &x : row) {
        double value = double(int64_t(draws() % 20001) - 10000);
        x = isInteger(form.a) ? value * (draws() % 4 ? 1 : 214748)
                              : sumOf(form, bitsOfSum(form, value / 64));
      }
  }

  std::vector<uint32_t> registers() const {
    std::vector<uint32_t> result;
    int partsA = 32 / bitsOf(form.a), partsB = 32 / bitsOf(form.b);
    for (int word = 0; word < words.a; ++word)
      for (int lane = 0; lane < 32; ++lane) {
        uint32_t bits = 0;
        for (int part = 0; part < partsA; ++part) {
          auto [row, column] =
              form.placeInA(lane / 4, lane % 4, word * partsA + part);
          bits |= a[row][column] << part * bitsOf(form.a);
        }
        result.push_back(bits);
      }
    for (int word = 0; word < words.b; ++word)
      for (int lane = 0; lane < 32; ++lane) {
        uint32_t bits = 0;
        for (int part = 0; part < partsB; ++part) {
          auto [row, column] =
              form.placeInB(lane / 4, lane % 4, word * partsB + part);
          bits |= b[row][column] << part * bitsOf(form.b);
        }
        result.push_back(bits);
      }
    auto sums = sumRegisters(c);
    result.insert(result.end(), sums.begin(), sums.end());
    result.resize(result.size() + sums.size());
    return result;
  }

  std::vector<uint32_t> sumRegisters(const double (&sums)[16][8]) const {
    std::vector<uint32_t> result;
    int parts = words.halfSums ? 2 : 1;
    for (int word = 0; word < words.c; ++word)
      for (int lane = 0; lane < 32; ++lane) {
        uint32_t bits = 0;
        for (int part = 0; part < parts; ++part) {
          int i = word * parts + part;
          bits |=
              bitsOfSum(
                  form,
                  sums[lane / 4 + (i < 2 ? 0 : 8)][2 * (lane % 4) + (i & 1)])
              << 16 * part;
        }
        result.push_back(bits);
      }
    return result;
  }

  std::vector<uint32_t> expected() const {
    double sums[16][8];
    bool saturates =
        std::string(form.modifiers).find("satfinite") != std::string::npos;
    for (int row = 0; row < 16; ++row)
      for (int column = 0; column < 8; ++column) {
        // Exact for these operands.
        double sum = c[row][column];
        for (int k = 0; k < form.depth; ++k)
          sum += factorValue(form.a, a[row][k]) *
                 factorValue(form.b, b[k][column]);
        if (saturates)
          sum = std::min(std::max(sum, -0x1p31), 0x1p31 - 1);
        sums[row][column] = sum;
      }
    return sumRegisters(sums);
  }

  /// The largest error of sums in registers, in units of what a device may
  /// differ by; it rounds sums of f16 more often.
  double error(const std::vector<uint32_t> &got) const {
    auto right = expected();
    int parts = words.halfSums ? 2 : 1;
    double worst = 0;
    for (int i = 0; i < words.c * 32 * parts; ++i) {
      int lane = i / parts % 32, number = i / parts / 32 * parts + i % parts,
          row = lane / 4 + (number < 2 ? 0 : 8),
          column = 2 * (lane % 4) + (number & 1);
      double sizes = std::fabs(c[row][column]);
      for (int k = 0; k < form.depth; ++k)
        sizes += std::fabs(factorValue(form.a, a[row][k]) *
                           factorValue(form.b, b[k][column]));
      auto sumAt = [&](const std::vector<uint32_t> &all) {
        return sumOf(form, all[size_t(i / parts)] >> 16 * (i % parts));
      };
      worst = std::max(worst, std::fabs(sumAt(got) - sumAt(right)) /
                                  (deviceError(form.depth, sizes) *
                                   (words.halfSums ? 0x1p12 : 1)));
    }
    return worst;
  }

  const Form &form;
  const Words words;
  uint32_t a[16][32], b[32][8];
  double c[16][8];
};

TEST(Matrix, ProductsOfAllForms) {
  std::mt19937_64 draws(16);
  for (const Form &form : forms) {
    if (DriverLibrary::instance().architecture < form.architecture)
      continue;
    DriverDevice device(kernelOf(form));
    for (int i = 0; i < 8; ++i) {
      Case made(form, draws);
      auto registers = made.registers(), expected = made.expected();
      CUdeviceptr at = device.put(registers);
      device.run(1, 32, at);
      auto got = device.get<uint32_t>(
          at + 4 * (registers.size() - expected.size()), expected.size());
      if (DriverLibrary::instance().isStandIn || isInteger(form.a))
        EXPECT_EQ(got, expected) << form.modifiers;
      else
        EXPECT_LE(made.error(got), 1) << form.modifiers;
    }
  }
}

/// One row of products in one accumulator.
double sumOfProducts(const std::vector<double> &a, const std::vector<double> &b,
                     double c) {
  double columns[32][8] = {}, sums[8] = {c};
  for (size_t i = 0; i < a.size(); ++i)
    columns[i][0] = b[i];
  addProducts(a.data(), columns, int(a.size()), sums);
  return sums[0];
}

TEST(Matrix, SumsAreExactAndRoundedOnce) {
  EXPECT_EQ(sumOfProducts({0x1p100, 0x1p-100, 0x1p100}, {1, 1, -1}, 0),
            0x1p-100);
  EXPECT_EQ(sumOfProducts({0x1p100, 3, -0x1p100, 0x1p-90}, {1, 1, 1, 0}, 2), 5);
  // Half a unit of f32 beyond 1, and a bit that no double has beside it.
  EXPECT_EQ(roundedToFloat(sumOfProducts({1, 0x1p-24}, {1, 1}, 0)), 1.0f);
  EXPECT_EQ(roundedToFloat(sumOfProducts({1, 0x1p-24, 0x1p-99}, {1, 1, 1}, 0)),
            1.0f + 0x1p-23f);
  EXPECT_EQ(roundedToFloat(sumOfProducts({1, 0x1p-24, -0x1p-99}, {1, 1, 1}, 0)),
            1.0f);
  EXPECT_EQ(std::bit_cast<uint32_t>(roundedToFloat(
                sumOfProducts({INFINITY, 1}, {1, -INFINITY}, 0))),
            0x7fffffffu);
  EXPECT_EQ(roundedToFloat(sumOfProducts({INFINITY, 1}, {1, 1}, 0)), INFINITY);
  EXPECT_EQ(roundedToFloat(sumOfProducts({0x1p100}, {0x1p100}, 0)), INFINITY);
}

TEST(Matrix, SumsAgainstWiderNumbers) {
  std::mt19937_64 draws(7);
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> a(16), b(16);
    __float128 sum = 0;
    for (size_t k = 0; k < 16; ++k) {
      a[k] = std::ldexp(int(draws() % 511) - 255, int(draws() % 40) - 20);
      b[k] = std::ldexp(int(draws() % 511) - 255, int(draws() % 40) - 20);
      sum += __float128(a[k]) * b[k];
    }
    EXPECT_EQ(roundedToFloat(sumOfProducts(a, b, 0)), float(sum));
  }
}

/// The factors of two halves beside which there is no rounding.
TEST(Matrix, ValuesOfHalves) {
  for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
    double expected = double(std::bit_cast<_Float16>(uint16_t(bits))),
           got = valueOf(Factor::F16, bits);
    EXPECT_TRUE(got == expected || (got != got && expected != expected))
        << bits;
  }
}

TEST(Matrix, MistakesInProducts) {
  std::string text = kernelOf(forms[7]);
  EXPECT_EQ(findingIn(text, 80), "");
  EXPECT_FINDING(findingIn(text, 80, 31), "all lanes of the warp must execute");
  EXPECT_FINDING(
      findingIn(replaced(text, "mma", "setp.lt.u32 %p1, %r31, 9; @%p1 mma"),
                80),
      "all lanes of the warp must execute");
  EXPECT_FINDING(
      findingIn(replaced(text, "mma", "add.u32 %r1, %r1, 4096; mma"), 80),
      "no number of .tf32");
  EXPECT_FINDING(findingIn(replaced(text, "%r4, %r5}", "%r4, %r19}"), 80),
                 "has no value");
}

TEST(Matrix, NotOfTheArchitecture) {
  EXPECT_FINDING(findingIn(replaced(kernelOf(forms[2]), "sm_80", "sm_75"), 80),
                 "needs sm_80");
  EXPECT_FINDING(findingIn(replaced(kernelOf(forms[4]), "sm_80", "sm_75"), 80),
                 "needs sm_80");
  EXPECT_FINDING(findingIn(replaced(kernelOf(forms[9]), "sm_80", "sm_75"), 80),
                 "needs sm_80");
  EXPECT_FINDING(findingIn(replaced(kernelOf(forms[0]), "7.8", "6.4"), 80),
                 "needs PTX 6.5");
  EXPECT_FINDING(
      findingIn(replaced(kernelOf(forms[0]), "m16n8k8", "m16n8k4"), 80),
      "no products of this shape");
}

TEST(Matrix, ConversionsToTf32) {
  Device device(moduleOf("mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4;\n"
                         "ld.param.u64 %d2, [p]; add.s64 %d3, %d2, %d1;\n"
                         "ld.global.f32 %f1, [%d3];\n"
                         "cvt.rna.tf32.f32 %r2, %f1;\n"
                         "st.global.b32 [%d3], %r2;\n"));
  std::vector<uint32_t> values{0x3f801000, 0x3f800fff, 0xbf801000, 0x3f803000,
                               0x7f7fffff, 0xff800000, 0x7f800001, 0x00000fff},
      expected{0x3f802000, 0x3f800000, 0xbf802000, 0x3f804000,
               0x7f800000, 0xff800000, 0x7fffffff, 0};
  uint64_t at = device.put(values);
  device.run("k", LaunchShape::linear(1, 8), at);
  EXPECT_EQ(device.get<uint32_t>(at, 8), expected);
}

TEST(Matrix, AssemblerAcceptsAllForms) {
  for (int architecture : {75, 80, 90}) {
    std::vector<std::string> modules;
    for (const Form &form : forms)
      if (form.architecture <= architecture)
        modules.push_back(kernelOf(form));
    expectAssembles(modules, "sm_" + std::to_string(architecture));
  }
}
} // namespace
