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

/// Buffers with one of three factors, of sizes that are worth packing.
std::vector<ScaledBuffer> randomScaled(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<ScaledBuffer> buffers;
  for (const BufferLifetime &lifetime : randomLifetimes(seed)) {
    int64_t factor = random() % 3, typical[] = {1, 64, 4096};
    buffers.push_back({lifetime, lifetime.bytes * 100, factor});
    buffers.back().lifetime.bytes = lifetime.bytes * 100 * typical[factor];
  }
  return buffers;
}

/// The offset of each buffer and the bytes of the arena, for known factors.
ArenaPlan evaluate(const ScaledPlan &plan,
                   const std::vector<ScaledBuffer> &buffers,
                   const std::vector<int64_t> &factors) {
  std::vector<int64_t> factorOf(plan.parts.size(), 1), slots, starts;
  for (size_t i = 0; i < buffers.size(); ++i)
    factorOf[plan.partOf[i]] = factors[buffers[i].factor];
  for (size_t i = 0; i < plan.parts.size(); ++i) {
    const ScaledPlan::Part &part = plan.parts[i];
    slots.resize(std::max(slots.size(), size_t(part.slot + 1)));
    slots[part.slot] = std::max(slots[part.slot], part.scale * factorOf[i]);
  }
  ArenaPlan result;
  for (int64_t bytes : slots) {
    starts.push_back(result.bytes);
    result.bytes += bytes;
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    int64_t part = plan.partOf[i];
    result.offsets.push_back(starts[plan.parts[part].slot] +
                             plan.offsets[i] * factorOf[part]);
    EXPECT_LE(plan.offsets[i] + buffers[i].scale, plan.parts[part].scale);
  }
  return result;
}

int64_t slotBytes(const std::vector<ScaledBuffer> &buffers) {
  std::vector<BufferLifetime> lifetimes;
  for (const ScaledBuffer &buffer : buffers)
    lifetimes.push_back(buffer.lifetime);
  std::vector<int64_t> slots = planSlots(lifetimes), largest(slots.size());
  for (size_t i = 0; i < slots.size(); ++i)
    largest[slots[i]] = std::max(largest[slots[i]], lifetimes[i].bytes);
  return std::accumulate(largest.begin(), largest.end(), int64_t(0));
}

TEST(ArenaPlanner, ScaledBuffersAreApartWhateverTheirFactors) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::vector<ScaledBuffer> buffers = randomScaled(seed);
    ScaledPlan plan = planScaled(buffers, 64);
    for (const std::vector<int64_t> &factors :
         {std::vector<int64_t>{1, 64, 4096}, {7, 5, 3}, {1, 4096, 2}}) {
      ArenaPlan arena = evaluate(plan, buffers, factors);
      for (size_t a = 0; a < buffers.size(); ++a)
        for (size_t b = 0; b < a; ++b) {
          auto end = [&](size_t i) {
            return arena.offsets[i] +
                   buffers[i].scale * factors[buffers[i].factor];
          };
          bool apart = end(a) <= arena.offsets[b] || end(b) <= arena.offsets[a];
          bool empty = buffers[a].scale == 0 || buffers[b].scale == 0;
          ASSERT_TRUE(
              empty || apart ||
              !lifetimesOverlap(buffers[a].lifetime, buffers[b].lifetime))
              << "seed " << seed << ": buffers " << a << " and " << b;
        }
    }
    for (int64_t offset : plan.offsets)
      ASSERT_EQ(offset % 64, 0);
  }
}

TEST(ArenaPlanner, ScaledBuffersTakeNoMoreThanSlots) {
  int64_t slots = 0, scaled = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::vector<ScaledBuffer> buffers = randomScaled(seed);
    int64_t own = slotBytes(buffers),
            bytes =
                evaluate(planScaled(buffers, 64), buffers, {1, 64, 4096}).bytes;
    EXPECT_LE(bytes, own) << "seed " << seed;
    slots += own;
    scaled += bytes;
  }
  EXPECT_LT(scaled, slots);
}

TEST(ArenaPlanner, EqualFactorsKeepTheirProportions) {
  // A wide buffer, and five narrow ones at another time.
  std::vector<ScaledBuffer> buffers = {{{4 << 20, 0, 1}, 4096, 0}};
  for (int64_t i = 0; i < 5; ++i)
    buffers.push_back({{1 << 20, 2, 3}, 1024, 0});
  ScaledPlan plan = planScaled(buffers, 64);
  EXPECT_EQ(plan.parts.size(), 2u);
  EXPECT_EQ(evaluate(plan, buffers, {1}).bytes, 5 * 1024);
  // Nothing shrinks if they have factors of their own.
  for (size_t i = 0; i < buffers.size(); ++i)
    buffers[i].factor = int64_t(i);
  plan = planScaled(buffers, 64);
  EXPECT_EQ(plan.parts.size(), 6u);
  EXPECT_EQ(plan.offsets, std::vector<int64_t>(6, 0));
}

TEST(ArenaPlanner, KnownSizesCountThoughEstimatesAreLarger) {
  // An encoder of known size, and a decoder whose extents are often small.
  std::vector<ScaledBuffer> buffers = {{{4 << 20, 0, 1}, 4 << 20, 0},
                                       {{64 << 20, 5, 6}, 1024, 1}};
  for (int64_t i = 0; i < 5; ++i)
    buffers.push_back({{1 << 20, 2, 3}, 1 << 20, 0});
  ScaledPlan plan = planScaled(buffers, 64);
  EXPECT_EQ(evaluate(plan, buffers, {1, 1}).bytes, 5 << 20);
  EXPECT_EQ(evaluate(plan, buffers, {1, 65536}).bytes, 64 << 20);
}

TEST(ArenaPlanner, PartsThatLiveApartShareASlot) {
  // An encoder and a decoder, each with two widths at two times.
  std::vector<ScaledBuffer> buffers;
  for (int64_t part : {0, 1})
    for (int64_t i = 0; i < 4; ++i)
      buffers.push_back({{1 << 20, 10 * part, 10 * part + 1}, 1024, part});
  for (int64_t part : {0, 1})
    buffers.push_back({{4 << 20, 10 * part + 1, 10 * part + 2}, 4096, part});
  ScaledPlan plan = planScaled(buffers, 64);
  EXPECT_EQ(evaluate(plan, buffers, {1, 1}).bytes, 8 * 1024);
  EXPECT_EQ(evaluate(plan, buffers, {1, 3}).bytes, 3 * 8 * 1024);
}

} // namespace
