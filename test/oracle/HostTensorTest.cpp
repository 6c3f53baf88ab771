// Tests that host tensors hold values of their element types: rounding,
// wrapping, bytes.
#include "test/oracle/GraphText.h"

#include <cmath>

using namespace mlir;
using namespace tenon;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using HostTensorTest = GraphText;

TEST_F(HostTensorTest, RoundsToNearestEven) {
  Type f16 = builder.getF16Type(), bf16 = builder.getBF16Type();
  EXPECT_EQ(roundToElement(f16, 1 + 0x1p-11), 1); // a tie, to even
  EXPECT_EQ(roundToElement(f16, 1 + 0x3p-11), 1 + 0x1p-9);
  EXPECT_EQ(roundToElement(f16, 65519.99), 65504);
  EXPECT_EQ(roundToElement(f16, 65520), infinity);
  EXPECT_EQ(roundToElement(f16, -65520), -infinity);
  EXPECT_EQ(roundToElement(f16, 0x1p-25), 0); // half the least value, to even
  EXPECT_EQ(roundToElement(f16, 0x1.8p-25), 0x1p-24);
  EXPECT_EQ(roundToElement(bf16, 1 + 0x1p-8), 1);
  EXPECT_EQ(roundToElement(bf16, 1 + 0x3p-8), 1 + 0x1p-6);
  EXPECT_EQ(roundToElement(bf16, 0x1.FFp127), infinity);
  EXPECT_EQ(roundToElement(bf16, 0x1.FEFp127), 0x1.FEp127);
  EXPECT_EQ(roundToElement(builder.getF32Type(), 1 + 0x1p-24), 1);
  EXPECT_EQ(roundToElement(builder.getF64Type(), 0.1), 0.1);
  EXPECT_TRUE(std::signbit(roundToElement(f16, -0x1p-30)));
  EXPECT_TRUE(std::isnan(roundToElement(bf16, std::nan(""))));
}

TEST_F(HostTensorTest, RoundsIntegersOnce) {
  Type i64 = builder.getI64Type(), bf16 = builder.getBF16Type();
  // Rounded through a double, 2^62 + 2^54 + 1 would become a tie and round to
  // even.
  int64_t value = (int64_t(1) << 62) + (int64_t(1) << 54) + 1;
  EXPECT_EQ(intToFloat(i64, value, bf16), 0x1p62 + 0x1p55);
  EXPECT_EQ(intToFloat(unsignedInt(64), -1, builder.getF64Type()), 0x1p64);
  EXPECT_EQ(intToFloat(i64, -1, builder.getF64Type()), -1);
}

TEST_F(HostTensorTest, SaturatesFloats) {
  Type i64 = builder.getI64Type();
  EXPECT_EQ(floatToInt(0x1p63, i64), INT64_MAX);
  EXPECT_EQ(floatToInt(-0x1p63, i64), INT64_MIN);
  EXPECT_EQ(floatToInt(-0x1.8p63, i64), INT64_MIN);
  EXPECT_EQ(floatToInt(-infinity, unsignedInt(64)), 0);
  EXPECT_EQ(uint64_t(floatToInt(infinity, unsignedInt(64))), UINT64_MAX);
  EXPECT_EQ(floatToInt(-128.9, builder.getI8Type()), -128);
}

TEST_F(HostTensorTest, WrapsIntegers) {
  EXPECT_EQ(wrapToElement(builder.getI8Type(), 200), -56);
  EXPECT_EQ(wrapToElement(unsignedInt(8), -1), 255);
  EXPECT_EQ(wrapToElement(builder.getI1Type(), 3), 1);
  EXPECT_EQ(wrapToElement(builder.getIndexType(), INT64_MIN), INT64_MIN);
}

TEST_F(HostTensorTest, BytesRoundTrip) {
  std::vector<HostTensor> tensors = {
      floats(builder.getF16Type(), {3}, {1, -0.0, infinity}),
      floats(builder.getBF16Type(), {2}, {0x1p-130, -2.5}),
      floats(builder.getF32Type(), {1, 2}, {0.25, 0x1p-149}),
      floats(builder.getF64Type(), {1}, {0.1}),
      ints(builder.getI8Type(), {2}, {-128, 127}),
      ints(unsignedInt(16), {2}, {65535, 1}),
      ints(builder.getI64Type(), {1}, {INT64_MIN}),
      ints(builder.getI1Type(), {2}, {1, 0}),
      ints(builder.getI32Type(), {0, 4}, {}),
  };
  for (const HostTensor &tensor : tensors) {
    std::vector<char> bytes = tensor.toBytes();
    EXPECT_EQ(int64_t(bytes.size()),
              tensor.count() * elementBytes(tensor.element));
    auto back = HostTensor::fromBytes(tensor.element, tensor.shape, bytes);
    ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
    EXPECT_EQ(back->floats, tensor.floats);
    EXPECT_EQ(back->ints, tensor.ints);
    EXPECT_EQ(back->toBytes(), bytes);
  }
}

TEST_F(HostTensorTest, RefusesBytesOfAnotherSize) {
  auto tensor =
      HostTensor::fromBytes(builder.getF32Type(), {2}, {'a', 'b', 'c', 'd'});
  EXPECT_FALSE(bool(tensor));
  EXPECT_EQ(llvm::toString(tensor.takeError()),
            "expected the bytes of 2 elements, got 4");
}

TEST_F(HostTensorTest, CountsWithoutOverflow) {
  EXPECT_EQ(checkedCount({}), 1);
  EXPECT_EQ(checkedCount({int64_t(1) << 40, int64_t(1) << 40}), -1);
  EXPECT_EQ(checkedCount({int64_t(1) << 40, int64_t(1) << 40, 0}), 0);
  EXPECT_EQ(checkedCount({2, -1}), -1);
}

} // namespace
