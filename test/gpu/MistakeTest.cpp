// The emulator must report each of these mistakes; a device may hide them.
#include "test/gpu/Device.h"

#include <gtest/gtest.h>

using namespace tenon::ptx;

namespace {
/// What the emulator says of a kernel `k` with a buffer of 4096 bytes, of which
/// 2048 are written; empty if it says nothing.
std::string findingIn(const std::string &text, unsigned threads = 64,
                      unsigned blocks = 2, int architecture = 80) {
  std::string found;
  try {
    Device device(text, architecture);
    uint64_t buffer = device.reserve(4096);
    Allocation &memory = *device.machine.memory.find(buffer, 0);
    memory.setWritten(buffer, 2048);
    device.machine.maxInstructions = 1 << 20;
    device.run("k", LaunchShape::linear(blocks, threads), buffer);
  } catch (const Finding &finding) {
    found = finding.what();
  } catch (const TextError &error) {
    found = error.what();
  }
  return found;
}

/// Statements that the rest of a kernel may use: %r1 is the thread, %r2 the
/// block, %d1 the buffer, %d2 four bytes a thread in it.
const std::string begin = "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
                          "ld.param.u64 %d1, [p];\n"
                          "mul.wide.u32 %d3, %r1, 4; add.s64 %d2, %d1, %d3;\n";
const std::string words = ".shared .align 16 .b8 s[1024];\n";

std::string kernelOf(const std::string &statements,
                     const std::string &architecture = "sm_80") {
  return moduleOf(begin + statements, architecture, words);
}

#define EXPECT_FINDING(text, part)                                             \
  EXPECT_NE((text).find(part), std::string::npos) << "got: " << (text)

/// A shared word of the thread's own, at %d4, and its neighbour's at %d5.
const std::string neighbours =
    "mov.u64 %d6, s; add.s64 %d4, %d6, %d3;\n"
    "add.s32 %r3, %r1, 32; and.b32 %r3, %r3, 63;\n"
    "mul.wide.u32 %d5, %r3, 4; add.s64 %d5, %d6, %d5;\n";

TEST(Mistakes, NoneInARightKernel) {
  EXPECT_EQ(
      findingIn(kernelOf(neighbours + "st.shared.u32 [%d4], %r1; bar.sync 0;\n"
                                      "ld.shared.u32 %r4, [%d5];\n")),
      "");
}

TEST(Mistakes, MissingBarrier) {
  EXPECT_FINDING(
      findingIn(kernelOf(neighbours + "st.shared.u32 [%d4], 1; bar.sync 0;\n"
                                      "st.shared.u32 [%d4], %r1;\n"
                                      "ld.shared.u32 %r4, [%d5];\n")),
      "a race for the word");
}

TEST(Mistakes, MissingBarrierOfAWarp) {
  std::string exchange =
      "xor.b32 %r3, %r1, 1; mov.u64 %d6, s; add.s64 %d4, %d6, %d3;\n"
      "mul.wide.u32 %d5, %r3, 4; add.s64 %d5, %d6, %d5;\n"
      "st.shared.u32 [%d4], %r1;\n";
  std::string load = "ld.shared.u32 %r4, [%d5];\n";
  EXPECT_EQ(findingIn(kernelOf(exchange + "bar.warp.sync -1;\n" + load)), "");
  EXPECT_FINDING(findingIn(kernelOf(exchange + load)), "a race for the word");
}

TEST(Mistakes, BarrierInABranch) {
  EXPECT_FINDING(findingIn(kernelOf("setp.lt.u32 %p1, %r1, 7;\n"
                                    "@%p1 bar.sync 0;\n")),
                 "at the barrier");
  EXPECT_FINDING(findingIn(kernelOf("setp.lt.u32 %p1, %r1, 32;\n"
                                    "@%p1 bar.sync 0;\n")),
                 "deadlock");
  EXPECT_FINDING(findingIn(kernelOf("setp.lt.u32 %p1, %r1, 7;\n"
                                    "@%p1 ret; bar.sync 0;\n")),
                 "ended before the barrier");
}

TEST(Mistakes, BarrierForTooManyThreads) {
  EXPECT_FINDING(findingIn(kernelOf("bar.sync 1, 96;\n")), "deadlock");
  EXPECT_FINDING(findingIn(kernelOf("bar.sync 1, 33;\n")), "no multiple of 32");
}

TEST(Mistakes, OneElementTooMany) {
  EXPECT_FINDING(findingIn(kernelOf("ld.global.u32 %r4, [%d1+4096];\n")),
                 "byte 4096 of an allocation of 4096");
  EXPECT_FINDING(findingIn(kernelOf("ld.global.u32 %r4, [%d1+-4];\n")),
                 "in no allocation");
  EXPECT_FINDING(findingIn(kernelOf("mov.u64 %d6, s;\n"
                                    "st.shared.u32 [%d6+1024], 1;\n")),
                 "of 1024 bytes of shared memory");
  EXPECT_FINDING(findingIn(kernelOf("ld.param.u32 %r4, [p+8];\n")),
                 "past the parameters");
}

TEST(Mistakes, Unaligned) {
  EXPECT_FINDING(
      findingIn(kernelOf("ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d1+8];\n")),
      "no multiple of 16");
  EXPECT_FINDING(findingIn(kernelOf("mov.u64 %d6, s;\n"
                                    "st.shared.u64 [%d6+4], 1;\n")),
                 "no multiple of 8");
}

TEST(Mistakes, WithoutAValue) {
  EXPECT_FINDING(findingIn(kernelOf("add.s32 %r4, %r5, 1;\n")), "has no value");
  EXPECT_FINDING(findingIn(kernelOf("@%p3 add.s32 %r4, %r1, 1;\n")),
                 "the guard has no value");
  EXPECT_FINDING(findingIn(kernelOf("setp.lt.u32 %p1, %r1, 9;\n"
                                    "@%p1 mov.u32 %r4, 1;\n"
                                    "add.s32 %r5, %r4, 1;\n")),
                 "lane 9");
  EXPECT_FINDING(findingIn(kernelOf("ld.global.u32 %r4, [%d1+2048];\n")),
                 "nothing has written");
  EXPECT_FINDING(findingIn(kernelOf("mov.u64 %d6, s;\n"
                                    "ld.shared.u32 %r4, [%d6];\n")),
                 "nothing has written");
  EXPECT_FINDING(findingIn(kernelOf(".local .align 4 .b8 l[8];\n"
                                    "mov.u64 %d6, l;\n"
                                    "ld.local.u32 %r4, [%d6];\n")),
                 "nothing has written");
}

TEST(Mistakes, BlocksThatRace) {
  EXPECT_FINDING(findingIn(kernelOf("st.global.u32 [%d2], %r1;\n")),
                 "a race for the word");
  EXPECT_FINDING(findingIn(kernelOf("setp.eq.u32 %p1, %r2, 0;\n"
                                    "@%p1 st.global.u32 [%d2], 1;\n"
                                    "@!%p1 ld.global.u32 %r4, [%d2];\n")),
                 "a race for the word");
  EXPECT_FINDING(findingIn(kernelOf("red.global.add.u32 [%d1], 1;\n"
                                    "ld.global.u32 %r4, [%d1];\n")),
                 "a race for the word");
  EXPECT_EQ(findingIn(kernelOf("red.global.add.u32 [%d1], 1;\n")), "");
}

TEST(Mistakes, LanesThatRace) {
  EXPECT_FINDING(findingIn(kernelOf("st.global.u32 [%d1], %r1;\n"), 32, 1),
                 "a race for the word");
}

TEST(Mistakes, ReleaseAndAcquireOrder) {
  // The block whose count is the second one reads what the first has written.
  std::string before = "setp.ne.u32 %p1, %r1, 0; @%p1 ret;\n"
                       "mul.wide.u32 %d7, %r2, 4; add.s64 %d8, %d1, %d7;\n"
                       "st.global.u32 [%d8+8], %r2;\n";
  std::string after = "setp.ne.u32 %p2, %r4, 1; @%p2 ret;\n"
                      "ld.global.u32 %r5, [%d1+8];\n"
                      "ld.global.u32 %r6, [%d1+12];\n";
  EXPECT_EQ(
      findingIn(kernelOf(
          before + "atom.acq_rel.gpu.global.add.u32 %r4, [%d1], 1;\n" + after)),
      "");
  EXPECT_FINDING(
      findingIn(kernelOf(
          before + "atom.relaxed.gpu.global.add.u32 %r4, [%d1], 1;\n" + after)),
      "a race for the word");
}

TEST(Mistakes, ConstantThatIsWritten) {
  EXPECT_FINDING(findingIn(kernelOf("st.global.u32 [%d2], 1;\n"
                                    "ld.global.nc.u32 %r4, [%d2];\n"),
                           32, 1),
                 "reads as constant");
}

TEST(Mistakes, StaleAddress) {
  Device device(kernelOf("ld.global.u32 %r4, [%d1];\n"));
  uint64_t buffer = device.put(std::vector<int>(64));
  device.run("k", LaunchShape::linear(1, 32), buffer);
  device.machine.memory.release(buffer);
  try {
    device.run("k", LaunchShape::linear(1, 32), buffer);
    FAIL();
  } catch (const Finding &finding) {
    EXPECT_FINDING(std::string(finding.what()), "which was freed");
  }
}

TEST(Mistakes, ShuffleThatMissesLanes) {
  EXPECT_FINDING(
      findingIn(kernelOf("setp.lt.u32 %p1, %r1, 7;\n"
                         "@%p1 shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;\n")),
      "not at the instruction");
  EXPECT_FINDING(
      findingIn(kernelOf("setp.lt.u32 %p1, %r1, 7;\n"
                         "@%p1 shfl.sync.idx.b32 %r4, %r1, 9, 31, 127;\n"),
                32, 1),
      "takes the value of lane 9");
  EXPECT_FINDING(
      findingIn(kernelOf("shfl.sync.bfly.b32 %r4, %r1, 1, 31, 255;\n")),
      "is not in the mask");
}

/// 16 bytes a thread to shared memory.
const std::string copy = "mul.wide.u32 %d6, %r1, 16; add.s64 %d7, %d1, %d6;\n"
                         "mov.u64 %d8, s; add.s64 %d9, %d8, %d6;\n"
                         "cp.async.cg.shared.global [%d9], [%d7], 16;\n"
                         "cp.async.commit_group;\n";

TEST(Mistakes, AsynchronousCopies) {
  std::string wait = "cp.async.wait_group 0;\n", barrier = "bar.sync 0;\n",
              own = "ld.shared.u32 %r4, [%d9];\n",
              other = "ld.shared.u32 %r4, [%d8+512];\n";
  EXPECT_EQ(findingIn(kernelOf(copy + wait + own)), "");
  EXPECT_EQ(findingIn(kernelOf(copy + wait + barrier + other)), "");
  EXPECT_FINDING(findingIn(kernelOf(copy + own + wait)), "still writing");
  EXPECT_FINDING(findingIn(kernelOf(copy + "cp.async.wait_group 1;\n" + own)),
                 "still writing");
  // By the schedule, the other warp has not copied or has not waited.
  EXPECT_NE(findingIn(kernelOf(copy + wait + other)), "");
  EXPECT_FINDING(findingIn(kernelOf(copy)), "is waited for");
}

TEST(Mistakes, EndlessLoop) {
  EXPECT_FINDING(findingIn(kernelOf("L: bra.uni L;\n")), "may not end");
}

TEST(Mistakes, ThatHardwareHides) {
  EXPECT_FINDING(findingIn(kernelOf("div.u32 %r4, 5, %r1;\n")),
                 "division by zero");
  EXPECT_FINDING(findingIn(kernelOf("setp.lt.u32 %p1, %r1, 7;\n"
                                    "@%p1 bra.uni L; L:\n")),
                 "lanes differ");
  EXPECT_FINDING(findingIn(kernelOf("trap;\n")), "a trap");
}

TEST(Mistakes, NotOfTheArchitecture) {
  EXPECT_FINDING(findingIn(kernelOf(copy, "sm_75")), "needs sm_80");
  EXPECT_FINDING(findingIn(kernelOf("", "sm_90")), "on a device that is sm_80");
  EXPECT_FINDING(findingIn(kernelOf("", "sm_90a"), 64, 1, 100),
                 "a module for sm_90a");
  EXPECT_FINDING(findingIn(kernelOf("max.NaN.f32 %f1, %f2, %f3;\n", "sm_75")),
                 "needs sm_80");
}

TEST(Mistakes, RefusedByName) {
  EXPECT_FINDING(findingIn(kernelOf("ex2.approx.f32 %f1, %f2;\n")),
                 "ex2.approx.f32: approximate");
  EXPECT_FINDING(findingIn(kernelOf("add.f32 %f1, %f2, %f3;\n")),
                 "expected .rn");
  EXPECT_FINDING(findingIn(kernelOf("wonder.u32 %r1, %r2;\n")),
                 "unknown instruction wonder.u32");
  EXPECT_FINDING(findingIn(kernelOf("add.rn.ftz.f32 %f1, %f2, %f3;\n")),
                 "unknown type .ftz");
  EXPECT_FINDING(findingIn(kernelOf("add.s32 %d1, %r2, %r3;\n")), "other size");
  EXPECT_FINDING(findingIn(kernelOf("add.s32 %r1, %r77, %r3;\n")),
                 "unknown register %r77");
  EXPECT_FINDING(findingIn(kernelOf("bra NOWHERE;\n")),
                 "unknown label NOWHERE");
}

TEST(Mistakes, BanksAndSectorsAreCounted) {
  // Lanes 16 bytes apart share banks; lanes 4 or 20 bytes apart do not.
  for (auto [stride, conflicts] : {std::pair(16, 1), {4, 0}, {20, 0}}) {
    Device device(kernelOf("mov.u64 %d6, s; mul.wide.u32 %d7, %r1, " +
                           std::to_string(stride) +
                           "; add.s64 %d8, %d6, %d7;\n"
                           "st.shared.u32 [%d8], %r1;\n"));
    Counters counters =
        device.run("k", LaunchShape::linear(1, 32), uint64_t(0));
    EXPECT_EQ(counters.bankConflicts > 0, conflicts > 0) << stride;
  }
  Device device(kernelOf("mul.wide.u32 %d7, %r1, 32; add.s64 %d8, %d1, %d7;\n"
                         "st.global.u32 [%d8], %r1;\n"));
  Counters counters =
      device.run("k", LaunchShape::linear(1, 32), device.reserve(1024));
  EXPECT_EQ(counters.sectorsWritten, 32u);
  EXPECT_EQ(counters.bytesWritten, 128u);
}
} // namespace
