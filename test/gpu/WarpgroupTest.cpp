// wgmma against scalar code, for all types, layouts and swizzles, and mistakes
// in its use.
#include "test/gpu/Findings.h"
#include "test/gpu/emulator/MatrixDescriptor.h"
#include "test/gpu/emulator/MatrixProduct.h"
#include "test/gpu/instructions/DriverDevice.h"

#include <cmath>

using namespace tenon::ptx;

namespace {
constexpr int imageBytes = 32768;
using Image = std::vector<uint8_t>;

/// How a matrix of rows and 32 bytes of depth lies in shared memory.
struct Layout {
  Swizzle swizzle = Swizzle::None;
  bool byRows = false; ///< elements of neighbouring rows stand together
  int start = 0;       ///< byte of the first element
  int skip = 0;        ///< bytes of depth before it, in its swizzled rows
};

struct Case {
  std::string types; // "f32.bf16.bf16"
  Factor a, b;
  int columns;
  Layout layoutA, layoutB;
  bool registersOfA = false, accumulates = true;
};

int bytesOf(Factor factor) { return bitsOf(factor) / 8; }

/// The offset of an element, as strides of nested blocks: the layouts of the
/// manual in bytes, then swizzled by lines of 128 bytes.
int placeOf(const Layout &layout, int bytes, int row, int depth, int rows) {
  int each = 16 / bytes,
      width = layout.swizzle == Swizzle::None ? 16 : 16 << int(layout.swizzle);
  int at;
  if (!layout.byRows && width == 16) // ((8,m),(T,2)):((T,256),(1,128))
    at = row % 8 * 16 + row / 8 * 256 + depth % each * bytes +
         depth / each * 128;
  else if (!layout.byRows) // ((8,m),depth):((width,8 width),1)
    at = row % 8 * width + row / 8 * 8 * width + depth * bytes + layout.skip;
  else if (width == 16) // ((T,m),(8,k)):((1,256),(T,128))
    at = row % each * bytes + row / each * 256 + depth % 8 * 16 +
         depth / 8 * 128;
  else { // ((width,m),(8,k)):((1,8 width),(width,all rows))
    int together = width / bytes, blocks = (rows + together - 1) / together;
    at = row % together * bytes + row / together * 8 * width +
         depth % 8 * width + depth / 8 * blocks * 8 * width;
  }
  at += layout.start;
  int line = at / 128, piece = at / 16 % 8;
  switch (layout.swizzle) {
  case Swizzle::None:
    break;
  case Swizzle::Of32:
    piece ^= line % 2;
    break;
  case Swizzle::Of64:
    piece ^= line % 4;
    break;
  case Swizzle::Of128:
    piece ^= line % 8;
    break;
  }
  return line * 128 + piece * 16 + at % 16;
}

uint64_t descriptorOf(const Layout &layout, int bytes, int rows) {
  int width = 16 << int(layout.swizzle), leading = 16, stride = 8 * width;
  if (layout.swizzle == Swizzle::None) {
    leading = 128;
    stride = 256;
  } else if (layout.byRows) {
    int together = width / bytes;
    leading = 8 * width;
    stride = (rows + together - 1) / together * 8 * width;
  }
  const uint64_t modes[] = {0, 3, 2, 1};
  return uint64_t(layout.start + layout.skip) >> 4 |
         uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32 |
         modes[int(layout.swizzle)] << 62;
}

/// A kernel that copies an image into shared memory, 128 threads 16 bytes each
/// at a time, multiplies, and stores a thread's sums. Behind the image are its
/// registers of A and of the sums, then the place for its results.
std::string kernelOf(const Case &of) {
  bool isWhole = isInteger(of.a),
       isSmall = of.a == Factor::F16 || of.a == Factor::BF16;
  int words = of.columns / 2;
  auto hex = [](uint64_t bits) { return std::to_string(bits); };
  std::string text =
      std::string(".version ") + (of.a == of.b ? "8.0" : "8.4") +
      "\n.target sm_90a\n.address_size 64\n"
      ".shared .align 1024 .b8 s[" +
      std::to_string(imageBytes) +
      "];\n.visible .entry k(.param .u64 p)\n"
      ".maxntid 128, 1, 1 {\n"
      ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b32 %c<128>;\n"
      ".reg .b64 %d<16>;\n"
      "ld.param.u64 %d1, [p]; add.s64 %d2, %d1, " +
      std::to_string(imageBytes) + "; add.s64 %d3, %d2, " +
      std::to_string(512 * (4 + words)) +
      ";\n"
      "mov.u32 %r1, %tid.x; mul.wide.u32 %d4, %r1, 16; mov.u64 %d5, s;\n"
      "add.s64 %d6, %d5, %d4; add.s64 %d7, %d1, %d4; mov.u32 %r2, 0;\n"
      "COPY: ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%d7];\n"
      "st.shared.v4.b32 [%d6], {%r4, %r5, %r6, %r7};\n"
      "add.s64 %d6, %d6, 2048; add.s64 %d7, %d7, 2048;\n"
      "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, " +
      std::to_string(imageBytes / 2048) +
      "; @%p1 bra.uni COPY;\nfence.proxy.async;\nbar.sync 0;\n"
      "mul.wide.u32 %d4, %r1, 4; add.s64 %d8, %d2, %d4; add.s64 %d9, %d3, "
      "%d4;\n";
  for (int i = 0; i < 4; ++i)
    text += "ld.global.b32 %r" + std::to_string(8 + i) + ", [%d8+" +
            std::to_string(512 * i) + "];\n";
  for (int i = 0; i < words; ++i)
    text += "ld.global.b32 %c" + std::to_string(i) + ", [%d8+" +
            std::to_string(512 * (4 + i)) + "];\n";
  text += "mov.b64 %d10, " + hex(descriptorOf(of.layoutA, bytesOf(of.a), 64)) +
          "; mov.b64 %d11, " +
          hex(descriptorOf(of.layoutB, bytesOf(of.b), of.columns)) +
          ";\nsetp.eq.u32 %p2, 0, " + (of.accumulates ? "0" : "1") +
          ";\nwgmma.fence.sync.aligned;\n"
          "wgmma.mma_async.sync.aligned.m64n" +
          std::to_string(of.columns) + "k" +
          std::to_string(32 / bytesOf(of.a)) + "." + of.types + " " +
          registerList(0, words, "%c") + ", " +
          (of.registersOfA ? registerList(8, 4) : "%d10") + ", %d11, %p2" +
          (isWhole ? "" : ", 1, -1");
  if (isSmall && !of.registersOfA)
    text += of.layoutA.byRows ? ", 1" : ", 0";
  if (isSmall)
    text += of.layoutB.byRows ? ", 1" : ", 0";
  text += ";\nwgmma.commit_group.sync.aligned;\n"
          "wgmma.wait_group.sync.aligned 0;\n";
  for (int i = 0; i < words; ++i)
    text += "st.global.b32 [%d9+" + std::to_string(512 * i) + "], %c" +
            std::to_string(i) + ";\n";
  return text + "ret;\n}\n";
}

uint32_t randomFactor(Factor factor, std::mt19937_64 &draws) {
  auto bits = uint32_t(draws());
  switch (factor) {
  case Factor::F16:
    return (bits & 0x83ff) | (12 + bits % 6) << 10;
  case Factor::BF16:
    return (bits & 0x807f) | (122 + bits % 9) << 7;
  case Factor::TF32:
    return (bits & 0x807fe000) | (122 + bits % 9) << 23;
  default:
    return bits & 0xff;
  }
}

double factorValue(Factor factor, uint32_t bits) {
  return factor == Factor::F16 ? double(std::bit_cast<_Float16>(uint16_t(bits)))
         : factor == Factor::BF16 ? std::bit_cast<float>(bits << 16)
         : factor == Factor::TF32 ? std::bit_cast<float>(bits)
         : factor == Factor::S8   ? double(int8_t(bits))
                                  : double(bits);
}

/// The data of a case, and what the kernel must give.
struct Data {
  Data(const Case &of, std::mt19937_64 &draws)
      : depth(32 / bytesOf(of.a)), image(imageBytes) {
    // Bytes around the matrices are numbers too.
    for (size_t i = 0; i < image.size(); i += size_t(bytesOf(of.a)))
      put(i, of.a, randomFactor(of.a, draws));
    fill(of.a, of.layoutA, 64, a, draws);
    fill(of.b, of.layoutB, of.columns, b, draws);
    bool isWhole = isInteger(of.a);
    std::vector<uint32_t> sums;
    for (int word = 0; word < of.columns / 2; ++word)
      for (int thread = 0; thread < 128; ++thread) {
        int sum = int(draws() % 20001) - 10000;
        float small = float(sum) / 64;
        sums.push_back(isWhole ? uint32_t(sum)
                               : std::bit_cast<uint32_t>(small));
        int lane = thread % 32,
            row = thread / 32 * 16 + lane / 4 + (word % 4 < 2 ? 0 : 8),
            column = word / 4 * 8 + 2 * (lane % 4) + word % 2;
        double total = !of.accumulates ? 0
                       : isWhole       ? sum
                                       : small,
               size = std::fabs(total);
        for (int k = 0; k < depth; ++k) {
          double product =
              factorValue(of.a, a[row][k]) * factorValue(of.b, b[column][k]);
          total += product * (isWhole ? 1 : -1);
          size += std::fabs(product);
        }
        sizes.push_back(size);
        expected.push_back(isWhole ? uint32_t(int64_t(total))
                                   : std::bit_cast<uint32_t>(float(total)));
      }
    // A's registers: as for mma, of a warp's 16 rows.
    int parts = 4 / bytesOf(of.a);
    for (int word = 0; word < 4; ++word)
      for (int thread = 0; thread < 128; ++thread) {
        uint32_t bits = 0;
        int lane = thread % 32,
            row = thread / 32 * 16 + lane / 4 + word % 2 * 8;
        for (int part = 0; part < parts; ++part)
          bits |= a[row][(lane % 4 + word / 2 * 4) * parts + part]
                  << part * 8 * bytesOf(of.a);
        registers.push_back(bits);
      }
    registers.insert(registers.end(), sums.begin(), sums.end());
  }

