// mbarriers: phases, arrivals and bytes, and mistakes in their use.
#include "test/gpu/Findings.h"
#include "test/gpu/instructions/DriverDevice.h"

using namespace tenon::ptx;

namespace {
/// A kernel with two mbarriers; thread 0 initializes them for the counts.
std::string kernelOf(const std::string &statements, int first = 1,
                     int second = 1, const std::string &module = "sm_90") {
  std::string text = moduleOf(
      "mov.u32 %r1, %tid.x; ld.param.u64 %d1, [p];\n"
      "mul.wide.u32 %d3, %r1, 4; add.s64 %d2, %d1, %d3;\n"
      "mov.u64 %d6, s; add.s64 %d4, %d6, %d3;\n"
      "setp.eq.u32 %p1, %r1, 0; shr.u32 %r2, %r1, 5;\n"
      "@%p1 mbarrier.init.shared.b64 [bars], " +
          std::to_string(first) +
          ";\n"
          "@%p1 mbarrier.init.shared.b64 [bars+8], " +
          std::to_string(second) + ";\nbar.sync 0;\n" + statements,
      module,
      ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b8 bars[16];\n");
  return replaced(text, "7.8", "8.0");
}

std::string wait(const std::string &name, const std::string &bar,
                 const std::string &parity) {
  return name + ": mbarrier.try_wait.parity.shared::cta.b64 %p9, [" + bar +
         "], " + parity + ";\n@!%p9 bra.uni " + name + ";\n";
}

/// Warp 0 writes words that warp 1 adds up, four times in one place: the first
/// mbarrier says that it is full, the second that it is free again.
std::string exchange() {
  return kernelOf("mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 1;\n"
                  "setp.ne.u32 %p2, %r2, 0; @%p2 bra READER;\n"
                  "WRITER:\n" +
                      wait("FREE", "bars+8", "%r7") +
                      "xor.b32 %r7, %r7, 1;\n"
                      "mad.lo.u32 %r8, %r5, 100, %r1;\n"
                      "st.shared.u32 [%d4], %r8;\n"
                      "mbarrier.arrive.shared.b64 _, [bars];\n"
                      "add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 4;\n"
                      "@%p3 bra WRITER; ret;\n"
                      "READER:\n"
                      "mov.u32 %r9, 0; mov.u32 %r7, 0;\n"
                      "NEXT:\n" +
                      wait("FULL", "bars", "%r7") +
                      "xor.b32 %r7, %r7, 1;\n"
                      "ld.shared.u32 %r8, [%d4+-128]; add.u32 %r9, %r9, %r8;\n"
                      "mbarrier.arrive.release.cta.shared::cta.b64 %d9, "
                      "[bars+8];\n"
                      "add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 4;\n"
                      "@%p3 bra NEXT;\n"
                      "st.global.u32 [%d2], %r9;\n",
                  32, 32);
}

TEST(Mbarriers, PhasesOrderWarps) {
  if (DriverLibrary::instance().architecture < 90)
    GTEST_SKIP() << "needs sm_90";
  DriverDevice device(exchange());
  CUdeviceptr at = device.put(std::vector<uint32_t>(64));
  device.run(1, 64, at);
  auto got = device.get<uint32_t>(at, 64);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(got[32 + i], 600 + 4 * i);
}

TEST(Mbarriers, PhasesUnderManySchedules) {
  for (uint64_t seed = 0; seed < 16; ++seed)
    EXPECT_EQ(findingIn(exchange(), 90, 64, seed), "");
}

TEST(Mbarriers, MistakesInPhases) {
  std::string text = exchange();
  auto finding = [](const std::string &text) {
    return findingIn(text, 90, 64);
  };
  // A parity that is wrong: the wait does not wait.
  EXPECT_FINDING(finding(replaced(text, "mov.u32 %r9, 0; mov.u32 %r7, 0",
                                  "mov.u32 %r9, 0; mov.u32 %r7, 1")),
                 "written");
  EXPECT_FINDING(finding(replaced(text, "mov.u32 %r7, 1", "mov.u32 %r7, 2")),
                 "a parity of 2");
  EXPECT_FINDING(finding(replaced(text, "mov.u32 %r7, 1", "mov.u32 %r7, 0")),
                 "deadlock");
  // An arrival that is missing, and one too many.
  EXPECT_FINDING(finding(replaced(text, "[bars], 32", "[bars], 33")),
                 "lacks 1 arrivals and 0 bytes");
  EXPECT_FINDING(finding(replaced(text, "[bars], 32", "[bars], 31")),
                 "ends in a phase");
  // No wait for the place to be free.
  EXPECT_FINDING(
      finding(replaced(text,
                       "FREE: mbarrier.try_wait.parity.shared::cta.b64 "
                       "%p9, [bars+8], %r7;\n@!%p9 bra.uni FREE;\n",
                       "")),
      "r"); // a race, or too many arrivals, by the schedule
}

TEST(Mbarriers, StatesAndTests) {
  std::string text =
      kernelOf("setp.ne.u32 %p2, %r1, 0; @%p2 ret;\n"
               "mbarrier.arrive.shared.b64 %d9, [bars], 2;\n"
               "mbarrier.test_wait.shared.b64 %p3, [bars], %d9;\n"
               "selp.u32 %r3, 1, 0, %p3; st.global.u32 [%d1], %r3;\n"
               "mbarrier.arrive.shared.b64 _, [bars];\n"
               "mbarrier.test_wait.shared.b64 %p3, [bars], %d9;\n"
               "selp.u32 %r3, 1, 0, %p3; st.global.u32 [%d1+4], %r3;\n"
               "mbarrier.test_wait.parity.shared.b64 %p3, [bars], 1;\n"
               "selp.u32 %r3, 1, 0, %p3; st.global.u32 [%d1+8], %r3;\n"
               "mbarrier.inval.shared.b64 [bars]; mov.u64 %d7, bars;\n"
               "st.shared.u64 [%d7], 5;\n",
               3, 1, "sm_90");
  Device device(text, 90);
  uint64_t at = device.reserve(64);
  device.run("k", LaunchShape::linear(1, 32), at);
  EXPECT_EQ(device.get<uint32_t>(at, 3), (std::vector<uint32_t>{0, 1, 0}));
  EXPECT_FINDING(findingIn(replaced(text, "%d9;\nselp", "77;\nselp"), 90),
                 "neither this nor the last");
}

TEST(Mbarriers, MistakesWithObjects) {
  auto finding = [](const std::string &text) {
    return findingIn(text, 90, 64);
  };
  EXPECT_EQ(finding(kernelOf("mbarrier.arrive.shared.b64 _, [bars];\n", 64)),
            "");
  EXPECT_FINDING(
      finding(kernelOf("mbarrier.arrive.shared.b64 _, [bars+4];\n", 64)),
      "no multiple of 8");
  EXPECT_FINDING(finding(kernelOf("mbarrier.arrive.shared.b64 _, [s];\n", 64)),
                 "no mbarrier is initialized");
  EXPECT_FINDING(finding(kernelOf("st.shared.u32 [bars], 1;\n")),
                 "writes over an mbarrier");
  EXPECT_FINDING(finding(kernelOf("ld.shared.u32 %r3, [bars+4];\n")),
                 "reads an mbarrier");
  EXPECT_FINDING(
      finding(kernelOf("@%p1 mbarrier.init.shared.b64 [bars], 1;\n")),
      "not invalidated");
  EXPECT_FINDING(finding(kernelOf("", 0)), "which are not 1 to 2^20 - 1");
  // Initialized by another warp, with nothing between.
  EXPECT_NE(
      finding(replaced(kernelOf("mbarrier.arrive.shared.b64 _, [bars];\n", 64),
                       "bar.sync 0;\n", "")),
      "");
}

/// Copies 16 bytes a thread by cp.async and waits at an mbarrier for all.
const std::string copies =
    "mul.wide.u32 %d7, %r1, 16; add.s64 %d8, %d1, %d7; add.s64 %d9, %d6, %d7;\n"
    "cp.async.cg.shared.global [%d9], [%d8], 16;\n"
    "cp.async.mbarrier.arrive.noinc.shared.b64 [bars];\n";

TEST(Mbarriers, ArrivalsOfCopies) {
  std::string other = "xor.b32 %r4, %r1, 63; mul.wide.u32 %d10, %r4, 16;\n"
                      "add.s64 %d10, %d6, %d10; ld.shared.u32 %r5, [%d10];\n";
  std::string parity = wait("FULL", "bars", "0");
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(findingIn(kernelOf(copies + parity + other, 64), 90, 64, seed),
              "");
    EXPECT_EQ(findingIn(kernelOf(copies + "cp.async.wait_all;\n"
                                          "ld.shared.u32 %r5, [%d9];\n",
                                 64),
                        90, 64, seed),
              "");
    EXPECT_NE(findingIn(kernelOf(copies + other, 64), 90, 64, seed), "");
    EXPECT_NE(findingIn(kernelOf(copies + "cp.async.wait_all;\n" + other, 64),
                        90, 64, seed),
              "");
  }
  // With an arrival that the phase does not expect yet, and one of our own.
  std::string counted = replaced(copies, ".noinc", "");
  EXPECT_EQ(
      findingIn(kernelOf(counted + "mbarrier.arrive.shared.b64 _, [bars];\n" +
                             parity + other,
                         64),
                90, 64),
      "");
  EXPECT_FINDING(findingIn(kernelOf(counted + parity, 64), 90, 64), "deadlock");
}

TEST(Mbarriers, ElectedLanes) {
  if (DriverLibrary::instance().architecture < 90)
    GTEST_SKIP() << "needs sm_90";
  // Which lane it is, is the device's choice.
  DriverDevice device(kernelOf("elect.sync %r3|%p3, -1;\n"
                               "selp.u32 %r4, 100, 0, %p3;\n"
                               "add.u32 %r4, %r4, %r3;\n"
                               "st.global.u32 [%d2], %r4;\n"));
  CUdeviceptr at = device.put(std::vector<uint32_t>(32));
  device.run(1, 32, at);
  auto got = device.get<uint32_t>(at, 32);
  uint32_t leader = got[0] % 100;
  for (size_t i = 0; i < 32; ++i)
    EXPECT_EQ(got[i], i == leader ? leader + 100 : leader);
}

TEST(Mbarriers, NotOfTheArchitecture) {
  std::string old = replaced(exchange(), "sm_90", "sm_80");
  EXPECT_FINDING(findingIn(old, 80, 64), "needs sm_90");
  EXPECT_EQ(findingIn(kernelOf("", 1, 1, "sm_80"), 80), "");
  EXPECT_FINDING(findingIn(kernelOf("", 1, 1, "sm_75"), 80), "needs sm_80");
}

TEST(Mbarriers, AssemblerAcceptsAllForms) {
  expectAssembles({exchange(), kernelOf(copies + wait("FULL", "bars", "0"))},
                  "sm_90",
                  ".shared .align 16 .b8 s[1024];\n"
                  ".shared .align 8 .b8 bars[16];\n",
                  "8.0");
}
} // namespace
