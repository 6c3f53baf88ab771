// Tests archives: written ones can be read back, deflated entries can be read,
// and damage is refused.
#include "tools/tenon/npy/Npz.h"

#include <gtest/gtest.h>

#include <zlib.h>

using namespace tenon::cli;

namespace {

std::vector<Tensor> twoTensors() {
  std::vector<Tensor> tensors(2);
  tensors[0].name = "first";
  tensors[0].dims = {2};
  tensors[0].bytes = {0, 0, 128, 63, 0, 0, 0, 64};
  tensors[1].name = "second/x:0";
  tensors[1].dtype = TENON_I8;
  tensors[1].dims = {3, 1};
  tensors[1].bytes = {1, 2, 255};
  return tensors;
}

std::string text(uint64_t value, int bytes) {
  std::string result;
  for (int i = 0; i < bytes; ++i)
    result += static_cast<char>(value >> (8 * i));
  return result;
}

/// An archive of one deflated entry that claims `size` bytes.
std::string deflated(const std::string &data, uint64_t size) {
  std::string packed(data.size() + 100, '\0');
  z_stream stream = {};
  EXPECT_EQ(
      deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(data.data()));
  stream.avail_in = data.size();
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = packed.size();
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  uint32_t crc =
      crc32_z(0, reinterpret_cast<const Bytef *>(data.data()), data.size());
  std::string fields = text(20, 2) + text(0, 2) + text(8, 2) + text(0, 4) +
                       text(crc, 4) + text(packed.size(), 4) + text(size, 4) +
                       text(5, 2) + text(0, 2);
  std::string local = text(0x04034b50, 4) + fields + "x.npy" + packed;
  std::string entry = text(0x02014b50, 4) + text(20, 2) + fields +
                      std::string(14, '\0') + "x.npy";
  return local + entry + text(0x06054b50, 4) + std::string(4, '\0') +
         text(1, 2) + text(1, 2) + text(entry.size(), 4) +
         text(local.size(), 4) + text(0, 2);
}

TEST(Npz, ReadsBack) {
  std::vector<Tensor> before = twoTensors(), after;
  std::string bytes = writeNpz(before);
  FormatError error = readNpz(bytes, after);
  ASSERT_FALSE(error) << error.text;
  ASSERT_EQ(after.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(after[i].name, before[i].name);
    EXPECT_EQ(after[i].dims, before[i].dims);
    EXPECT_EQ(after[i].bytes, before[i].bytes);
  }
  EXPECT_EQ(bytes, writeNpz(before));
}

TEST(Npz, AnEmptyArchiveHasNoTensors) {
  std::vector<Tensor> after;
  FormatError error = readNpz(writeNpz({}), after);
  EXPECT_FALSE(error) << error.text;
  EXPECT_TRUE(after.empty());
}

TEST(Npz, ReadsDeflatedEntries) {
  Tensor zeros;
  zeros.dims = {1000};
  zeros.bytes.assign(4000, 0);
  std::string npy = writeNpy(zeros);
  std::vector<Tensor> after;
  FormatError error = readNpz(deflated(npy, npy.size()), after);
  ASSERT_FALSE(error) << error.text;
  EXPECT_EQ(after[0].name, "x");
  EXPECT_EQ(after[0].bytes, zeros.bytes);
}

TEST(Npz, TakesNoClaimAboutSizes) {
  Tensor zeros;
  zeros.dims = {1000};
  zeros.bytes.assign(4000, 0);
  std::string npy = writeNpy(zeros);
  for (uint64_t claim :
       {uint64_t(0), npy.size() - 1, npy.size() + 1, uint64_t(0xfffffff0)}) {
    std::vector<Tensor> after;
    EXPECT_TRUE(readNpz(deflated(npy, claim), after)) << claim;
  }
}

/// A .npy file whose header says `dims`, followed by `bytes` zeros.
std::string zerosAfterHeader(const std::string &dims, size_t bytes) {
  std::string header =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (" + dims + "), }\n";
  std::string file("\x93NUMPY\1\0", 8);
  file += text(header.size(), 2) + header;
  return file + std::string(bytes, '\0');
}

TEST(Npz, UnpacksNoFurtherThanTheHeaderSays) {
  // 64 MiB of zeros packed into 64 KiB, with a header that claims four bytes.
  std::string bomb = deflated(zerosAfterHeader("4,", 64 << 20),
                              zerosAfterHeader("4,", 64 << 20).size());
  std::vector<Tensor> tensors;
  FormatError error = readNpz(bomb, tensors, [](const Tensor &, uint64_t) {
    ADD_FAILURE() << "asked for memory";
    return true;
  });
  EXPECT_EQ(error.place, "entry 'x.npy', offset 0");
  EXPECT_NE(error.text.find("bytes for u8[4], got 671"), std::string::npos)
      << error.text;
}

TEST(Npz, TakesNoMemoryThatIsRefused) {
  std::string npy = zerosAfterHeader("1048576,", 1 << 20);
  std::vector<Tensor> tensors;
  std::vector<std::pair<std::string, uint64_t>> asked;
  FormatError error = readNpz(
      deflated(npy, npy.size()), tensors,
      [&](const Tensor &next, uint64_t bytes) {
        asked.emplace_back(next.name + typeText(next.dtype, next.dims), bytes);
        return false;
      });
  EXPECT_FALSE(error) << error.text;
  EXPECT_TRUE(tensors.empty());
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].first, "xu8[1048576]");
  EXPECT_EQ(asked[0].second, 2 * npy.size());
}

TEST(Npz, RefusesEveryPrefix) {
  std::string whole = writeNpz(twoTensors());
  for (size_t length = 0; length < whole.size(); ++length) {
    std::vector<Tensor> tensors;
    EXPECT_TRUE(readNpz(whole.substr(0, length), tensors)) << length;
  }
}

TEST(Npz, SurvivesEveryFlippedByte) {
  Tensor zeros;
  zeros.dims = {100};
  zeros.bytes.assign(400, 0);
  std::string npy = writeNpy(zeros);
  for (const std::string &whole :
       {writeNpz(twoTensors()), deflated(npy, npy.size())})
    for (size_t i = 0; i < whole.size(); ++i)
      for (char mask : {1, -1, 64}) {
        std::string damaged = whole;
        damaged[i] ^= mask;
        std::vector<Tensor> tensors;
        readNpz(damaged, tensors);
      }
}

TEST(Npz, FindsADamagedArrayByItsChecksum) {
  std::string whole = writeNpz(twoTensors());
  size_t at = whole.find(std::string("\0\0\x80\x3f", 4));
  ASSERT_NE(at, std::string::npos);
  whole[at] = 1;
  std::vector<Tensor> tensors;
  EXPECT_EQ(readNpz(whole, tensors).text,
            "the checksum of entry 'first.npy' does not match its data");
}

TEST(Npz, RefusesTwoEntriesOfOneName) {
  std::vector<Tensor> tensors = twoTensors(), after;
  tensors[1].name = "first";
  EXPECT_EQ(readNpz(writeNpz(tensors), after).text, "stands twice");
}

} // namespace
