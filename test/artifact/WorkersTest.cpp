// Tests threads that share work. Every task runs once, on any number of
// threads. A thread that waits inside a task runs only tasks of the group it
// waits for. There are no more threads than tasks, and errors on them are
// reported like the caller's.
#include "compiler/codegen/Workers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <csignal>
#include <filesystem>
#include <thread>
#include <unistd.h>

using namespace tenon;

namespace {

TEST(Workers, EachPartIsWorkedOnOnce) {
  for (int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> seen(50);
    Workers workers(threads);
    EXPECT_EQ(workers.getMaxConcurrency(), unsigned(threads));
    workers.forEach(50, [&](unsigned part) { ++seen[part]; });
    for (std::atomic<int> &each : seen)
      EXPECT_EQ(each, 1);
  }
}

TEST(Workers, WaitingInsideATaskBeginsNoOther) {
  for (int threads : {1, 3}) {
    Workers workers(threads);
    std::atomic<int> inner{0};
    workers.forEach(20, [&](unsigned) {
      thread_local bool busy = false;
      EXPECT_FALSE(busy);
      busy = true;
      workers.forEach(5, [&](unsigned) { ++inner; });
      busy = false;
    });
    EXPECT_EQ(inner, 100);
  }
}

size_t threadsOfProcess() {
  std::filesystem::directory_iterator tasks("/proc/self/task"), end;
  return size_t(std::distance(tasks, end));
}

TEST(Workers, NoMoreThreadsThanTasks) {
  size_t before = threadsOfProcess();
  for (int jobs : {1000, INT_MAX}) {
    Workers workers(jobs);
    EXPECT_EQ(threadsOfProcess(), before);
    std::atomic<int> done{0};
    for (int i = 0; i < 20; ++i)
      workers.forEach(3, [&](unsigned) { ++done; });
    EXPECT_EQ(done, 60);
    EXPECT_LE(threadsOfProcess(), before + 2);
  }
}

TEST(Workers, OneACpuUnlessToldHowMany) {
  unsigned cpus = std::max(1u, std::thread::hardware_concurrency());
  for (int jobs : {0, -1, INT_MIN})
    EXPECT_EQ(Workers(jobs).getMaxConcurrency(), cpus);
}

/// Calls `work` on a thread other than the caller's.
template <typename Work> auto onOtherThread(Work work) {
  Workers workers(2);
  llvm::ThreadPoolTaskGroup group(workers);
  // Do not wait for the group: this thread would then run the task.
  auto result = workers.async(group, work);
  while (result.wait_for(std::chrono::milliseconds(0)) !=
         std::future_status::ready)
    usleep(100);
  return result.get();
}

TEST(Workers, InterruptsAreForTheCaller) {
  EXPECT_TRUE(onOtherThread([] {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return sigismember(&blocked, SIGINT) == 1 &&
           sigismember(&blocked, SIGXCPU) == 1;
  }));
}

/// Installs a handler for faults, as tools do.
void exitOnFaults() {
  struct sigaction action = {};
  action.sa_handler = [](int) { _exit(70); };
  action.sa_flags = SA_ONSTACK;
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(fault, &action, nullptr);
}

TEST(WorkersDeathTest, FaultsReachTheirHandler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    EXPECT_EXIT(
        {
          exitOnFaults();
          onOtherThread([fault] { return raise(fault); });
        },
        testing::ExitedWithCode(70), "");
}

int endlessly(volatile char *caller) {
  volatile char frame[1024];
  frame[0] = *caller;
  if (frame[0] != 0)
    return 0;
  return endlessly(frame) + frame[0];
}

TEST(WorkersDeathTest, TheHandlerHasAStackWhereTheThreadHasNone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        exitOnFaults();
        onOtherThread([] {
          volatile char first = 0;
          return endlessly(&first);
        });
      },
      testing::ExitedWithCode(70), "");
}

} // namespace