  void put(size_t at, Factor factor, uint32_t bits) {
    std::memcpy(&image[at], &bits, size_t(bytesOf(factor)));
  }
  void fill(Factor factor, const Layout &layout, int rows,
            uint32_t (&matrix)[256][32], std::mt19937_64 &draws) {
    for (int row = 0; row < rows; ++row)
      for (int k = 0; k < depth; ++k) {
        matrix[row][k] = randomFactor(factor, draws);
        put(size_t(placeOf(layout, bytesOf(factor), row, k, rows)), factor,
            matrix[row][k]);
      }
  }

  /// The largest error, in units of what a device may differ by.
  double error(const std::vector<uint32_t> &got) const {
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i)
      worst = std::max(worst, std::fabs(double(std::bit_cast<float>(got[i])) -
                                        std::bit_cast<float>(expected[i])) /
                                  deviceError(depth, sizes[i]));
    return worst;
  }

  int depth;
  Image image;
  std::vector<double> sizes;
  uint32_t a[256][32], b[256][32];
  std::vector<uint32_t> registers, expected;
};

/// The image, the registers, and the place for the results.
std::vector<uint32_t> bufferOf(const Data &data) {
  std::vector<uint32_t> all(imageBytes / 4);
  std::memcpy(all.data(), data.image.data(), imageBytes);
  all.insert(all.end(), data.registers.begin(), data.registers.end());
  all.resize(all.size() + data.expected.size());
  return all;
}

