// Whole kernels for matrix units: their results against scalar code, many
// schedules, and mistakes planted in them.
#include "test/gpu/Findings.h"
#include "test/gpu/MatrixKernels.h"
#include "test/gpu/emulator/MatrixProduct.h"
#include "test/gpu/emulator/TensorMap.h"

#include <cmath>

using namespace tenon::ptx;

namespace {
std::vector<uint16_t> randomBFloats(size_t count, uint64_t seed) {
  std::mt19937_64 draws(seed);
  std::vector<uint16_t> values(count);
  for (uint16_t &value : values)
    value =
        uint16_t(draws() % 2 << 15 | (120 + draws() % 10) << 7 | draws() % 128);
  return values;
}

double bfloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// Rows of A times columns of B, both of bf16.
struct Operands {
  Operands(int rows, int columns, int depth)
      : rows(rows), columns(columns), depth(depth),
        a(randomBFloats(size_t(rows) * size_t(depth), 1)),
        b(randomBFloats(size_t(columns) * size_t(depth), 2)) {}

  /// The largest error of `c`, in units of what a device may differ by.
  double error(const std::vector<float> &c) const {
    double worst = 0;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        double sum = 0, sizes = 0;
        for (int k = 0; k < depth; ++k) {
          double product = bfloat(a[size_t(row * depth + k)]) *
                           bfloat(b[size_t(column * depth + k)]);
          sum += product, sizes += std::fabs(product);
        }
        double difference = c[size_t(row * columns + column)] - sum;
        worst =
            std::max(worst, std::fabs(difference) / deviceError(depth, sizes));
      }
    return worst;
  }

  int rows, columns, depth;
  std::vector<uint16_t> a, b;
};

/// The error of a product by the kernel for sm_80, or what was found.
struct Outcome {
  double error = 0;
  std::string finding;
  Counters counters;
};

Outcome runMma(const std::string &text, const Operands &operands,
               uint64_t seed = 0) {
  Outcome outcome;
  try {
    Device device(text);
    device.machine.seed = seed;
    device.machine.maxInstructions = 1 << 22;
    uint64_t a = device.put(operands.a), b = device.put(operands.b),
             c = device.reserve(size_t(operands.rows * operands.columns) * 4);
    LaunchShape shape{
        {uint32_t(operands.columns / 128), uint32_t(operands.rows / 128), 1},
        {256, 1, 1},
        0};
    outcome.counters =
        device.run("product", shape, a, b, c, uint32_t(operands.depth),
                   uint32_t(operands.columns));
    outcome.error = operands.error(
        device.get<float>(c, size_t(operands.rows) * size_t(operands.columns)));
  } catch (const std::runtime_error &error) {
    outcome.finding = error.what();
  }
  return outcome;
}

TEST(MatrixKernels, ProductForSm80) {
  Operands operands(128, 256, 96);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Outcome outcome = runMma(mmaProduct(), operands, seed);
    EXPECT_EQ(outcome.finding, "");
    EXPECT_LT(outcome.error, 1) << seed;
    EXPECT_EQ(outcome.counters.bankConflicts, 0u);
    EXPECT_EQ(outcome.counters[Group::Matrix], 2 * 8 * 16 * 96 / 16u);
  }
}

TEST(MatrixKernels, MistakesForSm80) {
  Operands operands(128, 128, 96);
  std::string text = mmaProduct();
  auto finding = [&](const std::string &from, const std::string &to) {
    return runMma(replaced(text, from, to), operands).finding;
  };
  EXPECT_FINDING(finding("cp.async.wait_group 1", "cp.async.wait_group 2"),
                 "still writing");
  EXPECT_FINDING(finding("LAST:\ncp.async.wait_group 0;", "LAST:\n"),
                 "still writing");
  // By the schedule, other warps have not copied or have not waited.
  EXPECT_NE(finding("READY:\nbar.sync 0;", "READY:\n"), "");
  EXPECT_FINDING(finding("bar.sync 0;\nmov.u32 %at, %x", "mov.u32 %at, %x"),
                 "race");
  // A lane map or a swizzle that is wrong gives wrong values.
  EXPECT_GT(
      runMma(replaced(text, "shr.u32 %x, %lane, 3", "shr.u32 %x, %lane, 4"),
             operands)
          .error,
      1e3);
  EXPECT_GT(runMma(replaced(text, "xor.b32 %aAt, %aRow, 32",
                            "add.u32 %aAt, %aRow, 32"),
                   operands)
                .error,
            1e3);
  Outcome plain =
      runMma(replaced(replaced(text, "xor.b32 %z, %z, %x", "mov.b32 %z, %x"),
                      "xor.b32 %z, %z, %x", "mov.b32 %z, %x"),
             operands);
  EXPECT_GT(plain.error, 1e3);
  EXPECT_GT(plain.counters.bankConflicts, 0u);
}

