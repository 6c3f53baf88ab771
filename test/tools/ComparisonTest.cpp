// Tests the comparison of tensors and its messages.
#include "tools/tenon/Comparison.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tenon::cli;

namespace {

Tensor floats(std::vector<double> values, int32_t dtype = TENON_F32) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.dims = {int64_t(values.size())};
  tensor.bytes.assign(*tensorBytes(dtype, tensor.dims), 0);
  for (size_t i = 0; i < values.size(); ++i)
    setElement(tensor, i, values[i]);
  return tensor;
}

bool same(std::vector<double> a, std::vector<double> b,
          Tolerance tolerance = {}, int32_t dtype = TENON_F32) {
  return compareTensors(floats(a, dtype), floats(b, dtype), tolerance).same;
}

TEST(Comparison, FloatsWithinTheDefaults) {
  EXPECT_TRUE(same({1, 2}, {1.0009, 2}));
  EXPECT_FALSE(same({1, 2}, {1.0011, 2}));
  EXPECT_TRUE(same({1}, {1.009}, {}, TENON_F16));
  EXPECT_TRUE(same({}, {}));
}

TEST(Comparison, SpecialValuesAgreeWithThemselvesAlone) {
  EXPECT_TRUE(same({NAN}, {NAN}));
  EXPECT_TRUE(same({INFINITY}, {INFINITY}));
  EXPECT_TRUE(same({0.0}, {-0.0}));
  EXPECT_FALSE(same({INFINITY}, {-INFINITY}));
  EXPECT_FALSE(same({NAN}, {1}));
  EXPECT_FALSE(same({1}, {NAN}));
  EXPECT_FALSE(same({INFINITY}, {1e30}, {1e-3, 1e38}));
  EXPECT_FALSE(same({1}, {INFINITY}));
}

TEST(Comparison, ADifferenceThatIsNoNumberIsTheLargest) {
  Difference d = compareTensors(floats({NAN, 3}), floats({1, 2}), {});
  EXPECT_TRUE(std::isnan(d.maxAbsolute));
  EXPECT_TRUE(std::isnan(d.maxRelative));
  d = compareTensors(floats({INFINITY, 3}), floats({1, 2}), {});
  EXPECT_EQ(d.maxAbsolute, INFINITY);
  EXPECT_EQ(d.maxRelative, INFINITY);
}

TEST(Comparison, IntegersAreExactUnlessAsked) {
  EXPECT_FALSE(same({1000}, {1001}, {}, TENON_I32));
  EXPECT_TRUE(same({1000}, {1001}, {std::nullopt, 1.0}, TENON_I32));
  Tensor a = floats({0}, TENON_I64), b = a;
  setElementBits(a, 0, (int64_t(1) << 60) + 1);
  setElementBits(b, 0, int64_t(1) << 60);
  EXPECT_FALSE(compareTensors(a, b, {}).same);
}

TEST(Comparison, TypesMustAgree) {
  Difference d = compareTensors(floats({1, 2}), floats({1}), {});
  EXPECT_EQ(d.text, "expected f32[1], got f32[2]");
}

TEST(Comparison, SaysWhereAndHowMuch) {
  Tensor a = floats({1, 2, 3, 9}), b = floats({1, 2.5, 3, 4});
  a.dims = b.dims = {2, 2};
  Difference d = compareTensors(a, b, {});
  EXPECT_EQ(d.text, "2 of 4 elements differ");
  ASSERT_EQ(d.details.size(), 3u);
  EXPECT_EQ(d.details[0], "first at [0,1]: expected 2.5, got 2");
  EXPECT_EQ(d.details[1], "largest at [1,1]: expected 4, got 9");
  EXPECT_EQ(d.maxAbsolute, 5);
}

} // namespace
