// Tests runtime/core, compiled as ordinary C. Sorts follow the documented order
// and are stable, and the parallel loop takes its shortcuts.
extern "C" {
#include "runtime/core/core.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace {

template <typename T> bool less(T a, T b) { return a < b; }
template <> bool less(float a, float b) {
  return std::isnan(a) ? false : std::isnan(b) ? true : a < b;
}
template <> bool less(double a, double b) {
  return std::isnan(a) ? false : std::isnan(b) ? true : a < b;
}

template <typename T, typename Sort, typename Less>
void compare(std::vector<T> keys, Sort sort, Less before) {
  for (int descending : {0, 1}) {
    int64_t count = int64_t(keys.size());
    std::vector<int64_t> expected(keys.size()), indices(keys.size());
    for (size_t i = 0; i < keys.size(); ++i)
      expected[i] = indices[i] = int64_t(i);
    std::sort(expected.begin(), expected.end(), [&](int64_t a, int64_t b) {
      T x = keys[size_t(a)], y = keys[size_t(b)];
      bool first = descending ? before(y, x) : before(x, y);
      bool second = descending ? before(x, y) : before(y, x);
      return first || (!second && a < b);
    });
    // Keys may be strided: every third element, with the others unchanged.
    for (int64_t stride : {1, 3}) {
      std::vector<T> line(size_t(count * stride) + 1, T(42));
      std::vector<int64_t> places(size_t(count * stride) + 1, -7);
      for (int64_t i = 0; i < count; ++i) {
        line[size_t(i * stride)] = keys[size_t(i)];
        places[size_t(i * stride)] = i;
      }
      sort(line.data(), places.data(), count, stride, descending);
      for (int64_t i = 0; i < count; ++i) {
        indices[size_t(i)] = places[size_t(i * stride)];
        ASSERT_EQ(std::memcmp(&line[size_t(i * stride)],
                              &keys[size_t(indices[size_t(i)])], sizeof(T)),
                  0);
        for (int64_t gap = 1; gap < stride; ++gap)
          ASSERT_EQ(places[size_t(i * stride + gap)], -7);
      }
      ASSERT_EQ(indices, expected);
    }
  }
}

template <typename T, typename Sort>
void compareIntegers(Sort sort, uint64_t range) {
  std::mt19937_64 random(7);
  for (size_t count : {0, 1, 2, 15, 16, 17, 31, 33, 64, 100, 1000, 4099}) {
    std::vector<T> keys(count);
    for (T &key : keys)
      key = T(random() % range - range / 2);
    compare(keys, sort, less<T>);
  }
  std::vector<T> extremes{std::numeric_limits<T>::max(),
                          0,
                          std::numeric_limits<T>::min(),
                          1,
                          T(-1),
                          0};
  compare(extremes, sort, less<T>);
}

TEST(Sort, Integers) {
  compareIntegers<int8_t>(tenon_core_sort_i8, 256);
  compareIntegers<int16_t>(tenon_core_sort_i16, 300);
  compareIntegers<int32_t>(tenon_core_sort_i32, 50);
  compareIntegers<int64_t>(tenon_core_sort_i64, UINT64_MAX);
  compareIntegers<uint8_t>(tenon_core_sort_u8, 256);
  compareIntegers<uint16_t>(tenon_core_sort_u16, 300);
  compareIntegers<uint32_t>(tenon_core_sort_u32, 50);
  compareIntegers<uint64_t>(tenon_core_sort_u64, UINT64_MAX);
}

template <typename T, typename Sort> void compareFloats(Sort sort) {
  std::mt19937_64 random(11);
  const T special[] = {std::numeric_limits<T>::quiet_NaN(),
                       -std::numeric_limits<T>::quiet_NaN(),
                       std::numeric_limits<T>::infinity(),
                       -std::numeric_limits<T>::infinity(),
                       T(0),
                       -T(0),
                       std::numeric_limits<T>::denorm_min(),
                       T(1.5)};
  for (size_t count : {0, 1, 5, 16, 17, 200, 1000}) {
    std::vector<T> keys(count);
    for (T &key : keys)
      key =
          random() % 2 ? special[random() % 8] : T(int64_t(random() % 64) - 32);
    compare(keys, sort, less<T>);
  }
}

TEST(Sort, Floats) {
  compareFloats<float>(tenon_core_sort_f32);
  compareFloats<double>(tenon_core_sort_f64);
}

/// The exact value of half-float bits.
double halfValue(uint16_t bits, int mantissaBits) {
  int exponentBits = 15 - mantissaBits;
  int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  int mantissa = bits & ((1 << mantissaBits) - 1);
  int bias = (1 << (exponentBits - 1)) - 1;
  double value;
  if (exponent == (1 << exponentBits) - 1)
    value = mantissa ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - bias - mantissaBits);
  else
    value = std::ldexp(mantissa + (1 << mantissaBits),
                       exponent - bias - mantissaBits);
  return bits & 0x8000 ? -value : value;
}

TEST(Sort, EveryHalfFloat) {
  std::vector<uint16_t> keys(65536);
  for (size_t i = 0; i < keys.size(); ++i)
    keys[i] = uint16_t(i * 40503);
  compare(keys, tenon_core_sort_f16, [](uint16_t a, uint16_t b) {
    return less(halfValue(a, 10), halfValue(b, 10));
  });
  compare(keys, tenon_core_sort_bf16, [](uint16_t a, uint16_t b) {
    return less(halfValue(a, 7), halfValue(b, 7));
  });
}