std::array<uint8_t, tensorMapBytes> mapOf(uint64_t address, int rows, int depth,
                                          Swizzle swizzle) {
  TensorMap map;
  map.address = address;
  map.elementBytes = 2;
  map.rank = 2;
  map.extents = {uint64_t(depth), uint64_t(rows)};
  map.strides = {uint64_t(depth) * 2};
  map.box = {64, 64};
  map.swizzle = swizzle;
  std::array<uint8_t, tensorMapBytes> bytes{};
  std::memcpy(bytes.data(), &map, sizeof map);
  return bytes;
}

Outcome runWgmma(const std::string &text, const Operands &operands,
                 uint64_t seed = 0, Swizzle swizzle = Swizzle::Of128) {
  Outcome outcome;
  try {
    Device device(text, 90);
    device.machine.seed = seed;
    device.machine.maxInstructions = 1 << 20;
    uint64_t a = device.put(operands.a), b = device.put(operands.b),
             c = device.reserve(size_t(operands.rows * operands.columns) * 4);
    LaunchShape shape{{uint32_t(operands.columns / 64),
                       uint32_t((operands.rows + 63) / 64), 1},
                      {160, 1, 1},
                      0};
    outcome.counters =
        device.run("product", shape, c, uint32_t(operands.depth),
                   uint32_t(operands.columns),
                   mapOf(a, operands.rows, operands.depth, swizzle),
                   mapOf(b, operands.columns, operands.depth, swizzle));
    outcome.error = operands.error(
        device.get<float>(c, size_t(operands.rows) * size_t(operands.columns)));
  } catch (const std::runtime_error &error) {
    outcome.finding = error.what();
  }
  return outcome;
}

TEST(MatrixKernels, ProductForSm90a) {
  Operands operands(64, 128, 200);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Outcome outcome = runWgmma(wgmmaProduct(), operands, seed);
    EXPECT_EQ(outcome.finding, "");
    EXPECT_LT(outcome.error, 1) << seed;
  }
}

TEST(MatrixKernels, MistakesForSm90a) {
  Operands operands(64, 64, 256);
  std::string text = wgmmaProduct();
  auto finding = [&](const std::string &from, const std::string &to) {
    return runWgmma(replaced(text, from, to), operands).finding;
  };
  EXPECT_FINDING(finding("@%first fence.mbarrier_init.release.cluster;\n", ""),
                 "fence.mbarrier_init");
  EXPECT_NE(finding("bar.sync 0;\n", ""), "");
  EXPECT_NE(finding("@!%done bra FULL;\n", ""), "");
  EXPECT_NE(finding("@!%done bra FREE;\n", ""), "");
  EXPECT_NE(finding("mov.u32 %parity, 0", "mov.u32 %parity, 1"), "");
  EXPECT_FINDING(finding("mov.u32 %parity, 1", "mov.u32 %parity, 0"),
                 "deadlock");
  EXPECT_NE(finding("[%full], 16384", "[%full], 8192"), "");
  EXPECT_FINDING(finding("[%full], 16384", "[%full], 16400"), "16 bytes");
  EXPECT_FINDING(finding("[bars+16], 128", "[bars+16], 129"), "deadlock");
  EXPECT_FINDING(finding("[bars+16], 128", "[bars+16], 127"), "phase");
  EXPECT_NE(finding("wgmma.wait_group.sync.aligned 0",
                    "wgmma.wait_group.sync.aligned 1"),
            "");
  EXPECT_FINDING(finding("wgmma.fence.sync.aligned;\n", ""), "wgmma.fence");
  EXPECT_FINDING(finding("mbarrier.arrive.shared::cta.b64 _, [%free];\n", ""),
                 "deadlock");
  // Nothing is read or written too early, but the sums are wrong.
  auto error = [&](const std::string &from, const std::string &to) {
    Outcome outcome = runWgmma(replaced(text, from, to), operands);
    EXPECT_EQ(outcome.finding, "");
    return outcome.error;
  };
  EXPECT_GT(error("add.s64 %b, %a, 512", "add.s64 %b, %a, 511"), 1e3);
  EXPECT_GT(error("setp.ne.u32 %adds, %at, 0", "setp.eq.u32 %adds, 0, 1"), 1e3);
  EXPECT_GT(error("4611686293305360384", "9223372311732748288"), 1e3);
}

TEST(MatrixKernels, AssemblerAcceptsThem) {
  if (!hasAssembler())
    GTEST_SKIP() << "no ptxas";
  EXPECT_EQ(assemblerErrors(mmaProduct(), "sm_80"), "");
  EXPECT_EQ(assemblerErrors(wgmmaProduct(), "sm_90a"), "");
}
} // namespace
