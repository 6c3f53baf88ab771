// The selection of runtime/core/top.c, compiled as ordinary C, keeps the
// greatest ranks whatever the samples are and whatever else is taken.
extern "C" {
#include "runtime/core/core.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace {
constexpr int64_t room = 1024;

/// The places of the `wanted` greatest ranks. All elements are taken, or only
/// those that reach the limit.
std::vector<int64_t> select(std::vector<int32_t> ranks, int64_t wanted,
                            std::vector<int32_t> samples, bool all) {
  std::vector<int32_t> memory(TENON_TOP_WORDS + 2 * room);
  std::vector<int64_t> places(size_t(wanted), -1);
  int64_t count = int64_t(ranks.size());
  int32_t limit = tenon_core_top_begin(memory.data(), room, wanted,
                                       samples.data(), int64_t(samples.size()));
  ranks.resize(ranks.size() + 64);
  for (int64_t first = 0; first < count; first += 64) {
    uint64_t mask = 0;
    for (int64_t i = first; i < std::min(first + 64, count); ++i)
      mask |= uint64_t(all || ranks[size_t(i)] >= limit) << (i - first);
    limit =
        tenon_core_top_take(memory.data(), ranks.data() + first, mask, first);
  }
  tenon_core_top_end(memory.data(), places.data());
  return places;
}

void compare(const std::vector<int32_t> &ranks) {
  std::vector<int64_t> order(ranks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return ranks[size_t(a)] > ranks[size_t(b)];
  });
  // Every third element, and too few of them.
  std::vector<int32_t> samples, few{ranks.front()};
  for (size_t i = 0; i < ranks.size(); i += 3)
    samples.push_back(ranks[i]);
  for (int64_t wanted : {1, 2, 50, 256, 448}) {
    if (wanted > int64_t(ranks.size()))
      break;
    std::vector<int64_t> expected(order.begin(), order.begin() + wanted);
    for (bool all : {false, true}) {
      EXPECT_EQ(select(ranks, wanted, samples, all), expected) << wanted;
      EXPECT_EQ(select(ranks, wanted, few, all), expected) << wanted;
    }
  }
}
} // namespace

TEST(Top, KeepsTheGreatest) {
  std::mt19937 random(3);
  for (size_t count : {1, 2, 63, 64, 65, 500, 20000}) {
    std::vector<int32_t> ranks(count);
    auto fill = [&](std::function<int32_t(size_t)> rank) {
      for (size_t i = 0; i < count; ++i)
        ranks[i] = rank(i);
      compare(ranks);
    };
    fill([&](size_t) { return int32_t(random()); });
    fill([&](size_t i) { return int32_t(i); });
    fill([&](size_t i) { return -int32_t(i); });
    fill([&](size_t) { return int32_t(random() % 7) - 3; });
    fill([&](size_t) { return INT32_MIN; });
    fill([&](size_t) { return random() % 2 ? INT32_MAX : INT32_MAX - 1; });
    fill([&](size_t i) { return i % 2 ? INT32_MIN : INT32_MAX; });
  }
}