/// The sums, or what was found.
std::vector<uint32_t> run(const std::string &text, const Data &data,
                          std::string &finding) {
  try {
    Device device(text, 90);
    auto buffer = bufferOf(data);
    uint64_t at = device.put(buffer);
    device.run("k", LaunchShape::linear(1, 128), at);
    return device.get<uint32_t>(at + 4 * (buffer.size() - data.expected.size()),
                                data.expected.size());
  } catch (const std::runtime_error &error) {
    finding = error.what();
  }
  return {};
}

std::vector<Case> allCases() {
  struct Types {
    const char *text;
    Factor a, b;
  };
  const Types types[] = {{"f32.bf16.bf16", Factor::BF16, Factor::BF16},
                         {"f32.f16.f16", Factor::F16, Factor::F16},
                         {"f32.tf32.tf32", Factor::TF32, Factor::TF32},
                         {"s32.s8.u8", Factor::S8, Factor::U8},
                         {"satfinite.s32.u8.s8", Factor::U8, Factor::S8}};
  const Swizzle swizzles[] = {Swizzle::None, Swizzle::Of32, Swizzle::Of64,
                              Swizzle::Of128};
  std::vector<Case> cases;
  for (const Types &type : types)
    for (Swizzle swizzle : swizzles) {
      Layout a{swizzle, false, 0, 0}, b{swizzle, false, 16384, 0};
      cases.push_back({type.text, type.a, type.b, 64, a, b});
      if (swizzle == Swizzle::Of128)
        a.skip = 64, b.skip = 96;
      cases.push_back({type.text, type.a, type.b, 8, a, b, true});
    }
  // Rows that stand together, in A, in B and in both.
  for (Swizzle swizzle : swizzles)
    for (int which : {1, 2, 3}) {
      Layout a{swizzle, (which & 1) != 0, 0, 0},
          b{swizzle, (which & 2) != 0, 16384, 0};
      cases.push_back({"f32.bf16.bf16", Factor::BF16, Factor::BF16, 128, a, b});
    }
  Layout wide{Swizzle::Of32, false, 8192, 0};
  cases.push_back({"f32.bf16.bf16",
                   Factor::BF16,
                   Factor::BF16,
                   256,
                   {},
                   wide,
                   true,
                   false});
  return cases;
}

