// Tests threads. Many contexts on one model give the bits of one thread; a
// context refuses a second caller; cancellation and deadlines end a run without
// damage. Also built with the thread sanitizer.
#include "test/runtime/Session.h"
#include "test/runtime/pool_door.h"

#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>

using namespace tenon::test;
using Clock = std::chrono::steady_clock;

namespace {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif
#ifdef UNDER_SANITIZER
constexpr int numThreads = 8, runsPerThread = 20;
#else
constexpr int numThreads = 64, runsPerThread = 160;
#endif

std::vector<float> series(tenon_context *context, int64_t count) {
  std::vector<float> x(static_cast<size_t>(count)), y(x.size(), -1);
  std::iota(x.begin(), x.end(), 0.5f);
  std::vector<int64_t> dims{count}, yDims{0};
  tenon_tensor input = tensorOn(x, dims), output = tensorOn(y, yDims);
  EXPECT_EQ(tenon_run(context, "series", &input, 1, &output, 1), TENON_OK)
      << tenon_context_text(context);
  return y;
}

bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

tenon_status spin(tenon_context *context, int64_t count) {
  std::vector<int64_t> steps{count}, done{0}, none;
  tenon_tensor input = tensorOn(steps, none), output = tensorOn(done, none);
  tenon_status status = tenon_run(context, "spin", &input, 1, &output, 1);
  EXPECT_EQ(done[0], status == TENON_OK ? count : 0);
  return status;
}

TEST(Threads, TheSameBitsForAnyNumber) {
  Session one(artifact("hand.so"), 1);
  for (int32_t threads : {2, 3, 5, 0}) {
    Session many(artifact("hand.so"), threads);
    for (int64_t count : {0, 1, 2, 3, 16, 1000})
      EXPECT_TRUE(
          sameBits(series(one.context, count), series(many.context, count)))
          << threads << " " << count;
  }
}

TEST(Threads, ManyContextsOnOneModel) {
  Session session(artifact("hand.so"), 3);
  std::vector<float> expected = series(session.context, 333);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t)
    threads.emplace_back([&] {
      tenon_context *context;
      ASSERT_EQ(tenon_context_create(session.model, nullptr, &context),
                TENON_OK);
      for (int i = 0; i < runsPerThread; ++i)
        wrong += !sameBits(series(context, 333), expected);
      tenon_context_destroy(context);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, ABusyContextRefuses) {
  Session session;
  std::thread runner(
      [&] { EXPECT_EQ(spin(session.context, INT64_MAX), TENON_CANCELLED); });
  tenon_status status = TENON_OK;
  for (int i = 0; i < 5000 && status == TENON_OK; ++i) {
    status = tenon_context_set_timeout(session.context, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(status, TENON_BAD_INPUT);
  EXPECT_EQ(session.text().rfind("the context is busy", 0), 0u);
  MainCall call(1);
  EXPECT_EQ(call.run(session.context), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_context_destroy(session.context), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_close(session.model), TENON_BAD_INPUT);
  tenon_cancel(session.context);
  tenon_cancel(session.context);
  runner.join();
  EXPECT_EQ(call.run(session.context), TENON_OK);
  EXPECT_TRUE(call.isRight());
  EXPECT_EQ(session.text(), "");
}

TEST(Threads, CancelBeforeTheStart) {
  Session session;
  tenon_cancel(session.context);
  tenon_cancel(session.context);
  EXPECT_EQ(spin(session.context, 10), TENON_CANCELLED);
  EXPECT_EQ(session.text(), "cancelled");
  EXPECT_EQ(spin(session.context, 10), TENON_OK);
}

// Other programs on the machine may delay a thread, so the quickest of a few
// rounds counts.
TEST(Threads, CancelReturnsSoon) {
  Session session;
  Clock::duration quickest = Clock::duration::max();
  for (int i = 0; i < 5; ++i) {
    Clock::time_point asked;
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      asked = Clock::now();
      tenon_cancel(session.context);
    });
    EXPECT_EQ(spin(session.context, INT64_MAX), TENON_CANCELLED);
    Clock::time_point back = Clock::now();
    canceller.join();
    quickest = std::min(quickest, back - asked);
  }
  EXPECT_LT(quickest, std::chrono::milliseconds(50));
}

TEST(Threads, Deadlines) {
  tenon_context_options options = {};
  options.timeout_ns = 1000000;
  Session session(artifact("hand.so"), 2, options);
  Clock::duration quickest = Clock::duration::max();
  for (int i = 0; i < 5; ++i) {
    Clock::time_point start = Clock::now();
    EXPECT_EQ(spin(session.context, INT64_MAX), TENON_CANCELLED);
    EXPECT_EQ(session.text(), "past the deadline of 1.000 ms");
    quickest = std::min(quickest, Clock::now() - start);
  }
  EXPECT_GE(quickest, std::chrono::milliseconds(1));
  EXPECT_LT(quickest, std::chrono::milliseconds(51));
  EXPECT_EQ(tenon_context_set_timeout(session.context, -1), TENON_BAD_INPUT);
  ASSERT_EQ(tenon_context_set_timeout(session.context, 60000000000), TENON_OK);
  EXPECT_EQ(spin(session.context, 1000), TENON_OK);
  ASSERT_EQ(tenon_context_set_timeout(session.context, 0), TENON_OK);
  EXPECT_EQ(spin(session.context, 1000), TENON_OK);
}

TEST(Threads, ADeadlineEndsWithItsRun) {
  Session session;
  ASSERT_EQ(tenon_context_set_timeout(session.context, 300000000), TENON_OK);
  EXPECT_EQ(spin(session.context, 10), TENON_OK);
  ASSERT_EQ(tenon_context_set_timeout(session.context, 0), TENON_OK);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_EQ(spin(session.context, 10), TENON_OK) << session.text();
}

TEST(Threads, DeadlinesOfManyContexts) {
  Session session;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      tenon_context_options options = {};
      options.struct_size = sizeof options;
      options.timeout_ns = (t + 1) * 2000000;
      tenon_context *context;
      ASSERT_EQ(tenon_context_create(session.model, &options, &context),
                TENON_OK);
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(spin(context, INT64_MAX), TENON_CANCELLED);
      tenon_context_destroy(context);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// A host's own pool: two threads per loop, which take tasks alternately.
void hostParallel(void *pool, tenon_task_fn fn, void *args, int64_t count) {
  ++*static_cast<std::atomic<int> *>(pool);
  std::thread odd([=] {
    for (int64_t i = 1; i < count; i += 2)
      fn(args, i, i + 1);
  });
  for (int64_t i = 0; i < count; i += 2)
    fn(args, i, i + 1);
  odd.join();
}

TEST(Threads, TheHostsOwnPool) {
  Session plain(artifact("hand.so"), 1);
  std::atomic<int> loops{0};
  tenon_open_options options = {};
  options.struct_size = sizeof options;
  options.parallel = hostParallel;
  options.parallel_pool = &loops;
  tenon_model *model;
  tenon_context *context;
  ASSERT_EQ(tenon_open(artifact("hand.so").c_str(), &options, &model),
            TENON_OK);
  ASSERT_EQ(tenon_context_create(model, nullptr, &context), TENON_OK);
  EXPECT_TRUE(sameBits(series(plain.context, 50), series(context, 50)));
  EXPECT_GE(loops, 2);
  tenon_context_destroy(context);
  tenon_close(model);
}

#ifndef UNDER_SANITIZER
TEST(Threads, AForkedChildRuns) {
  Session session(artifact("hand.so"), 3);
  std::vector<float> expected = series(session.context, 100);
  pid_t child = fork();
  if (child == 0) {
    bool right = sameBits(series(session.context, 100), expected);
    tenon_context_set_timeout(session.context, 1000000);
    right &= spin(session.context, INT64_MAX) == TENON_CANCELLED;
    right &= tenon_context_destroy(session.context) == TENON_OK;
    right &= tenon_close(session.model) == TENON_OK;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Threads, OnlyTheCpusAllowed) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(allowed_cpus(), 1);
    Session session(artifact("hand.so"), 0);
    EXPECT_EQ(infoOf(session.model).threads, 1);
  }).join();
}
#endif

struct Marks {
  std::vector<std::atomic<int>> seen;
  explicit Marks(size_t count) : seen(count) {}
  static void mark(void *args, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      ++static_cast<Marks *>(args)->seen[size_t(i)];
  }
};

TEST(Pool, EveryTaskRunsOnce) {
  for (int32_t threads : {1, 2, 4, 9}) {
    void *pool = pool_create(threads);
    for (int round = 0; round < 50; ++round)
      for (int64_t count : {0, 1, 2, 7, 64, 1001}) {
        Marks marks{size_t(count)};
        pool_run(pool, Marks::mark, &marks, count);
        for (std::atomic<int> &seen : marks.seen)
          ASSERT_EQ(seen, 1);
      }
    pool_destroy(pool);
  }
}

TEST(Pool, MoreTasksThanAreCounted) {
  for (int32_t threads : {2, 5}) {
    void *pool = pool_create(threads);
    for (int64_t count : {16384, 16385, 40000}) {
      Marks marks{size_t(count)};
      pool_run(pool, Marks::mark, &marks, count);
      for (std::atomic<int> &seen : marks.seen)
        ASSERT_EQ(seen, 1);
    }
    pool_destroy(pool);
  }
}

// A thread must get equal parts of the data in successive loops, so that they
// are in its cache.
TEST(Pool, EachThreadStartsInItsOwnShare) {
  void *pool = pool_create(2);
  for (int round = 0; round < 3; ++round) {
    struct Meeting {
      std::thread::id caller = std::this_thread::get_id();
      std::atomic<int64_t> first[2] = {-1, -1};
      void come(int who, int64_t begin) {
        int64_t none = -1;
        first[who].compare_exchange_strong(none, begin);
        while (first[1 - who] < 0)
          std::this_thread::yield();
      }
    } meeting;
    pool_run(
        pool,
        [](void *args, int64_t begin, int64_t) {
          auto *m = static_cast<Meeting *>(args);
          m->come(std::this_thread::get_id() != m->caller, begin);
        },
        &meeting, 64);
    EXPECT_EQ(meeting.first[0], 0);
    EXPECT_EQ(meeting.first[1], 32);
  }
  pool_destroy(pool);
}

TEST(Pool, SeveralThreadsTakePart) {
  void *pool = pool_create(2);
  struct Meeting {
    std::atomic<int> arrived{0};
  } meeting;
  // Ends only when two threads are inside at the same time.
  pool_run(
      pool,
      [](void *args, int64_t begin, int64_t end) {
        auto *m = static_cast<Meeting *>(args);
        m->arrived += int(end - begin);
        while (m->arrived < 2)
          std::this_thread::yield();
      },
      &meeting, 2);
  EXPECT_EQ(meeting.arrived, 2);
  pool_destroy(pool);
}

TEST(Pool, ManyShortLoops) {
  for (int32_t threads : {2, 3, 8}) {
    void *pool = pool_create(threads);
    for (int round = 0; round < 500; ++round) {
      Marks marks(5);
      pool_run(pool, Marks::mark, &marks, 5);
      for (std::atomic<int> &seen : marks.seen)
        ASSERT_EQ(seen, 1);
    }
    pool_destroy(pool);
  }
}

TEST(Pool, IdleWorkersSleep) {
  void *pool = pool_create(2);
  auto used = [] {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
  };
  Marks marks(100);
  pool_run(pool, Marks::mark, &marks, 100);
  auto before = used();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(used() - before, std::chrono::milliseconds(20));
  pool_destroy(pool);
}

// Waking excludes CPUs from the workers' affinity; all must be allowed again.
TEST(Pool, WokenWorkersMayRunEverywhere) {
  void *pool = pool_create(allowed_cpus());
  for (int round = 0; round < 5; ++round) {
    Marks marks(1000);
    pool_run(pool, Marks::mark, &marks, 1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  cpu_set_t ours, theirs;
  ASSERT_EQ(sched_getaffinity(0, sizeof ours, &ours), 0);
  for (const auto &task :
       std::filesystem::directory_iterator("/proc/self/task"))
    if (sched_getaffinity(std::stoi(task.path().filename()), sizeof theirs,
                          &theirs) == 0)
      EXPECT_TRUE(CPU_EQUAL(&ours, &theirs)) << task.path();
  pool_destroy(pool);
}

// Two threads that are bound to one CPU only after the pool is made.
TEST(Pool, TwoThreadsOnOneCpu) {
  std::thread([] {
    void *pool = pool_create(2);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    for (int round = 0; round < 2000; ++round) {
      Marks marks(64);
      pool_run(pool, Marks::mark, &marks, 64);
      for (std::atomic<int> &seen : marks.seen)
        ASSERT_EQ(seen, 1);
    }
    pool_destroy(pool);
  }).join();
}

} // namespace
