// Tests elements of every type: exact if possible, otherwise rounded to nearest
// even.
#include "tools/tenon/Tensor.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tenon::cli;

namespace {

Tensor scalarOf(int32_t dtype) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.bytes.assign(tenon_dtype_bytes(dtype), 0);
  return tensor;
}

double through(int32_t dtype, double value) {
  Tensor tensor = scalarOf(dtype);
  setElement(tensor, 0, value);
  return elementAsDouble(tensor, 0);
}

TEST(Tensor, EveryHalfReadsBackToItself) {
  for (int32_t dtype : {TENON_F16, TENON_BF16})
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      Tensor tensor = scalarOf(dtype);
      tensor.bytes = {uint8_t(bits), uint8_t(bits >> 8)};
      double value = elementAsDouble(tensor, 0);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(through(dtype, value)));
        continue;
      }
      Tensor again = scalarOf(dtype);
      setElement(again, 0, value);
      EXPECT_EQ(again.bytes, tensor.bytes) << bits;
    }
}

TEST(Tensor, RoundsTiesToEvenAndOverflowToInfinity) {
  EXPECT_EQ(through(TENON_F16, 1 + 0x1p-11), 1.0);
  EXPECT_EQ(through(TENON_F16, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(through(TENON_F16, 65504), 65504);
  EXPECT_EQ(through(TENON_F16, 65519), 65504);
  EXPECT_EQ(through(TENON_F16, 65520), INFINITY);
  EXPECT_EQ(through(TENON_F16, 0x1p-25), 0);
  EXPECT_EQ(through(TENON_F16, 0x1.8p-25), 0x1p-24);
  EXPECT_EQ(through(TENON_BF16, 1 + 0x1p-8), 1.0);
  EXPECT_EQ(through(TENON_BF16, -1e39), -INFINITY);
  EXPECT_EQ(through(TENON_F16, -INFINITY), -INFINITY);
}

TEST(Tensor, IntegersKeepTheirSign) {
  EXPECT_EQ(through(TENON_I8, -3), -3);
  EXPECT_EQ(through(TENON_U8, 253), 253);
  EXPECT_EQ(through(TENON_I64, -5), -5);
  Tensor tensor = scalarOf(TENON_U64);
  setElementBits(tensor, 0, -1);
  EXPECT_EQ(elementText(tensor, 0), "18446744073709551615");
  tensor.dtype = TENON_I64;
  EXPECT_EQ(elementText(tensor, 0), "-1");
}

TEST(Tensor, TextIsTheShortestThatReadsBack) {
  Tensor tensor = scalarOf(TENON_F32);
  setElement(tensor, 0, 0.1);
  EXPECT_EQ(elementText(tensor, 0), "0.1");
  tensor = scalarOf(TENON_BOOL);
  setElementBits(tensor, 0, 1);
  EXPECT_EQ(elementText(tensor, 0), "true");
}

TEST(Tensor, SizesDoNotWrap) {
  EXPECT_EQ(tensorBytes(TENON_F32, {}), 4u);
  EXPECT_EQ(tensorBytes(TENON_F32, {0, INT64_MAX, INT64_MAX}), 0u);
  EXPECT_EQ(tensorBytes(TENON_F32, {INT64_MAX}), std::nullopt);
  EXPECT_EQ(tensorBytes(TENON_F32, {int64_t(1) << 32, int64_t(1) << 32}),
            std::nullopt);
  EXPECT_EQ(tensorBytes(TENON_I8, {-1}), std::nullopt);
}

TEST(Tensor, NamesOfTypes) {
  EXPECT_EQ(dtypeNamed("bf16"), TENON_BF16);
  EXPECT_EQ(dtypeNamed("bool"), TENON_BOOL);
  EXPECT_EQ(dtypeNamed("f8"), std::nullopt);
  EXPECT_EQ(typeText(TENON_F32, {1, 2}), "f32[1,2]");
}

} // namespace
