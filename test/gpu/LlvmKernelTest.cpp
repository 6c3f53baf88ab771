// What LLVM writes for its intrinsics of matrices and copies: the emulator
// reads it and computes what it should.
#include "test/gpu/Findings.h"
#include "test/gpu/emulator/TensorMap.h"

using namespace tenon::ptx;

namespace {
TEST(LlvmKernels, ProductOfMatrices) {
  // Whole numbers: sums are exact.
  std::vector<uint16_t> matrices(512);
  std::vector<int> values(512);
  for (size_t i = 0; i < matrices.size(); ++i) {
    values[i] = int(i * 37 % 61) - 30;
    matrices[i] = uint16_t(std::bit_cast<uint32_t>(float(values[i])) >> 16);
  }
  Device device(builtText("matrices", 80));
  uint64_t to = device.reserve(512);
  Counters counters = device.run("multiply", LaunchShape::linear(1, 32),
                                 device.put(matrices), to);
  auto got = device.get<float>(to, 128);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      int sum = 0;
      for (int k = 0; k < 16; ++k)
        sum += values[size_t(row * 16 + k)] *
               values[size_t(256 + column * 16 + k)];
      int lane = row % 8 * 4 + column / 2, i = row / 8 * 2 + column % 2;
      EXPECT_EQ(got[size_t(4 * lane + i)], float(sum));
    }
  EXPECT_EQ(counters[Group::Matrix], 1u);
}

TEST(LlvmKernels, CopiesOfBoxes) {
  TensorMap map;
  map.elementBytes = 2;
  map.rank = 2;
  map.extents = {128, 40};
  map.strides = {256};
  map.box = {64, 16};
  map.swizzle = Swizzle::Of128;
  std::vector<uint16_t> values(128 * 40), zeros(values.size()), expected;
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = uint16_t(i + 1);
  Device device(builtText("boxes", 90), 90);
  auto bytesOf = [&](uint64_t address) {
    map.address = address;
    EXPECT_EQ(tensorMapError(map), "");
    std::array<uint8_t, tensorMapBytes> bytes{};
    std::memcpy(bytes.data(), &map, sizeof map);
    return bytes;
  };
  uint64_t to = device.put(zeros);
  const int x = 32, y = 30;
  device.run("copyBox", LaunchShape::linear(1, 1), bytesOf(device.put(values)),
             bytesOf(to), x, y);
  for (int row = 0; row < 40; ++row)
    for (int column = 0; column < 128; ++column) {
      bool isInBox = y <= row && x <= column && column < x + 64;
      expected.push_back(isInBox ? values[size_t(row * 128 + column)]
                                 : uint16_t(0));
    }
  EXPECT_EQ(device.get<uint16_t>(to, zeros.size()), expected);
}
} // namespace
