// Threads that share work: everything is done once, on any number of them, and
// whoever waits inside a task does nothing of another group meanwhile.
#include "compiler/codegen/Workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <unistd.h>

using namespace tenon;

namespace {

TEST(Workers, EachPartIsWorkedOnOnce) {
  for (unsigned threads : {1u, 2u, 7u}) {
    std::vector<std::atomic<int>> seen(50);
    Workers workers(threads);
    EXPECT_EQ(workers.getMaxConcurrency(), threads);
    workers.forEach(50, [&](unsigned part) { ++seen[part]; });
    for (std::atomic<int> &each : seen)
      EXPECT_EQ(each, 1);
  }
}

TEST(Workers, WaitingInsideATaskBeginsNoOther) {
  for (unsigned threads : {1u, 3u}) {
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

TEST(Workers, SignalsAreForTheCaller) {
  Workers workers(2);
  llvm::ThreadPoolTaskGroup group(workers);
  // Not waited for here, so it runs on the other thread.
  std::shared_future<bool> held = workers.async(group, [] {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return sigismember(&blocked, SIGINT) == 1;
  });
  while (held.wait_for(std::chrono::milliseconds(0)) !=
         std::future_status::ready)
    usleep(100);
  EXPECT_TRUE(held.get());
}

} // namespace