struct Loops {
  std::vector<int> seen = std::vector<int>(1000);
  std::atomic<int> calls{0};
  int64_t longest = 0;
  int32_t cancel = 0, cancelAt = -1;
  static void task(void *args, int64_t begin, int64_t end) {
    auto *loops = static_cast<Loops *>(args);
    ++loops->calls;
    loops->longest = std::max(loops->longest, end - begin);
    for (int64_t i = begin; i < end; ++i) {
      ++loops->seen[size_t(i)];
      if (i == loops->cancelAt)
        loops->cancel = 1;
    }
  }
  /// Runs the pieces one by one from the last to the first, and counts them.
  static void pool(void *pool, tenon_task_fn fn, void *args, int64_t count) {
    *static_cast<int64_t *>(pool) = count;
    for (int64_t i = count; i-- > 0;)
      fn(args, i, i + 1);
  }
  bool ranOnce(int64_t tasks) const {
    for (size_t i = 0; i < seen.size(); ++i)
      if (seen[i] != (int64_t(i) < tasks))
        return false;
    return true;
  }
};

TEST(Parallel, SmallWorkStaysWithTheCaller) {
  int64_t pieces = 0;
  tenon_call call = {};
  call.parallel = Loops::pool;
  call.pool = &pieces;
  for (int64_t tasks : {0, 1, 2, 5, 999}) {
    Loops loops;
    tenon_core_parallel(&call, Loops::task, &loops, tasks, 1000, 1000);
    EXPECT_TRUE(loops.ranOnce(tasks)) << tasks;
    EXPECT_EQ(loops.calls, tasks > 0);
  }
  EXPECT_EQ(pieces, 0);
  Loops one;
  tenon_core_parallel(&call, Loops::task, &one, 1, 1000000000, 0);
  EXPECT_TRUE(one.ranOnce(1));
  EXPECT_EQ(pieces, 0);
}

// Tasks are grouped into pieces: as many as the work justifies and threads can
// share evenly. Every task is in one piece.
TEST(Parallel, WorkIsHandedOutInPieces) {
  for (int64_t flops : {100000, 333333, 1000000, 30000000})
    for (int64_t tasks : {2, 3, 17, 1000}) {
      int64_t pieces = 0;
      tenon_call call = {};
      call.parallel = Loops::pool;
      call.pool = &pieces;
      Loops loops;
      tenon_core_parallel(&call, Loops::task, &loops, tasks, flops, 0);
      EXPECT_TRUE(loops.ranOnce(tasks)) << flops << " " << tasks;
      int64_t worth = flops / 32000, even = worth < 8 ? 2 : 8;
      EXPECT_EQ(pieces, std::min(tasks, (worth + even - 1) / even * even));
      call.parallel = nullptr;
      Loops serial;
      tenon_core_parallel(&call, Loops::task, &serial, tasks, flops, 0);
      EXPECT_TRUE(serial.ranOnce(tasks)) << flops << " " << tasks;
    }
}

// In successive loops a thread must get the tasks on equal parts of the data.
TEST(Parallel, HalfOfThePiecesIsHalfOfTheTasks) {
  for (int64_t tasks : {6, 14, 1000, 100001}) {
    tenon_call call = {};
    call.parallel = [](void *, tenon_task_fn fn, void *args, int64_t count) {
      fn(args, 0, count / 2);
    };
    auto count = [](void *args, int64_t begin, int64_t end) {
      *static_cast<int64_t *>(args) += end - begin;
    };
    int64_t half = 0;
    tenon_core_parallel(&call, count, &half, tasks, 128000, 0);
    EXPECT_EQ(half, tasks / 2);
  }
}

TEST(Parallel, CancelledWorkStopsWithinAKernel) {
  tenon_call call = {};
  Loops loops;
  call.cancel = &loops.cancel;
  loops.cancelAt = 300;
  EXPECT_EQ(tenon_core_end(&call, 0, 0, 0), 0);
  tenon_core_parallel(&call, Loops::task, &loops, 1000, 1000000000, 0);
  EXPECT_EQ(loops.seen[300], 1);
  EXPECT_EQ(loops.seen[400], 0);
  EXPECT_EQ(call.fault.code, TENON_FAULT_CANCELLED);
  EXPECT_NE(tenon_core_end(&call, 1, 0, 0), 0);
}

// Tasks of a few milliseconds run in one call, so that they can share their
// preparations: the cancel flag is not polled between them.
TEST(Parallel, OnlyLongWorkIsTornApart) {
  auto callsFor = [](int64_t flops, int64_t bytes) {
    tenon_call call = {};
    Loops loops;
    tenon_core_parallel(&call, Loops::task, &loops, 8, flops, bytes);
    EXPECT_TRUE(loops.ranOnce(8));
    return int(loops.calls);
  };
  EXPECT_EQ(callsFor(200000000, 20000000), 1);
  EXPECT_EQ(callsFor(512000000, 64000000), 4);
}

TEST(Parallel, TheProfileHearsOfEachLaunch) {
  std::vector<std::vector<int64_t>> heard;
  tenon_call call = {};
  call.profile_state = &heard;
  call.profile = [](void *state, int32_t launch, int32_t ended, int64_t flops,
                    int64_t bytes) {
    static_cast<std::vector<std::vector<int64_t>> *>(state)->push_back(
        {launch, ended, flops, bytes});
  };
  tenon_core_begin(&call, 7, 20, 30);
  EXPECT_EQ(tenon_core_end(&call, 7, 20, 30), 0);
  EXPECT_EQ(heard, (std::vector<std::vector<int64_t>>{{7, 0, 20, 30},
                                                      {7, 1, 20, 30}}));
}

} // namespace
