// Signals at chosen and at random moments: the compiler ends with the shell's
// code, the files are the old ones or the new, nothing else is left in the
// folder and nothing it started goes on.
#include "test/process/CompileTest.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <random>
#include <unistd.h>

namespace tenon::test {
namespace {

class Interrupts : public CompileTest {
protected:
  /// One interrupted compilation, or one that was quicker.
  void expectClean(const Ended &ended, int number, const Files &old,
                   const Files &fresh, const std::string &at) {
    EXPECT_TRUE(ended.code == 128 + number || ended.code == 0)
        << ended.code << ": " << at << ended.err;
    bool isOld = differs(old).empty(), isFresh = differs(fresh).empty();
    EXPECT_TRUE(isOld || isFresh) << differs(old) << ": " << at;
    if (ended.code == 0)
      EXPECT_TRUE(isFresh) << at;
  }
};

TEST_F(Interrupts, AtEveryCallThatWrites) {
  const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
  const Files fresh = made(beside, "new.onnx");
  const Files old = made(beside, "old.onnx");
  for (long n = 1; n < 1000; ++n) {
    clear();
    restore(old);
    int number = numbers[n % 3];
    faults.plan(WRITE_FAULT_SIGNAL, number, n);
    Ended ended = compileWithFaults(beside);
    expectClean(ended, number, old, fresh,
                "call " + std::to_string(n) + ", " + faults->call);
    if (!faults->fired) {
      EXPECT_GT(n, 10);
      return;
    }
    EXPECT_EQ(ended.code, 128 + number) << n << faults->call;
  }
  FAIL() << "no compilation got through";
}

TEST_F(Interrupts, AtRandomTimes) {
  const Files fresh = made(beside, "new.onnx");
  const Files old = made(beside, "old.onnx");
  auto start = std::chrono::steady_clock::now();
  made(beside, "old.onnx");
  auto whole = std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::steady_clock::now() - start)
                   .count();
  std::mt19937 random(std::random_device{}());
  const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  int interrupted = 0;
  for (int i = 0; i < 20; ++i) {
    clear();
    restore(old);
    TenonProcess process(compiling(beside, "new.onnx"));
    auto delay = useconds_t(random() % (whole + 1));
    usleep(delay);
    int number = numbers[i % 4];
    kill(process.id(), number);
    Ended ended = process.wait();
    EXPECT_TRUE(leftNothingRunning());
    std::string at = std::to_string(delay) + " us";
    // Before it has installed its handlers the system ends it.
    if (ended.code == -number)
      EXPECT_EQ(differs(old), "") << at;
    else
      expectClean(ended, number, old, fresh, at);
    interrupted += ended.code != 0;
  }
  EXPECT_GT(interrupted, 0);
}

TEST_F(Interrupts, TheLinkerEndsToo) {
  for (const Recipe &recipe : {shared, program})
    for (int number : {SIGINT, SIGTERM, SIGHUP}) {
      clear();
      // The first call in a child is the linker's, and it never returns.
      faults.plan(WRITE_FAULT_HANG, 0, 1);
      Command command = compiling(recipe, "new.onnx");
      faults.applyTo(command);
      TenonProcess process(command);
      for (int i = 0; i < 3000 && !faults->fired; ++i)
        usleep(10000);
      ASSERT_TRUE(faults->fired);
      kill(process.id(), number);
      Ended ended = process.wait();
      EXPECT_EQ(ended.code, 128 + number) << ended.err;
      EXPECT_TRUE(leftNothingRunning());
      EXPECT_EQ(differs({}), "");
    }
}

TEST_F(Interrupts, AClosedOutput) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  Command command = compiling(assembly, "new.onnx");
  command.arguments[4] = "-";
  command.environment["TMPDIR"] = output.path;
  command.prepare = [&] { dup2(ends[1], 1); };
  TenonProcess process(command);
  EXPECT_EQ(process.wait().code, 128 + SIGPIPE);
  close(ends[1]);
  EXPECT_EQ(differs({}), "");
}

} // namespace
} // namespace tenon::test
