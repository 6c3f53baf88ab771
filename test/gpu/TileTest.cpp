// ldmatrix and stmatrix against scalar code, and mistakes in their use.
#include "test/gpu/Findings.h"
#include "test/gpu/instructions/DriverDevice.h"

using namespace tenon::ptx;

namespace {
/// Lane l writes the rows of its own number into shared memory, 16 bytes at 48
/// times its number, and reads tiles.
std::string loadKernel(const std::string &modifiers, int tiles,
                       const std::string &architecture = "sm_80") {
  std::string text =
      "mov.u32 %r31, %tid.x; ld.param.u64 %d1, [p];\n"
      "mul.wide.u32 %d2, %r31, 16; add.s64 %d3, %d1, %d2;\n"
      "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d3];\n"
      "mul.lo.u32 %r30, %r31, 48; mov.u32 %r29, s; add.u32 %r30, %r30, %r29;\n"
      "st.shared.v4.b32 [%r30], {%r1, %r2, %r3, %r4};\nbar.sync 0;\n"
      "ldmatrix.sync.aligned.m8n8." +
      modifiers + " " + registerList(10, tiles) +
      ", [%r30];\n"
      "mul.wide.u32 %d4, %r31, 4; add.s64 %d5, %d1, %d4;\nbar.sync 0;\n";
  for (int i = 0; i < tiles; ++i)
    text += "st.global.b32 [%d5+" + std::to_string(512 + 128 * i) + "], %r" +
            std::to_string(10 + i) + ";\n";
  return moduleOf(text, architecture, ".shared .align 16 .b8 s[1536];\n");
}

std::vector<uint16_t> numbered(size_t count) {
  std::vector<uint16_t> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = uint16_t(i * 3 + 1);
  return values;
}

TEST(Tiles, Loads) {
  for (int tiles : {1, 2, 4})
    for (bool transposes : {false, true}) {
      std::string modifiers = "x" + std::to_string(tiles) +
                              (transposes ? ".trans" : "") + ".shared.b16";
      DriverDevice device(loadKernel(modifiers, tiles, "sm_75"));
      auto values = numbered(256 + 256);
      CUdeviceptr at = device.put(values);
      device.run(1, 32, at);
      auto got = device.get<uint16_t>(at + 512, size_t(64 * tiles));
      for (int tile = 0; tile < tiles; ++tile)
        for (int lane = 0; lane < 32; ++lane)
          for (int part = 0; part < 2; ++part) {
            int row = lane / 4, column = 2 * (lane % 4) + part;
            if (transposes)
              std::swap(row, column);
            EXPECT_EQ(got[size_t(64 * tile + 2 * lane + part)],
                      values[size_t(64 * tile + 8 * row + column)])
                << modifiers << ' ' << lane;
          }
    }
}

std::string storeKernel(const std::string &modifiers, int tiles) {
  std::string text = "mov.u32 %r31, %tid.x; ld.param.u64 %d1, [p];\n"
                     "mul.wide.u32 %d4, %r31, 4; add.s64 %d5, %d1, %d4;\n";
  for (int i = 0; i < tiles; ++i)
    text += "ld.global.b32 %r" + std::to_string(i) + ", [%d5+" +
            std::to_string(128 * i) + "];\n";
  text += "mul.wide.u32 %d2, %r31, 16; mov.u64 %d6, s; add.s64 %d7, %d6, %d2;\n"
          "cvta.shared.u64 %d8, %d7;\n"
          "stmatrix.sync.aligned.m8n8." +
          modifiers + " [%d8], " + registerList(0, tiles) +
          ";\nbar.sync 0; mul.wide.u32 %d2, %r31, 16; add.s64 %d3, %d1, %d2;\n"
          "setp.ge.u32 %p1, %r31, " +
          std::to_string(8 * tiles) +
          "; @%p1 ret;\n"
          "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%d7];\n"
          "st.global.v4.b32 [%d3+512], {%r1, %r2, %r3, %r4};\n";
  return moduleOf(text, "sm_90", ".shared .align 16 .b8 s[512];\n");
}

TEST(Tiles, Stores) {
  if (DriverLibrary::instance().architecture < 90)
    GTEST_SKIP() << "needs sm_90";
  for (int tiles : {1, 2, 4})
    for (bool transposes : {false, true}) {
      std::string modifiers =
          "x" + std::to_string(tiles) + (transposes ? ".trans" : "") + ".b16";
      DriverDevice device(storeKernel(modifiers, tiles));
      auto values = numbered(256 + 256);
      CUdeviceptr at = device.put(values);
      device.run(1, 32, at);
      auto got = device.get<uint16_t>(at + 512, size_t(64 * tiles));
      for (int tile = 0; tile < tiles; ++tile)
        for (int lane = 0; lane < 32; ++lane)
          for (int part = 0; part < 2; ++part) {
            int row = lane / 4, column = 2 * (lane % 4) + part;
            if (transposes)
              std::swap(row, column);
            EXPECT_EQ(got[size_t(64 * tile + 8 * row + column)],
                      values[size_t(64 * tile + 2 * lane + part)])
                << modifiers << ' ' << lane;
          }
    }
}

TEST(Tiles, Mistakes) {
  std::string text = loadKernel("x2.shared.b16", 2);
  EXPECT_EQ(findingIn(text, 80), "");
  EXPECT_FINDING(
      findingIn(replaced(text, ", [%r30];\nmul", ", [%r30+8];\nmul"), 80),
      "no multiple of 16");
  EXPECT_FINDING(
      findingIn(replaced(text, ", [%r30];\nmul", ", [%r30+1];\nmul"), 80),
      "no multiple of 16");
  EXPECT_FINDING(
      findingIn(replaced(text, ", [%r30];\nmul", ", [%r30+16];\nmul"), 80),
      "nothing has written");
  // Lanes that give no row need an address on sm_75 only.
  std::string unused =
      replaced(text, "ldmatrix",
               "setp.gt.u32 %p1, %r31, 15; @%p1 mov.u32 %r30, 4096; ldmatrix");
  EXPECT_EQ(findingIn(unused, 80), "");
  EXPECT_FINDING(findingIn(replaced(unused, "sm_80", "sm_75"), 75),
                 "of 1536 bytes of shared memory");
}

TEST(Tiles, NotOfTheArchitecture) {
  EXPECT_FINDING(
      findingIn(replaced(storeKernel("x1.b16", 1), "sm_90", "sm_80"), 90),
      "needs sm_90");
}

TEST(Tiles, AssemblerAcceptsAllForms) {
  for (std::string architecture : {"sm_75", "sm_80", "sm_90"}) {
    std::vector<std::string> modules;
    for (int tiles : {1, 2, 4}) {
      std::string x = "x" + std::to_string(tiles);
      modules.push_back(loadKernel(x + ".shared.b16", tiles));
      modules.push_back(loadKernel(x + ".trans.shared.b16", tiles));
      if (architecture == "sm_90")
        modules.push_back(storeKernel(x + ".trans.b16", tiles));
    }
    expectAssembles(modules, architecture, ".shared .align 16 .b8 s[1536];\n");
  }
}
} // namespace