TEST(Warpgroups, ProductsOfAllForms) {
  if (DriverLibrary::instance().architecture != 90)
    GTEST_SKIP() << "needs sm_90a";
  std::mt19937_64 draws(90);
  for (const Case &of : allCases()) {
    Data data(of, draws);
    DriverDevice device(kernelOf(of));
    auto buffer = bufferOf(data);
    CUdeviceptr at = device.put(buffer);
    device.run(1, 128, at);
    auto got = device.get<uint32_t>(
        at + 4 * (buffer.size() - data.expected.size()), data.expected.size());
    bool isRight = got == data.expected;
    if (!DriverLibrary::instance().isStandIn && !isInteger(of.a))
      isRight = data.error(got) <= 1;
    EXPECT_TRUE(isRight) << of.types << " n" << of.columns << " swizzle "
                         << int(of.layoutA.swizzle) << " by rows "
                         << of.layoutA.byRows << of.layoutB.byRows
                         << " registers " << of.registersOfA;
  }
}

class WarpgroupMistakes : public testing::Test {
protected:
  WarpgroupMistakes() : draws(3), data(of, draws), text(kernelOf(of)) {}
  std::string found(const std::string &from, const std::string &to) {
    std::string finding;
    run(replaced(text, from, to), data, finding);
    return finding;
  }
  /// A change that nothing reports, but whose sums are wrong.
  bool isWrong(const std::string &from, const std::string &to) {
    std::string finding;
    auto got = run(replaced(text, from, to), data, finding);
    EXPECT_EQ(finding, "");
    return !got.empty() && got != data.expected;
  }
  const Case of{"f32.bf16.bf16",
                Factor::BF16,
                Factor::BF16,
                32,
                {Swizzle::Of128, false, 0, 0},
                {Swizzle::Of128, false, 16384, 0},
                true};
  std::mt19937_64 draws;
  Data data;
  std::string text;
};

TEST_F(WarpgroupMistakes, Order) {
  const std::string fence = "wgmma.fence.sync.aligned;\n",
                    commit = "wgmma.commit_group.sync.aligned;\n",
                    wait = "wgmma.wait_group.sync.aligned 0;\n";
  EXPECT_EQ(found(fence, fence + fence), "");
  EXPECT_FINDING(found("fence.proxy.async;\n", ""), "no fence.proxy.async");
  EXPECT_FINDING(found("bar.sync 0;\n", ""), "r"); // a race, or not written
  EXPECT_FINDING(found(fence, ""), "no wgmma.fence before");
  EXPECT_FINDING(found(fence, fence + "mov.b32 %c3, 0;\n"),
                 "no wgmma.fence after the last access");
  EXPECT_FINDING(found(fence, fence + "mov.b32 %r9, 0;\n"),
                 "no wgmma.fence after the last access");
  EXPECT_FINDING(found(wait, ""), "a sum that wgmma may still write");
  EXPECT_FINDING(found(wait, "wgmma.wait_group.sync.aligned 1;\n"),
                 "a sum that wgmma may still write");
  EXPECT_FINDING(found(commit, ""), "a sum that wgmma may still write");
  EXPECT_FINDING(found(commit, commit + "mov.b32 %r9, 0;\n"),
                 "a factor that wgmma may still read");
  EXPECT_FINDING(found(commit, commit + "mov.b32 %c4, 0;\n"),
                 "a sum that wgmma may still write");
  EXPECT_FINDING(found("st.global.b32 [%d9+0], %c0;\n", "ret;\n" + wait), "");
}

