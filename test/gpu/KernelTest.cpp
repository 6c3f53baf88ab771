// Kernels in C, compiled to PTX by clang, give the results of the same loops
// on the host.
#include "test/gpu/Device.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tenon::ptx;

namespace {
std::vector<float> randomFloats(size_t count, uint64_t seed) {
  std::mt19937_64 draws(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = float(draws() % 20001) / 1000 - 10;
  return values;
}

class Kernels : public testing::TestWithParam<int> {
protected:
  Device device(const char *name) {
    return Device(builtText(name, GetParam()), GetParam());
  }
  static constexpr unsigned blocks(int n) { return unsigned(n + 127) / 128; }
};

TEST_P(Kernels, ScaleAndAddWithATail) {
  for (int n : {1, 31, 128, 1000}) {
    auto text = builtText("copies", GetParam());
    Device device(text, GetParam());
    auto x = randomFloats(size_t(n), 1), y = randomFloats(size_t(n), 2);
    uint64_t at = device.put(x), to = device.put(y);
    Counters counters = device.run(
        "scaleAndAdd", LaunchShape::linear(blocks(n), 128), at, to, 1.25f, n);
    auto got = device.get<float>(to, size_t(n));
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(got[size_t(i)], std::fma(1.25f, x[size_t(i)], y[size_t(i)]));
    EXPECT_EQ(counters.bytesRead, uint64_t(n) * 8);
    EXPECT_EQ(counters.sectors.written, uint64_t(n + 7) / 8);
  }
}

TEST_P(Kernels, LanesLeaveLoopsApart) {
  int n = 300;
  Device device(builtText("copies", GetParam()), GetParam());
  std::vector<int> counts, sums;
  for (int i = 0; i < n; ++i)
    counts.push_back(i * 7919 % 90);
  uint64_t at = device.put(counts), to = device.reserve(size_t(n) * 4);
  device.run("countUp", LaunchShape::linear(blocks(n), 128), at, to, n);
  auto got = device.get<int>(to, size_t(n));
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int j = 0; j < counts[size_t(i)] && sum <= 1000; ++j)
      sum += j % 3 == 1 ? 0 : j;
    EXPECT_EQ(got[size_t(i)], sum) << i;
  }
}

TEST_P(Kernels, LanesTakeAllBranchesOfATable) {
  int n = 200;
  Device device(builtText("copies", GetParam()), GetParam());
  std::vector<int> kinds;
  for (int i = 0; i < n; ++i)
    kinds.push_back(i * 31 % 7);
  uint64_t at = device.put(kinds), to = device.reserve(size_t(n) * 4);
  device.run("switchOnKind", LaunchShape::linear(blocks(n), 128), at, to, n);
  auto got = device.get<int>(to, size_t(n));
  for (int i = 0; i < n; ++i) {
    const int values[] = {5,  i * 3, i ^ 77, __builtin_clz(unsigned(i + 1)),
                          -i, 1000,  1000};
    EXPECT_EQ(got[size_t(i)], values[kinds[size_t(i)]]) << i;
  }
}

TEST_P(Kernels, RowsThroughSharedMemoryUnderManySchedules) {
  for (uint64_t seed = 0; seed < 16; ++seed) {
    Device device(builtText("rows", GetParam()), GetParam());
    device.machine.seed = seed;
    int n = 700, rows = 3;
    auto x = randomFloats(size_t(n * rows), 5);
    uint64_t at = device.put(x), to = device.reserve(size_t(rows) * 4);
    device.run("rowSums", LaunchShape::linear(unsigned(rows), 256), at, to, n);
    auto got = device.get<float>(to, size_t(rows));
    for (int row = 0; row < rows; ++row) {
      float threads[256] = {}, all = 0;
      for (int i = 0; i < n; ++i)
        threads[i % 256] += x[size_t(row * n + i)];
      for (int warp = 0; warp < 8; ++warp) {
        float *lanes = threads + warp * 32;
        for (int distance = 16; distance; distance /= 2)
          for (int lane = 0; lane < distance; ++lane)
            lanes[lane] += lanes[lane + distance];
        all += lanes[0];
      }
      EXPECT_EQ(got[size_t(row)], all);
    }
  }
}

