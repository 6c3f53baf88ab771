// Each instruction on random operands and on edge values, against scalar code:
// on the stand-in for the driver, or with --device on a real device.
#include "test/gpu/Device.h"
#include "test/gpu/emulator/Decoding.h"
#include "test/gpu/instructions/DriverDevice.h"
#include "test/gpu/instructions/Rows.h"

#include <gtest/gtest.h>

using namespace tenon::ptx;

namespace {
const Bits edges[] = {
    // Small numbers, shift counts, ends of ranges.
    0, 1, 2, 3, 31, 32, 33, 63, 64, 255, 256, 0x7f, 0x80, 0x7fff, 0x8000,
    0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff,
    0x8000000000000000, 0xffffffffffffffff,
    // f16: one, greatest, infinities, NaN, denormals, the negative zero.
    0x3c00, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x03ff, 0x0400,
    // bf16.
    0x3f80, 0x7f7f, 0x7f80, 0xff80, 0x007f,
    // f32, also the ends of the ranges of integers.
    0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00800000,
    0x007fffff, 0x7f7fffff, 0x4b000000, 0x4effffff, 0x4f000000, 0x5f000000,
    0x3f000000, 0x3fc00000, 0x477fe000, 0x33000000,
    // f64.
    0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000000, 0x0010000000000000, 0x000fffffffffffff,
    0x43e0000000000000, 0x41e0000000000000, 0x3fe0000000000000,
    0x47efffffefffffff};

Bits randomBits(std::mt19937_64 &draws, int bits) {
  Bits value = draws();
  switch (draws() % 4) {
  case 0:
    value = edges[draws() % std::size(edges)];
    break;
  case 1: // floats near one, small integers
    value = bits == 64
                ? std::bit_cast<Bits>(double(int64_t(value >> 40)) / 4096)
            : bits == 32
                ? std::bit_cast<uint32_t>(float(int64_t(value >> 44)) / 1024)
                : std::bit_cast<uint16_t>(
                      _Float16(float(int64_t(value >> 52)) / 64));
    break;
  case 2:
    value %= 200;
    break;
  }
  return bits == 64 ? value : value & ((Bits(1) << bits) - 1);
}

std::string registerOf(int bits, int number) {
  return (bits == 64   ? "%d"
          : bits == 32 ? "%r"
          : bits == 16 ? "%h"
          : bits == 2  ? "%p5|%p"
                       : "%p") +
         std::to_string(number);
}

std::string architectureOf(int number) {
  return "sm_" + std::to_string(number);
}

/// The kernel that applies the instruction to arrays of four 64-bit words.
std::string kernelFor(const Row &row) {
  std::string text = "mov.u32 %r20, %tid.x; mov.u32 %r21, %ctaid.x;\n"
                     "mad.lo.s32 %r22, %r21, 32, %r20;\n"
                     "mul.wide.u32 %d20, %r22, 32; ld.param.u64 %d21, [p];\n"
                     "add.s64 %d22, %d21, %d20;\n";
  std::string call = row.text + " " + registerOf(row.result, 0);
  const int operands[] = {row.a, row.b, row.c};
  bool selects = row.text.starts_with("selp");
  for (int i = 0; i < 3; ++i) {
    if (!operands[i])
      continue;
    std::string to = registerOf(operands[i], i + 1);
    text += "ld.global.b" + std::to_string(operands[i]) + " " + to +
            ", [%d22+" + std::to_string(8 * i) + "];\n";
    if (selects && i == 2) {
      text += "and.b32 %r4, %r3, 1; setp.ne.u32 %p1, %r4, 0;\n";
      to = "%p1";
    }
    call += ", " + to;
  }
  if (!row.last.empty())
    call += ", " + row.last;
  text += call + ";\n";
  int bits = row.result;
  if (bits == 1)
    text += "selp.b32 %r0, 1, 0, %p0;\n";
  if (bits == 2)
    text += "selp.b32 %r0, 1, 0, %p5; selp.b32 %r4, 2, 0, %p0;\n"
            "or.b32 %r0, %r0, %r4;\n";
  if (bits < 16)
    bits = 32;
  text += "st.global.b" + std::to_string(bits) + " [%d22+24], " +
          registerOf(bits, 0) + ";\n";
  return moduleOf(text, architectureOf(row.architecture));
}

class Instructions : public testing::TestWithParam<Row> {};

TEST_P(Instructions, EqualScalarCode) {
  const Row &row = GetParam();
  if (row.architecture > DriverLibrary::instance().architecture)
    GTEST_SKIP() << "needs " << architectureOf(row.architecture);
  std::mt19937_64 draws(std::hash<std::string>{}(row.text));
  constexpr size_t count = 32 * 32;
  std::vector<Bits> values;
  for (size_t i = 0; i < count; ++i) {
    Bits b = randomBits(draws, row.b ? row.b : 64);
    values.insert(values.end(),
                  {randomBits(draws, row.a), row.divides && !b ? 1 : b,
                   randomBits(draws, row.c ? row.c : 64), 0});
  }
  DriverDevice device(kernelFor(row));
  CUdeviceptr at = device.put(values);
  device.run(count / 32, 32, at);
  auto got = device.get<Bits>(at, values.size());
  Bits mask = row.result == 64 ? ~Bits(0) : (Bits(1) << row.result) - 1;
  // The payload of a NaN of 64 bits is the device's own.
  bool isDouble = row.text.find(".f64") != std::string::npos;
  for (size_t i = 0; i < count; ++i) {
    const Bits *in = &values[4 * i];
    Bits expected = row.reference(in[0], in[1], in[2]) & mask;
    bool bothNan = isDouble && row.result == 64 && isNan(f64, expected) &&
                   isNan(f64, got[4 * i + 3]);
    ASSERT_TRUE(expected == got[4 * i + 3] || bothNan)
        << row.text << ' ' << row.last << std::hex << " of " << in[0] << ' '
        << in[1] << ' ' << in[2] << ": expected " << expected << ", got "
        << got[4 * i + 3];
  }
}

std::vector<Row> allRows() {
  std::vector<Row> all;
  for (const auto &rows : {integerRowsOf(), bitRowsOf(), floatRowsOf(),
                           convertRowsOf(), compareRowsOf()})
    all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

std::string rowName(const testing::TestParamInfo<Row> &info) {
  std::string name = info.param.text + "_" + info.param.last;
  for (char &c : name)
    if (!std::isalnum(c))
      c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Rows, Instructions, testing::ValuesIn(allRows()),
                         rowName);

/// Every instruction of the emulator has run, but for those that it refuses by
/// name, the one that ends a kernel, and a hint that only kernels of gpu-matrix
/// have.
class Coverage : public testing::Environment {
  void TearDown() override {
    if (testing::GTEST_FLAG(filter) != "*")
      return;
    std::set<std::string> names{"trap", "setmaxnreg"};
    for (const std::string &text : DriverDevice::executed())
      names.insert(text.substr(0, text.find('.')));
    for (const std::string &name : instructionNames()) {
      if (!names.insert(name).second)
        continue;
      try {
        Device refused(moduleOf(name + ".approx.f32 %f1, %f2;\n"));
        ADD_FAILURE() << "no test runs " << name;
      } catch (const TextError &error) {
        EXPECT_NE(std::string(error.what()).find("approximate"),
                  std::string::npos)
            << "no test runs " << name;
      }
    }
  }
};
} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  bool onDevice = argc > 1 && std::string(argv[1]) == "--device";
  if (!onDevice)
    setenv("TENON_GPU_SM", "90", 1);
  DriverLibrary::open(onDevice ? "libcuda.so.1" : TENON_STAND_IN);
  testing::AddGlobalTestEnvironment(new Coverage);
  return RUN_ALL_TESTS();
}