TEST_F(WarpgroupMistakes, SharedMemory) {
  const std::string commit = "wgmma.commit_group.sync.aligned;\n",
                    wait = "wgmma.wait_group.sync.aligned 0;\n",
                    write = "st.shared.b32 [s+16384], %r1;\n";
  std::string mine = "setp.eq.u32 %p3, %r1, 0; @%p3 " + write;
  EXPECT_NE(found(commit, commit + mine), "");
  // Only the writer's warp has waited.
  EXPECT_NE(found(wait, wait + mine), "");
  EXPECT_EQ(found(wait, wait + "bar.sync 0;\n" + mine), "");
}

TEST_F(WarpgroupMistakes, Descriptors) {
  uint64_t right = descriptorOf(of.layoutB, 2, 32);
  auto with = [&](uint64_t bits) { return "%d11, " + std::to_string(bits); };
  std::string now = with(right);
  // A start, a stride or a swizzle that is wrong gives wrong sums.
  EXPECT_TRUE(isWrong(now, with(right + 1)));
  EXPECT_TRUE(isWrong(now, with(right - 1)));
  EXPECT_TRUE(isWrong(now, with(right + (uint64_t(1) << 32))));
  EXPECT_TRUE(isWrong(now, with(right ^ uint64_t(3) << 62)));
  EXPECT_FINDING(found(now, with(right | 0x3fff)),
                 "of 32768 bytes of shared memory");
  EXPECT_FINDING(found(now, with(right | uint64_t(1) << 14)),
                 "bits that mean nothing");
  EXPECT_FINDING(found(now, with(right | uint64_t(1) << 49)), "base offset");
  // The descriptor of one warp differs.
  EXPECT_FINDING(found("wgmma.fence",
                       "shr.u32 %r2, %r1, 5; cvt.u64.u32 %d12, %r2;\n"
                       "add.s64 %d11, %d11, %d12; wgmma.fence"),
                 "other descriptors");
  EXPECT_FINDING(found("wgmma.fence", "cvt.u64.u32 %d12, %r1;\n"
                                      "add.s64 %d11, %d11, %d12; wgmma.fence"),
                 "a descriptor differs between lanes");
}

TEST_F(WarpgroupMistakes, Warps) {
  const std::string commit = "wgmma.commit_group.sync.aligned;\n";
  EXPECT_FINDING(
      found(commit, "setp.lt.u32 %p3, %r1, 32; @%p3 " + commit + commit),
      "another warp of the four executes another");
  EXPECT_FINDING(
      found(commit, "setp.lt.u32 %p3, %r1, 16; @%p3 " + commit + commit),
      "all lanes of the warp must execute");
  EXPECT_FINDING(
      found("wgmma.fence", "setp.lt.u32 %p3, %r1, 32; @%p3 ret; wgmma.fence"),
      "not all four warps");
  std::string finding;
  run(replaced(text, "bar.sync 0;\n", "bar.sync 0; @!%p2 ret;\n"), data,
      finding);
  EXPECT_FINDING(finding, "has no value");
}

TEST(Warpgroups, NotOfTheArchitecture) {
  std::string text = kernelOf(allCases()[0]), finding;
  auto refusal = [&](const std::string &from, const std::string &to) {
    return findingIn(replaced(text, from, to), 90);
  };
  EXPECT_FINDING(refusal("sm_90a", "sm_90"), "needs sm_90a");
  EXPECT_FINDING(refusal("8.0", "7.8"), "needs PTX 8.0");
  EXPECT_FINDING(
      findingIn(replaced(kernelOf(allCases()[24]), "8.4", "8.0"), 90),
      "needs PTX 8.4");
  EXPECT_FINDING(refusal("m64n64k16", "m64n68k16"), "no product of this shape");
  EXPECT_FINDING(refusal("m64n64k16", "m64n64k8"), "no product of this shape");
  EXPECT_FINDING(refusal(", 1, -1", ", 1, 2"), "expected 1 or -1");
}

TEST(Warpgroups, AssemblerAcceptsAllForms) {
  std::vector<std::string> modules;
  for (const Case &of : allCases())
    modules.push_back(kernelOf(of));
  expectAssembles(modules, "sm_90a", ".shared .align 1024 .b8 s[32768];\n",
                  "8.4");
}
} // namespace
