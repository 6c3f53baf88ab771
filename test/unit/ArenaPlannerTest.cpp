// Tests the arena planner: buffers with overlapping lifetimes never overlap in
// memory, offsets are aligned, and a plan is reproducible.
#include "passes/buffer/ArenaPlanner.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace tenon;

namespace {

bool lifetimesOverlap(const BufferLifetime &a, const BufferLifetime &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Lifetimes as graphs have them: mostly short, some long, a few empty buffers.
std::vector<BufferLifetime> randomLifetimes(unsigned seed, size_t count = 0,
                                            int64_t steps = 100) {
  std::mt19937 random(seed);
  std::vector<BufferLifetime> lifetimes(count ? count : random() % 60);
  for (BufferLifetime &lifetime : lifetimes) {
    lifetime.bytes = random() % 8 == 0 ? 0 : int64_t(random() % 5000);
    lifetime.first = random() % steps;
    lifetime.last = lifetime.first + random() % (random() % 5 == 0 ? 100 : 4);
  }
  return lifetimes;
}

/// The most live bytes at any step: no arena can be smaller.
int64_t peak(const std::vector<BufferLifetime> &lifetimes) {
  int64_t most = 0;
  for (const BufferLifetime &at : lifetimes) {
    int64_t alive = 0;
    for (const BufferLifetime &lifetime : lifetimes)
      if (lifetime.first <= at.first && at.first <= lifetime.last)
        alive += lifetime.bytes;
    most = std::max(most, alive);
  }
  return most;
}

TEST(ArenaPlanner, NoBuffersNeedNoBytes) {
  EXPECT_EQ(planOffsets({}, 64).bytes, 0);
  EXPECT_TRUE(planOffsets({}, 64).offsets.empty());
  EXPECT_TRUE(planSlots({}).empty());
}

TEST(ArenaPlanner, BuffersAliveTogetherNeverOverlap) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::vector<BufferLifetime> lifetimes = randomLifetimes(seed);
    ArenaPlan plan = planOffsets(lifetimes, 64);
    ASSERT_EQ(plan.offsets.size(), lifetimes.size());
    for (size_t a = 0; a < lifetimes.size(); ++a)
      for (size_t b = 0; b < a; ++b) {
        bool apart = plan.offsets[a] + lifetimes[a].bytes <= plan.offsets[b] ||
                     plan.offsets[b] + lifetimes[b].bytes <= plan.offsets[a];
        // An empty buffer has no byte that another could overwrite.
        bool empty = lifetimes[a].bytes == 0 || lifetimes[b].bytes == 0;
        ASSERT_TRUE(empty || apart ||
                    !lifetimesOverlap(lifetimes[a], lifetimes[b]))
            << "seed " << seed << ": buffers " << a << " and " << b;
      }
  }
}

TEST(ArenaPlanner, OffsetsAreAlignedAndWithinTheArena) {
  for (int64_t alignment : {1, 16, 64, 4096})
    for (unsigned seed = 0; seed < 50; ++seed) {
      std::vector<BufferLifetime> lifetimes = randomLifetimes(seed);
      ArenaPlan plan = planOffsets(lifetimes, alignment);
      EXPECT_EQ(plan.bytes % alignment, 0);
      for (size_t i = 0; i < lifetimes.size(); ++i) {
        EXPECT_EQ(plan.offsets[i] % alignment, 0);
        EXPECT_GE(plan.offsets[i], 0);
        EXPECT_LE(plan.offsets[i] + lifetimes[i].bytes, plan.bytes);
      }
    }
}

TEST(ArenaPlanner, APlanIsTheSameEveryTime) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::vector<BufferLifetime> lifetimes = randomLifetimes(seed);
    EXPECT_EQ(planOffsets(lifetimes, 64).offsets,
              planOffsets(lifetimes, 64).offsets);
    EXPECT_EQ(planSlots(lifetimes), planSlots(lifetimes));
  }
}

TEST(ArenaPlanner, BuffersWithLivesApartShareBytes) {
  ArenaPlan plan = planOffsets({{256, 0, 1}, {256, 2, 3}, {256, 4, 5}}, 64);
  EXPECT_EQ(plan.bytes, 256);
  EXPECT_EQ(plan.offsets, (std::vector<int64_t>{0, 0, 0}));
}

TEST(ArenaPlanner, LivesThatMeetInOneStepDoNotShare) {
  // A kernel reads one buffer while it writes the other.
  EXPECT_EQ(planOffsets({{256, 0, 1}, {256, 1, 2}}, 64).bytes, 512);
}

