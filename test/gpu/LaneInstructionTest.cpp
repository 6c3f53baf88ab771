// Instructions whose lanes see each other, and those of predicates: each lane
// stores one word.
#include "test/gpu/Device.h"
#include "test/gpu/instructions/DriverDevice.h"

#include <gtest/gtest.h>

using namespace tenon::ptx;

namespace {
using Words = std::vector<uint32_t>;

/// Runs statements that leave a word in %r3, for lane %r1, with its word of
/// `input` in %r2.
Words wordsOf(const std::string &statements, const Words &input,
              const std::string &architecture = "sm_75") {
  DriverDevice device(
      moduleOf("mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4;\n"
               "ld.param.u64 %d2, [p]; add.s64 %d3, %d2, %d1;\n"
               "ld.global.u32 %r2, [%d3];\n" +
                   statements + "st.global.u32 [%d3], %r3;\n",
               architecture));
  CUdeviceptr at = device.put(input);
  device.run(1, unsigned(input.size()), at);
  return device.get<uint32_t>(at, input.size());
}

Words numbers(uint32_t first) {
  Words words;
  for (uint32_t i = 0; i < 32; ++i)
    words.push_back(first + i);
  return words;
}

/// The source lane of each mode, by the manual's pseudo-code.
TEST(LaneInstructions, Shuffles) {
  for (std::string mode : {"up", "down", "bfly", "idx"})
    for (int width : {32, 16, 8})
      for (int by : {0, 1, 3, 8, 17, 31}) {
        int c = (32 - width) << 8 | (mode == "up" ? 0 : 31);
        Words got = wordsOf("shfl.sync." + mode + ".b32 %r3|%p1, %r2, " +
                                std::to_string(by) + ", " + std::to_string(c) +
                                ", -1;\n@%p1 add.s32 %r3, %r3, 1000;\n",
                            numbers(100));
        for (int lane = 0; lane < 32; ++lane) {
          int first = lane / width * width, last = first + width - 1;
          int from = mode == "up"     ? lane - by
                     : mode == "down" ? lane + by
                     : mode == "bfly" ? lane ^ by
                                      : first + by % width;
          bool isIn = mode == "up" ? from >= first : from <= last;
          EXPECT_EQ(got[size_t(lane)],
                    uint32_t(100 + (isIn ? from + 1000 : lane)))
              << mode << ' ' << width << ' ' << by << ' ' << lane;
        }
      }
}

TEST(LaneInstructions, Votes) {
  std::string is = "setp.ne.u32 %p1, %r2, 0;\n",
              tell = "selp.b32 %r3, 1, 0, %p2;\n";
  for (uint32_t bits : {0u, 1u, 0x80000000u, 0x0f0f3355u, ~0u}) {
    Words input;
    for (int lane = 0; lane < 32; ++lane)
      input.push_back(bits >> lane & 1);
    auto all = [](uint32_t value) { return Words(32, value); };
    auto vote = [&](const char *kind, const char *operand) {
      return wordsOf(is + "vote.sync." + kind + ".pred %p2, " + operand +
                         ", -1;\n" + tell,
                     input);
    };
    EXPECT_EQ(vote("all", "%p1"), all(bits == ~0u));
    EXPECT_EQ(vote("any", "%p1"), all(bits != 0));
    EXPECT_EQ(vote("uni", "%p1"), all(bits == 0 || bits == ~0u));
    EXPECT_EQ(vote("any", "!%p1"), all(bits != ~0u));
    EXPECT_EQ(wordsOf(is + "vote.sync.ballot.b32 %r3, %p1, -1;\n", input),
              all(bits));
  }
}

TEST(LaneInstructions, Reductions) {
  if (DriverLibrary::instance().architecture < 80)
    GTEST_SKIP();
  Words input;
  for (uint32_t lane = 0; lane < 32; ++lane)
    input.push_back(lane * 0x9e3779b9u);
  auto expect = [&](const char *operation,
                    uint32_t (*join)(uint32_t, uint32_t)) {
    uint32_t sum = input[0];
    for (size_t i = 1; i < 32; ++i)
      sum = join(sum, input[i]);
    EXPECT_EQ(
        wordsOf(std::string("redux.sync.") + operation + " %r3, %r2, -1;\n",
                input, "sm_80"),
        Words(32, sum))
        << operation;
  };
  expect("add.u32", [](uint32_t a, uint32_t b) { return a + b; });
  expect("add.s32", [](uint32_t a, uint32_t b) { return a + b; });
  expect("min.u32", [](uint32_t a, uint32_t b) { return a < b ? a : b; });
  expect("max.u32", [](uint32_t a, uint32_t b) { return a > b ? a : b; });
  expect("min.s32", [](uint32_t a, uint32_t b) {
    return int32_t(a) < int32_t(b) ? a : b;
  });
  expect("max.s32", [](uint32_t a, uint32_t b) {
    return int32_t(a) > int32_t(b) ? a : b;
  });
  expect("and.b32", [](uint32_t a, uint32_t b) { return a & b; });
  expect("or.b32", [](uint32_t a, uint32_t b) { return a | b; });
  expect("xor.b32", [](uint32_t a, uint32_t b) { return a ^ b; });
}

TEST(LaneInstructions, ActiveLanes) {
  Words got = wordsOf("setp.lt.u32 %p1, %r1, 5; mov.u32 %r3, 0;\n"
                      "@%p1 activemask.b32 %r3;\n",
                      numbers(0));
  for (size_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(got[lane], lane < 5 ? 31u : 0u);
}

TEST(LaneInstructions, SpecialRegisters) {
  struct {
    const char *name;
    uint32_t (*value)(uint32_t lane);
  } const registers[] = {
      {"%laneid", [](uint32_t lane) { return lane; }},
      {"%lanemask_eq", [](uint32_t lane) { return 1u << lane; }},
      {"%lanemask_lt", [](uint32_t lane) { return (1u << lane) - 1; }},
      {"%lanemask_le", [](uint32_t lane) { return (2u << lane) - 1; }},
      {"%lanemask_gt", [](uint32_t lane) { return ~((2u << lane) - 1); }},
      {"%lanemask_ge", [](uint32_t lane) { return ~((1u << lane) - 1); }},
      {"%ntid.x", [](uint32_t) { return 32u; }},
      {"%nctaid.y", [](uint32_t) { return 1u; }},
      {"%tid.z", [](uint32_t) { return 0u; }},
      {"%ctaid.x", [](uint32_t) { return 0u; }}};
  for (const auto &special : registers) {
    Words got = wordsOf(std::string("mov.u32 %r3, ") + special.name + ";\n",
                        numbers(0));
    for (uint32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(got[lane], special.value(lane)) << special.name;
  }
}

/// Combined comparisons, both results, and logic of predicates.
TEST(LaneInstructions, Predicates) {
  std::string begin = "setp.lt.u32 %p1, %r1, 8; and.b32 %r4, %r1, 1;\n"
                      "setp.ne.u32 %p2, %r4, 0;\n";
  struct {
    const char *text; // leaves %p3
    bool (*holds)(bool few, bool odd, uint32_t lane);
  } const cases[] = {
      {"and.pred %p3, %p1, %p2;",
       [](bool a, bool b, uint32_t) { return a && b; }},
      {"and.pred %p3, %p1, !%p2;",
       [](bool a, bool b, uint32_t) { return a && !b; }},
      {"or.pred %p3, %p1, %p2;",
       [](bool a, bool b, uint32_t) { return a || b; }},
      {"xor.pred %p3, !%p1, %p2;",
       [](bool a, bool b, uint32_t) { return !a != b; }},
      {"not.pred %p3, %p1;", [](bool a, bool, uint32_t) { return !a; }},
      {"mov.pred %p3, %p2;", [](bool, bool b, uint32_t) { return b; }},
      {"setp.gt.and.u32 %p3, %r1, 4, %p2;",
       [](bool, bool b, uint32_t lane) { return lane > 4 && b; }},
      {"setp.gt.or.u32 %p3, %r1, 4, !%p2;",
       [](bool, bool b, uint32_t lane) { return lane > 4 || !b; }},
      {"setp.gt.xor.u32 %p3, %r1, 4, %p2;",
       [](bool, bool b, uint32_t lane) { return (lane > 4) != b; }},
      {"setp.gt.u32 %p4|%p3, %r1, 4;",
       [](bool, bool, uint32_t lane) { return lane <= 4; }},
      {"setp.gt.and.u32 %p4|%p3, %r1, 4, %p2;",
       [](bool, bool b, uint32_t lane) { return lane <= 4 && b; }},
  };
  for (const auto &test : cases) {
    Words got =
        wordsOf(begin + test.text + " selp.b32 %r3, 1, 0, %p3;\n", numbers(0));
    for (uint32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(got[lane], uint32_t(test.holds(lane < 8, lane % 2, lane)))
          << test.text << ' ' << lane;
  }
}

/// Lanes part at branches, at a table of them and in a function, and meet
/// again.
TEST(LaneInstructions, Branches) {
  Words got = wordsOf("setp.lt.u32 %p1, %r1, 9; @%p1 bra FEW;\n"
                      "add.s32 %r3, %r2, 7; bra.uni JOIN;\n"
                      "FEW: shl.b32 %r3, %r2, 1;\n"
                      "JOIN: nanosleep.u32 1; add.s32 %r3, %r3, 1;\n",
                      numbers(50));
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(got[lane], lane < 9 ? 2 * (50 + lane) + 1 : 58 + lane);
  got = wordsOf("and.b32 %r4, %r1, 3; mov.u32 %r3, 0;\n"
                "ts: .branchtargets L0, L1, L2, L3;\n"
                "brx.idx %r4, ts;\n"
                "L0: add.s32 %r3, %r3, 1;\nL1: add.s32 %r3, %r3, 10;\n"
                "L2: add.s32 %r3, %r3, 100;\nL3: add.s32 %r3, %r3, 1000;\n",
                numbers(0));
  const uint32_t sums[] = {1111, 1110, 1100, 1000};
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(got[lane], sums[lane % 4]);
  got = wordsOf("mov.u32 %r3, 5; setp.ge.u32 %p1, %r1, 20; @%p1 exit;\n",
                numbers(0));
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(got[lane], lane < 20 ? 5 : lane);
}

/// Warps and lanes exchange words through shared memory.
TEST(LaneInstructions, Barriers) {
  Words input;
  for (uint32_t i = 0; i < 64; ++i)
    input.push_back(i * i);
  std::string other = ".shared .align 4 .b8 s[256];\n"
                      "mov.u64 %d4, s; add.s64 %d5, %d4, %d1;\n"
                      "st.shared.u32 [%d5], %r2;\n",
              load = "mul.wide.u32 %d6, %r4, 4; add.s64 %d7, %d4, %d6;\n"
                     "ld.shared.u32 %r3, [%d7];\n";
  for (const char *barrier :
       {"bar.sync 0;", "barrier.sync 3;", "barrier.cta.sync.aligned 1, 64;"}) {
    Words got =
        wordsOf(other + barrier + " xor.b32 %r4, %r1, 33;\n" + load, input);
    for (uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(got[i], input[i ^ 33]) << barrier;
  }
  Words got =
      wordsOf(other + "bar.warp.sync -1; xor.b32 %r4, %r1, 1;\n" + load, input);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(got[i], input[i ^ 1]);
  // The first warp arrives, the second one waits for it.
  got =
      wordsOf(other +
                  "setp.ge.u32 %p1, %r1, 32; xor.b32 %r4, %r1, 32;\n"
                  "mov.u32 %r3, 0; @%p1 bra WAIT; bar.arrive 2, 64; bra END;\n"
                  "WAIT: bar.sync 2, 64;\n" +
                  load + "END:\n",
              input);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(got[i], i < 32 ? 0 : input[i - 32]);
}
} // namespace
