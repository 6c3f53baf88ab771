// Tests array files: written files can be read back, NumPy's files can be read,
// and every damage is refused with its place.
#include "tools/tenon/npy/Npy.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tenon::cli;

namespace {

Tensor tensorOf(int32_t dtype, std::vector<int64_t> dims) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.dims = std::move(dims);
  tensor.bytes.resize(*tensorBytes(tensor.dtype, tensor.dims));
  for (size_t i = 0; i < tensor.bytes.size(); ++i)
    tensor.bytes[i] = dtype == TENON_BOOL ? i % 2 : i * 7;
  return tensor;
}

/// A version 1.0 file with this dictionary and these data.
std::string file(const std::string &header, const std::string &data) {
  std::string text("\x93NUMPY\1\0", 8);
  text += static_cast<char>(header.size());
  text += static_cast<char>(header.size() >> 8);
  return text + header + data;
}

std::string refusal(const std::string &bytes) {
  Tensor tensor;
  FormatError error = readNpy(bytes, tensor);
  return error.place + ": " + error.text;
}

TEST(Npy, EveryTypeAndRankReadsBack) {
  for (int32_t dtype = TENON_F32; dtype <= TENON_BOOL; ++dtype)
    for (std::vector<int64_t> dims :
         {std::vector<int64_t>{}, {3}, {0}, {2, 3}, {2, 0, 5}, {1, 2, 3, 4}}) {
      Tensor before = tensorOf(dtype, dims), after;
      std::string bytes = writeNpy(before);
      FormatError error = readNpy(bytes, after);
      EXPECT_FALSE(error) << error.text;
      EXPECT_EQ(after.dtype, dtype);
      EXPECT_EQ(after.dims, dims);
      EXPECT_EQ(after.bytes, before.bytes);
      EXPECT_EQ((bytes.size() - before.bytes.size()) % 64, 0u);
    }
}

TEST(Npy, TakesBothQuotesAndAnyOrderOfKeys) {
  Tensor tensor;
  ASSERT_FALSE(readNpy(
      file("{\"shape\": (2,), 'fortran_order': False, 'descr': '|u1'}\n", "ab"),
      tensor));
  EXPECT_EQ(tensor.dims, std::vector<int64_t>{2});
  EXPECT_EQ(elementAsBits(tensor, 1), 'b');
}

TEST(Npy, ConvertsBigEndianAndFortranOrder) {
  Tensor tensor;
  std::string data;
  for (char c : {1, 2, 3, 4, 5, 6}) {
    data += '\0';
    data += c;
  }
  ASSERT_FALSE(readNpy(
      file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", data),
      tensor));
  int64_t expected[] = {1, 3, 5, 2, 4, 6};
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(elementAsBits(tensor, i), expected[i]);
}

TEST(Npy, ReadsTheVoidTypeAsBf16) {
  Tensor tensor;
  ASSERT_FALSE(
      readNpy(file("{'descr': '|V2', 'fortran_order': False, 'shape': (), }",
                   std::string("\x80\x3f", 2)),
              tensor));
  EXPECT_EQ(tensor.dtype, TENON_BF16);
  EXPECT_EQ(elementAsDouble(tensor, 0), 1.0);
}

TEST(Npy, RefusesEveryPrefix) {
  std::string whole = writeNpy(tensorOf(TENON_F32, {2, 2}));
  for (size_t length = 0; length < whole.size(); ++length) {
    Tensor tensor;
    EXPECT_TRUE(readNpy(whole.substr(0, length), tensor)) << length;
  }
  EXPECT_EQ(refusal(whole + "x"),
            "offset 128: expected 16 bytes for f32[2,2], got 17");
}

TEST(Npy, SurvivesEveryFlippedByte) {
  std::string whole = writeNpy(tensorOf(TENON_BOOL, {2, 2}));
  for (size_t i = 0; i < whole.size(); ++i)
    for (char mask : {1, -1, 32}) {
      std::string damaged = whole;
      damaged[i] ^= mask;
      Tensor tensor;
      if (!readNpy(damaged, tensor)) {
        EXPECT_EQ(tensor.bytes.size(), tensorBytes(tensor.dtype, tensor.dims));
      }
    }
}

TEST(Npy, NamesWhatIsWrong) {
  EXPECT_EQ(refusal("junk"), "offset 0: not a .npy file");
  EXPECT_EQ(refusal(std::string("\x93NUMPY\4\0\0\0", 10)),
            "offset 6: expected version 1.0, 2.0 or 3.0, got 4.0");
  EXPECT_EQ(refusal(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)),
            "offset 8: header of 4294967295 bytes, above the limit of 65536");
  EXPECT_EQ(refusal(std::string("\x93NUMPY\1\0\xff\0", 10)),
            "offset 8: header of 255 bytes, but the file has 0 left");
  EXPECT_EQ(refusal(file("{'descr': '<f4', 'shape': ()}", "abcd")),
            "offset 39: expected the keys descr, fortran_order and shape");
  EXPECT_EQ(refusal(file("{'descr': '<f4', 'descr': '<f4'}", "")),
            "offset 35: key 'descr' stands twice");
  EXPECT_EQ(refusal(file("{'x': 1}", "")), "offset 15: unknown key 'x'");
  EXPECT_EQ(refusal(file("{'shape': (-1,)}", "")),
            "offset 21: expected an extent from 0 to 2^63-1");
  EXPECT_EQ(refusal(file("{'shape': (99999999999999999999,)}", "")),
            "offset 21: expected an extent from 0 to 2^63-1");
  EXPECT_EQ(refusal(file("{'descr': '<c8', 'fortran_order': False, 'shape': "
                         "()}",
                         "")),
            "descr: element type '<c8' is not supported");
  EXPECT_EQ(refusal(file("{'descr': [('a', '<f4')]}", "")),
            "offset 20: records are not supported");
  EXPECT_EQ(refusal(file("{'descr': '|b1', 'fortran_order': False, 'shape': "
                         "(1,)}",
                         "\2")),
            "offset 65: expected a bool of 0 or 1, got 2");
}

TEST(Npy, SizesThatOverflowAreRefused) {
  EXPECT_EQ(refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': "
                         "(4294967296, 4294967296)}",
                         "")),
            "offset 85: expected over 2^63 bytes for "
            "f32[4294967296,4294967296], got 0");
  Tensor tensor;
  EXPECT_FALSE(readNpy(file("{'descr': '<f4', 'fortran_order': False, "
                            "'shape': (0, 4611686018427387904)}",
                            ""),
                       tensor));
}

} // namespace
