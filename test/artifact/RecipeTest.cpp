// Tests recipes against values computed by hand, and every rounding to narrow
// floats against LLVM's arithmetic.
#include "test/artifact/SmallModel.h"

#include "compiler/arithmetic/ElementArithmetic.h"
#include "compiler/artifact/WeightEvaluator.h"
#include "dialects/tenon/TenonDialect.h"
#include "runtime/tenon_abi.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

using namespace mlir;

namespace tenon::test {
namespace {

class Recipes : public ::testing::Test {
protected:
  Recipes() {
    context.loadDialect<TenonDialect>();
    folder = std::string(TENON_TEST_FOLDER) + "/recipes";
    std::filesystem::create_directories(folder);
    float values[6] = {1, 2, 3, 4, 5, 6};
    writeFile(folder + "/w.bin",
              std::string(reinterpret_cast<char *>(values), sizeof values));
  }

  /// Evaluates the recipe `body` and returns the bytes of its result of type
  /// `type`. The weight @w is [[1,2,3],[4,5,6]].
  template <typename T>
  std::vector<T> run(const std::string &type, const std::string &body) {
    std::string text =
        "tenon.weight @w : tensor<2x3xf32> from #tenon.source<\"" + folder +
        "/w.bin\", 0, 24>\ntenon.weight @r : " + type +
        " {\n%w = tenon.get_weight @w : tensor<2x3xf32>\n" + body + "\n}\n" +
        more;
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return {};
    WeightEvaluator evaluator(*module, {}, [&](const Diagnostic &d) {
      said += d.text + "\n";
      status = d.status;
    });
    std::string bytes;
    auto keep = [&](llvm::StringRef piece) {
      bytes += piece;
      return true;
    };
    if (!evaluator.evaluate(module->lookupSymbol<WeightOp>("r"), keep))
      return {};
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  using F = std::vector<float>;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string folder, more, said;
  Status status = Status::Success;
};

TEST_F(Recipes, Panels) {
  EXPECT_EQ(run<float>("tensor<2x2x2xf32>", R"(
    %r = tenon.pack %w dim 1 width 2 : (tensor<2x3xf32>) -> tensor<2x2x2xf32>
    tenon.yield %r : tensor<2x2x2xf32>)"),
            (F{1, 2, 4, 5, 3, 0, 6, 0}));
  EXPECT_EQ(run<float>("tensor<1x3x4xf32>", R"(
    %r = tenon.pack %w dim 0 width 4 : (tensor<2x3xf32>) -> tensor<1x3x4xf32>
    tenon.yield %r : tensor<1x3x4xf32>)"),
            (F{1, 4, 0, 0, 2, 5, 0, 0, 3, 6, 0, 0}));
  // The last panel is full.
  EXPECT_EQ(run<float>("tensor<1x2x3xf32>", R"(
    %r = tenon.pack %w dim 1 width 3 : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
    tenon.yield %r : tensor<1x2x3xf32>)"),
            (F{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(run<float>("tensor<2x3x1x2xf32>", R"(
    %s = tenon.reshape %w sizes [3, 2, 1] : (tensor<2x3xf32>) -> tensor<3x2x1xf32>
    %t = tenon.transpose %s [1, 0, 2] : (tensor<3x2x1xf32>) -> tensor<2x3x1xf32>
    %c = tenon.concatenate %t, %t dim 0 : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<4x3x1xf32>
    %r = tenon.pack %c dim 0 width 2 : (tensor<4x3x1xf32>) -> tensor<2x3x1x2xf32>
    tenon.yield %r : tensor<2x3x1x2xf32>)"),
            (F{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
}

TEST_F(Recipes, Pairs) {
  using Words = std::vector<uint32_t>;
  // 1 to 6 as bf16: 3f80 4000 4040 4080 40a0 40c0.
  EXPECT_EQ(run<uint32_t>("tensor<1x3xi32>", R"(
    %c = tenon.convert %w to bf16 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    %r = tenon.pair %c : (tensor<2x3xbf16>) -> tensor<1x3xi32>
    tenon.yield %r : tensor<1x3xi32>)"),
            (Words{0x40803f80, 0x40a04000, 0x40c04040}));
  // The odd depth is padded with zeros in each of the two panels.
  EXPECT_EQ(run<uint32_t>("tensor<2x2x1xi32>", R"(
    %c = tenon.convert %w to bf16 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    %s = tenon.reshape %c sizes [2, 3, 1] : (tensor<2x3xbf16>) -> tensor<2x3x1xbf16>
    %r = tenon.pair %s : (tensor<2x3x1xbf16>) -> tensor<2x2x1xi32>
    tenon.yield %r : tensor<2x2x1xi32>)"),
            (Words{0x40003f80, 0x4040, 0x40a04080, 0x40c0}));
}

TEST_F(Recipes, Quads) {
  using Words = std::vector<uint32_t>;
  EXPECT_EQ(run<uint32_t>("tensor<1x3xi32>", R"(
    %c = tenon.convert %w to i8 : (tensor<2x3xf32>) -> tensor<2x3xi8>
    %r = tenon.quad %c : (tensor<2x3xi8>) -> tensor<1x3xi32>
    tenon.yield %r : tensor<1x3xi32>)"),
            (Words{0x0401, 0x0502, 0x0603}));
  // The depth of five is padded with zeros in each of the two panels.
  EXPECT_EQ(run<uint32_t>("tensor<2x2x2xi32>", R"(
    %c = tenon.constant dense<[[[1, 2], [-1, 127], [3, -128], [4, 5], [-2, 6]],
                               [[7, 8], [9, 10], [11, 12], [13, 14], [15, 16]]]> : tensor<2x5x2xi8>
    %r = tenon.quad %c : (tensor<2x5x2xi8>) -> tensor<2x2x2xi32>
    tenon.yield %r : tensor<2x2x2xi32>)"),
            (Words{0x0403ff01, 0x05807f02, 0xfe, 0x06, 0x0d0b0907, 0x0e0c0a08,
                   0x0f, 0x10}));
}

TEST_F(Recipes, SumsOfIntegers) {
  using Sums = std::vector<int32_t>;
  EXPECT_EQ(run<int32_t>("tensor<3xi32>", R"(
    %c = tenon.convert %w to i32 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %r = tenon.reduce add %c over [0] : (tensor<2x3xi32>) -> tensor<3xi32>
    tenon.yield %r : tensor<3xi32>)"),
            (Sums{5, 7, 9}));
  EXPECT_EQ(run<int32_t>("tensor<2xi32>", R"(
    %c = tenon.convert %w to i32 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %r = tenon.reduce add %c over [1] : (tensor<2x3xi32>) -> tensor<2xi32>
    tenon.yield %r : tensor<2xi32>)"),
            (Sums{6, 15}));
  EXPECT_EQ(run<int32_t>("tensor<i32>", R"(
    %c = tenon.convert %w to i32 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %r = tenon.reduce add %c over [0, 1] : (tensor<2x3xi32>) -> tensor<i32>
    tenon.yield %r : tensor<i32>)"),
            (Sums{21}));
  // Over the first and the last of three dimensions.
  EXPECT_EQ(run<int32_t>("tensor<2xi32>", R"(
    %c = tenon.constant dense<[[[1, 2, 3], [4, 5, 6]], [[10, 20, 30], [40, 50, -60]]]> : tensor<2x2x3xi32>
    %r = tenon.reduce add %c over [0, 2] : (tensor<2x2x3xi32>) -> tensor<2xi32>
    tenon.yield %r : tensor<2xi32>)"),
            (Sums{66, 45}));
  // A sum wraps; a sum of nothing is zero.
  EXPECT_EQ(run<int32_t>("tensor<1xi32>", R"(
    %c = tenon.constant dense<[[2147483647], [2]]> : tensor<2x1xi32>
    %r = tenon.reduce add %c over [0] : (tensor<2x1xi32>) -> tensor<1xi32>
    tenon.yield %r : tensor<1xi32>)"),
            (Sums{-2147483647}));
  EXPECT_EQ(run<int32_t>("tensor<2xi32>", R"(
    %c = tenon.constant dense<> : tensor<0x2xi32>
    %r = tenon.reduce add %c over [0] : (tensor<0x2xi32>) -> tensor<2xi32>
    tenon.yield %r : tensor<2xi32>)"),
            (Sums{0, 0}));
}

TEST_F(Recipes, Movements) {
  EXPECT_EQ(run<float>("tensor<3x2xf32>", R"(
    %r = tenon.transpose %w [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    tenon.yield %r : tensor<3x2xf32>)"),
            (F{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(run<float>("tensor<2x2xf32>", R"(
    %r = tenon.slice %w offsets [0, 2] sizes [2, 2] strides [1, -2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
    tenon.yield %r : tensor<2x2xf32>)"),
            (F{3, 1, 6, 4}));
  EXPECT_EQ(run<float>("tensor<2x3xf32>", R"(
    %r = tenon.reverse %w [0, 1] : tensor<2x3xf32>
    tenon.yield %r : tensor<2x3xf32>)"),
            (F{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(run<float>("tensor<2x6xf32>", R"(
    %n = tenon.negate %w : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %r = tenon.concatenate %w, %n dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
    tenon.yield %r : tensor<2x6xf32>)"),
            (F{1, 2, 3, -1, -2, -3, 4, 5, 6, -4, -5, -6}));
  EXPECT_EQ(run<float>("tensor<2x2x3xf32>", R"(
    %s = tenon.slice %w offsets [0, 0] sizes [1, 3] strides [1, 1] : (tensor<2x3xf32>) -> tensor<1x3xf32>
    %r = tenon.broadcast_in_dim %s dims [1, 2] sizes [2, 2, 3] : (tensor<1x3xf32>) -> tensor<2x2x3xf32>
    tenon.yield %r : tensor<2x2x3xf32>)"),
            (F{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
}

TEST_F(Recipes, PaddingAroundBetweenAndCutting) {
  EXPECT_EQ(run<float>("tensor<3x5xf32>", R"(
    %v = tenon.constant dense<9.0> : tensor<f32>
    %r = tenon.pad %w, %v low [1, -1] high [0, 1] interior [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x5xf32>
    tenon.yield %r : tensor<3x5xf32>)"),
            (F{9, 9, 9, 9, 9, 9, 2, 9, 3, 9, 9, 5, 9, 6, 9}));
  EXPECT_EQ(run<float>("tensor<1x1xf32>", R"(
    %v = tenon.constant dense<9.0> : tensor<f32>
    %r = tenon.pad %w, %v low [-1, -1] high [0, -1] interior [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x1xf32>
    tenon.yield %r : tensor<1x1xf32>)"),
            (F{5}));
}

TEST_F(Recipes, ArithmeticRoundsPerOp) {
  EXPECT_EQ(run<float>("tensor<2x3xf32>", R"(
    %c = tenon.constant dense<[[1.0, 2.0, 4.0], [8.0, 16.0, 0.0]]> : tensor<2x3xf32>
    %q = tenon.divide %w, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    tenon.yield %q : tensor<2x3xf32>)"),
            (F{1, 1, 0.75, 0.5, 0.3125, INFINITY}));
  // 2049 is no f16 value: 2048 + 1 rounds down to 2048, twice.
  EXPECT_EQ(run<float>("tensor<f32>", R"(
    %a = tenon.constant dense<2048.0> : tensor<f16>
    %b = tenon.constant dense<1.0> : tensor<f16>
    %s = tenon.add %a, %b : (tensor<f16>, tensor<f16>) -> tensor<f16>
    %t = tenon.add %s, %b : (tensor<f16>, tensor<f16>) -> tensor<f16>
    %r = tenon.convert %t to f32 : (tensor<f16>) -> tensor<f32>
    tenon.yield %r : tensor<f32>)"),
            (F{2048}));
  EXPECT_EQ(run<int8_t>("tensor<3xi8>", R"(
    %a = tenon.constant dense<[-128, 127, 5]> : tensor<3xi8>
    %b = tenon.constant dense<[-1, 2, 0]> : tensor<3xi8>
    %q = tenon.divide %a, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
    tenon.yield %q : tensor<3xi8>)"),
            (std::vector<int8_t>{-128, 63, -1}));
  EXPECT_EQ(run<uint16_t>("tensor<2xui16>", R"(
    %a = tenon.constant dense<[65535, 40000]> : tensor<2xui16>
    %p = tenon.multiply %a, %a : (tensor<2xui16>, tensor<2xui16>) -> tensor<2xui16>
    tenon.yield %p : tensor<2xui16>)"),
            (std::vector<uint16_t>{1, uint16_t(40000u * 40000u)}));
}

TEST_F(Recipes, ReadRecipes) {
  more = R"(tenon.weight @a : tensor<2x3xf32> {
    %w = tenon.get_weight @w : tensor<2x3xf32>
    %r = tenon.add %w, %w : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    tenon.yield %r : tensor<2x3xf32>
  }
  tenon.weight @b : tensor<2x3xf32> {
    %w = tenon.get_weight @w : tensor<2x3xf32>
    %r = tenon.multiply %w, %w : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    tenon.yield %r : tensor<2x3xf32>
  })";
  EXPECT_EQ(run<float>("tensor<2x3xf32>", R"(
    %a = tenon.get_weight @a : tensor<2x3xf32>
    %b = tenon.get_weight @b : tensor<2x3xf32>
    %r = tenon.subtract %b, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    tenon.yield %r : tensor<2x3xf32>)"),
            (F{-1, 0, 3, 8, 15, 24}));
}

TEST_F(Recipes, WhatTheyMustNotHoldIsAnError) {
  EXPECT_TRUE(run<float>("tensor<2x3xf32>", R"(
    %r = tenon.tanh %w : (tensor<2x3xf32>) -> tensor<2x3xf32>
    tenon.yield %r : tensor<2x3xf32>)")
                  .empty());
  EXPECT_EQ(status, Status::Internal);
  EXPECT_NE(said.find("tenon.tanh"), std::string::npos) << said;
  said.clear();
  // A sum of floats depends on its order.
  EXPECT_TRUE(run<float>("tensor<3xf32>", R"(
    %r = tenon.reduce add %w over [0] : (tensor<2x3xf32>) -> tensor<3xf32>
    tenon.yield %r : tensor<3xf32>)")
                  .empty());
  EXPECT_NE(said.find("tenon.reduce"), std::string::npos) << said;
}

TEST_F(Recipes, FilesThatShrank) {
  writeFile(folder + "/w.bin", "gone");
  EXPECT_TRUE(run<float>("tensor<2x3xf32>", "tenon.yield %w : tensor<2x3xf32>")
                  .empty());
  EXPECT_EQ(status, Status::Io);
}

/// LLVM's rounding of `x` to `to`, as bits.
uint64_t rounded(llvm::APFloat x, const llvm::fltSemantics &to) {
  bool lost;
  x.convert(to, llvm::APFloat::rmNearestTiesToEven, &lost);
  return x.bitcastToAPInt().getZExtValue();
}

template <typename T> uint16_t converted(int32_t from, int32_t to, T value) {
  uint16_t bits;
  convertElements(from, to, 1, reinterpret_cast<char *>(&value),
                  reinterpret_cast<char *>(&bits));
  return bits;
}

TEST(Conversion, NarrowFloatsBothWays) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float half = halfToFloat(bits);
    llvm::APFloat exact(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
    ASSERT_TRUE(std::isnan(half) ? exact.isNaN()
                                 : exact.convertToFloat() == half);
    if (!std::isnan(half)) {
      ASSERT_EQ(floatToHalf(half), bits);
    }
    float wide = bfloatToFloat(bits);
    if (!std::isnan(wide)) {
      ASSERT_EQ(floatToBfloat(wide), bits);
    }
  }
}

TEST(Conversion, RoundsOnceToNearestEven) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300000; ++i) {
    uint64_t word = random();
    // Exponents near the ranges of the narrow types, often next to a tie.
    if (i % 2)
      word =
          (word & ~uint64_t(0x7ff0000000000000)) | ((960 + word % 100) << 52);
    if (i % 3 == 0)
      word = (word & ~uint64_t(0x3ffffffffff)) | (uint64_t(1) << 41) |
             (i % 9 == 0);
    double x = std::bit_cast<double>(word);
    float f = float(x);
    if (std::isnan(x))
      continue;
    ASSERT_EQ(converted(TENON_F64, TENON_F16, x),
              rounded(llvm::APFloat(x), llvm::APFloat::IEEEhalf()))
        << x;
    ASSERT_EQ(converted(TENON_F64, TENON_BF16, x),
              rounded(llvm::APFloat(x), llvm::APFloat::BFloat()))
        << x;
    ASSERT_EQ(floatToHalf(f),
              rounded(llvm::APFloat(f), llvm::APFloat::IEEEhalf()))
        << f;
    ASSERT_EQ(floatToBfloat(f),
              rounded(llvm::APFloat(f), llvm::APFloat::BFloat()))
        << f;
    int64_t number = int64_t(word) >> (i % 63);
    llvm::APFloat exact(llvm::APFloat::IEEEquad());
    exact.convertFromAPInt(llvm::APInt(64, uint64_t(number)), true,
                           llvm::APFloat::rmNearestTiesToEven);
    ASSERT_EQ(converted(TENON_I64, TENON_BF16, number),
              rounded(exact, llvm::APFloat::BFloat()))
        << number;
    ASSERT_EQ(converted(TENON_I64, TENON_F16, number),
              rounded(exact, llvm::APFloat::IEEEhalf()))
        << number;
  }
}

TEST(Conversion, ToIntegersSaturates) {
  float values[] = {NAN, INFINITY, -INFINITY, 1.9f, -1.9f, 3e9f, -3e9f};
  int32_t ints[7];
  convertElements(TENON_F32, TENON_I32, 7, reinterpret_cast<char *>(values),
                  reinterpret_cast<char *>(ints));
  EXPECT_EQ(std::vector<int32_t>(ints, ints + 7),
            (std::vector<int32_t>{0, INT32_MAX, INT32_MIN, 1, -1, INT32_MAX,
                                  INT32_MIN}));
  uint8_t bytes[7];
  convertElements(TENON_F32, TENON_U8, 7, reinterpret_cast<char *>(values),
                  reinterpret_cast<char *>(bytes));
  EXPECT_EQ(std::vector<uint8_t>(bytes, bytes + 7),
            (std::vector<uint8_t>{0, 255, 0, 1, 0, 255, 0}));
  convertElements(TENON_F32, TENON_BOOL, 7, reinterpret_cast<char *>(values),
                  reinterpret_cast<char *>(bytes));
  EXPECT_EQ(std::vector<uint8_t>(bytes, bytes + 7),
            (std::vector<uint8_t>{1, 1, 1, 1, 1, 1, 1}));
}

} // namespace
} // namespace tenon::test
