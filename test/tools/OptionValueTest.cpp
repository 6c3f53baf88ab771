// Tests values of generation options: read from text by the type of the input.
#include "tools/tenon/generate/OptionValue.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tenon::cli;

namespace {

struct Read {
  Tensor value;
  std::string expected;
};

Read read(const char *text, int32_t dtype, int32_t rank,
          const char *name = "option") {
  tenon_tensor_desc desc = {};
  desc.name = name;
  desc.dtype = dtype;
  desc.rank = rank;
  Read result;
  result.expected = parseOptionValue(text, desc, result.value);
  EXPECT_EQ(result.value.name, name);
  EXPECT_EQ(result.value.dtype, dtype);
  return result;
}

std::vector<int64_t> integersOf(const Read &read) {
  EXPECT_EQ(read.expected, "");
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < read.value.getNumElements(); ++i)
    integers.push_back(elementAsBits(read.value, i));
  return integers;
}

using Integers = std::vector<int64_t>;

TEST(OptionValue, ReadsScalars) {
  EXPECT_EQ(integersOf(read("-7", TENON_I64, 0)), Integers{-7});
  EXPECT_EQ(integersOf(read("9223372036854775807", TENON_I64, 0)),
            Integers{INT64_MAX});
  EXPECT_EQ(integersOf(read("true", TENON_BOOL, 0)), Integers{1});
  EXPECT_EQ(integersOf(read("0", TENON_BOOL, 0)), Integers{0});
  EXPECT_EQ(elementAsDouble(read("0.25", TENON_F32, 0).value, 0), 0.25);
  EXPECT_TRUE(std::isnan(elementAsDouble(read("nan", TENON_F32, 0).value, 0)));
}

TEST(OptionValue, ReadsWords) {
  EXPECT_EQ(integersOf(read("never", TENON_I64, 0, "early_stopping")),
            Integers{2});
  EXPECT_EQ(integersOf(read("true", TENON_I64, 0, "early_stopping")),
            Integers{1});
  EXPECT_NE(read("never", TENON_I64, 0).expected, "");
}

TEST(OptionValue, ReadsLists) {
  Read list = read("5, -1,7", TENON_I64, 1);
  EXPECT_EQ(integersOf(list), (Integers{5, -1, 7}));
  EXPECT_EQ(list.value.dims, Integers{3});
  EXPECT_EQ(read("", TENON_I64, 1).value.dims, Integers{0});
  EXPECT_EQ(read("1.5,2", TENON_F32, 1).value.dims, Integers{2});
}

// Shorter lists have -1 on the left.
TEST(OptionValue, ReadsListsOfLists) {
  Read lists = read("5;1,2,3;8,9", TENON_I64, 2);
  EXPECT_EQ(integersOf(lists), (Integers{-1, -1, 5, 1, 2, 3, -1, 8, 9}));
  EXPECT_EQ(lists.value.dims, (Integers{3, 3}));
  EXPECT_EQ(read("", TENON_I64, 2).value.dims, (Integers{0, 1}));
}

TEST(OptionValue, SaysWhatItExpected) {
  EXPECT_EQ(read("1.5", TENON_I64, 0).expected, "an integer of 64 bits");
  EXPECT_EQ(read("9223372036854775808", TENON_I64, 0).expected,
            "an integer of 64 bits");
  EXPECT_EQ(read("", TENON_I64, 0).expected, "an integer of 64 bits");
  EXPECT_EQ(read("yes", TENON_BOOL, 0).expected, "true or false");
  EXPECT_EQ(read("2", TENON_BOOL, 0).expected, "true or false");
  EXPECT_EQ(read("x", TENON_F32, 0).expected, "a number");
  EXPECT_EQ(read("1,,2", TENON_I64, 1).expected,
            "an integer of 64 bits or several with commas");
  EXPECT_EQ(read("1;x", TENON_I64, 2).expected,
            "lists of integers such as 1,2;3");
}

} // namespace