TEST_P(Kernels, AtomicsOfAllBlocks) {
  int n = 1000;
  Device device(builtText("rows", GetParam()), GetParam());
  std::vector<int> x, bins(16), expected(16);
  for (int i = 0; i < n; ++i) {
    x.push_back(i * i);
    ++expected[size_t(i * i & 15)];
  }
  uint64_t at = device.put(x), to = device.put(bins);
  device.run("histogram", LaunchShape::linear(blocks(n), 128), at, to, n);
  EXPECT_EQ(device.get<int>(to, 16), expected);
}

TEST_P(Kernels, LocalArrays) {
  int n = 64 * 9;
  Device device(builtText("rows", GetParam()), GetParam());
  std::vector<double> x;
  for (float value : randomFloats(size_t(n), 9))
    x.push_back(value);
  uint64_t at = device.put(x), to = device.reserve(size_t(n) * 8);
  device.run("reversed", LaunchShape::linear(1, 64), at, to, n);
  auto got = device.get<double>(to, size_t(n));
  for (size_t i = 0; i < x.size(); ++i) {
    size_t first = i / 9 * 9;
    EXPECT_EQ(got[i], x[first + 8 - i % 9] / 3.0 + std::sqrt(x[i] * x[i]));
  }
}

/// Lanes 0 to 6 come to the join by another way than those after them.
TEST(Joins, MeetWhereTheyStandAboveWhatTheyJoin) {
  Device device(moduleOf("mov.u32 %r1, %tid.x; bra $PART;\n"
                         "$JOIN: add.u32 %r2, %r1, 1; bra $END;\n"
                         "$PART: setp.lt.u32 %p1, %r1, 7; @%p1 bra $JOIN;\n"
                         "add.u32 %r1, %r1, 1; bra $JOIN;\n$END:"));
  Counters counters =
      device.run("k", LaunchShape::linear(1, 32), device.reserve(4));
  // The comparison, and both sums once.
  EXPECT_EQ(counters[Group::Integer], 3u);
}

/// Lane i goes i + 1 times through a loop that is below the barrier behind it.
/// Lanes from `last` on leave the loop for the end.
std::string barrierAboveItsLoop(int last) {
  return moduleOf("mov.u32 %r1, %tid.x; mov.u32 %r2, 0; bra $LOOP;\n"
                  "$JOIN: bar.sync 0; bra $END;\n"
                  "$LOOP: add.u32 %r2, %r2, 1; setp.le.u32 %p1, %r2, %r1;\n"
                  "@%p1 bra $LOOP;\n"
                  "setp.lt.u32 %p2, %r1, " +
                  std::to_string(last) + "; @%p2 bra $JOIN;\n$END:");
}

TEST(Barriers, WaitForLanesThatAreFurtherDown) {
  Device device(barrierAboveItsLoop(64));
  device.run("k", LaunchShape::linear(1, 64), device.reserve(4));
}

TEST(Barriers, FindLanesThatNeverCome) {
  Device device(barrierAboveItsLoop(31));
  EXPECT_THROW(device.run("k", LaunchShape::linear(1, 32), device.reserve(4)),
               Finding);
}

TEST_P(Kernels, ProductsInTiles) {
  int n = 128;
  Device device(builtText("products", GetParam()), GetParam());
  auto a = randomFloats(size_t(n * n), 3), b = randomFloats(size_t(n * n), 4);
  uint64_t atA = device.put(a), atB = device.put(b),
           to = device.reserve(size_t(n * n) * 4);
  Counters counters = device.run(
      "product",
      LaunchShape{{unsigned(n / 64), unsigned(n / 64), 1}, {256, 1, 1}}, atA,
      atB, to, n);
  auto got = device.get<float>(to, size_t(n * n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum = std::fma(a[size_t(i * n + k)], b[size_t(k * n + j)], sum);
      ASSERT_EQ(got[size_t(i * n + j)], sum) << i << ' ' << j;
    }
  EXPECT_EQ(counters[Group::FusedMultiplyAdd], uint64_t(n) * n * n / 32);
  EXPECT_EQ(counters[Group::LocalAccess], 0u);
}

INSTANTIATE_TEST_SUITE_P(Architectures, Kernels, testing::Values(75, 80));
} // namespace