TEST(ArenaPlanner, AGapIsFilledBeforeTheArenaGrows) {
  // The large buffers leave a gap at offset 0 after the first has ended.
  ArenaPlan plan = planOffsets({{1024, 0, 1}, {512, 0, 3}, {768, 2, 3}}, 64);
  EXPECT_EQ(plan.bytes, 1536);
  EXPECT_EQ(plan.offsets[2], 0);
}

TEST(ArenaPlanner, ChainsNeedNoMoreThanTheirPeak) {
  std::vector<BufferLifetime> chain;
  for (int64_t step = 0; step < 100; ++step)
    chain.push_back({4096, step, step + 1});
  EXPECT_EQ(planOffsets(chain, 64).bytes, 2 * 4096);
}

TEST(ArenaPlanner, RandomArenasStayNearTheirPeak) {
  double most = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::vector<BufferLifetime> lifetimes = randomLifetimes(seed);
    // Alignment wastes less than 64 bytes a buffer.
    int64_t least = peak(lifetimes) + int64_t(lifetimes.size()) * 64;
    if (!lifetimes.empty())
      most = std::max(most, double(planOffsets(lifetimes, 64).bytes) / least);
  }
  EXPECT_LE(most, 1.5);
}

TEST(ArenaPlanner, BuffersOfOneSlotNeverLiveTogether) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::vector<BufferLifetime> lifetimes = randomLifetimes(seed);
    std::vector<int64_t> slots = planSlots(lifetimes);
    ASSERT_EQ(slots.size(), lifetimes.size());
    for (size_t a = 0; a < lifetimes.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        ASSERT_TRUE(slots[a] != slots[b] ||
                    !lifetimesOverlap(lifetimes[a], lifetimes[b]))
            << "seed " << seed << ": buffers " << a << " and " << b;
  }
}

/// Calls `check` on pairs of buffers that are live at the same step, in order
/// of time.
template <typename Check>
void forAllOverlapping(const std::vector<BufferLifetime> &lifetimes,
                       const Check &check) {
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return lifetimes[a].first < lifetimes[b].first;
  });
  std::vector<size_t> alive;
  for (size_t index : order) {
    std::erase_if(alive, [&](size_t other) {
      return lifetimes[other].last < lifetimes[index].first;
    });
    for (size_t other : alive)
      check(index, other);
    alive.push_back(index);
  }
}

TEST(ArenaPlanner, ManyBuffersArePlacedInTimeAndApart) {
  std::vector<BufferLifetime> lifetimes = randomLifetimes(1, 20000, 20000);
  ArenaPlan plan = planOffsets(lifetimes, 64);
  std::vector<int64_t> slots = planSlots(lifetimes);
  forAllOverlapping(lifetimes, [&](size_t a, size_t b) {
    bool apart = plan.offsets[a] + lifetimes[a].bytes <= plan.offsets[b] ||
                 plan.offsets[b] + lifetimes[b].bytes <= plan.offsets[a];
    bool empty = lifetimes[a].bytes == 0 || lifetimes[b].bytes == 0;
    ASSERT_TRUE(empty || apart) << a << " and " << b;
    ASSERT_NE(slots[a], slots[b]) << a << " and " << b;
  });
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    ASSERT_EQ(plan.offsets[i] % 64, 0);
    ASSERT_LE(plan.offsets[i] + lifetimes[i].bytes, plan.bytes);
  }
  EXPECT_LE(plan.bytes, 2 * (peak(lifetimes) + 64 * 100));
  EXPECT_LE(*std::max_element(slots.begin(), slots.end()), 100);
}

TEST(ArenaPlanner, ALongChainNeedsTwoBuffers) {
  std::vector<BufferLifetime> chain;
  for (int64_t step = 0; step < 200000; ++step)
    chain.push_back({4096, step, step + 1});
  EXPECT_EQ(planOffsets(chain, 64).bytes, 2 * 4096);
  std::vector<int64_t> slots = planSlots(chain);
  EXPECT_EQ(*std::max_element(slots.begin(), slots.end()), 1);
}

TEST(ArenaPlanner, ManyBuffersAliveTogetherTakeNoLongerThanTheyMust) {
  std::vector<BufferLifetime> lifetimes;
  for (int64_t step = 0; step < 200000; ++step)
    lifetimes.push_back({100, step, 200000});
  EXPECT_EQ(planOffsets(lifetimes, 64).bytes, 200000 * 128);
}

TEST(ArenaPlanner, SlotsAreNumberedWithoutHoles) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::vector<int64_t> slots = planSlots(randomLifetimes(seed));
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    for (size_t i = 0; i < slots.size(); ++i)
      EXPECT_EQ(slots[i], int64_t(i));
  }
}

} // namespace
