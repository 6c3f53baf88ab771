// Sends signals at chosen and random moments. The compiler must end with the
// shell's exit code, and the files must be all old or all new. Nothing else may
// stay in the folder, and no child process may go on.
#include "test/process/CompileTest.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <random>
#include <sys/syscall.h>
#include <unistd.h>

namespace tenon::test {
namespace {

class Interrupts : public CompileTest {
protected:
  /// Checks a compilation that was interrupted, or that ended before the
  /// signal.
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
    // Before it has installed its handlers, the signal kills it.
    if (ended.code == -number)
      EXPECT_EQ(differs(old), "") << at;
    else
      expectClean(ended, number, old, fresh, at);
    interrupted += ended.code != 0;
  }
  EXPECT_GT(interrupted, 0);
}

TEST_F(Interrupts, TheLinkerEndsToo) {
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    clear();
    // The first call in a child is that of the linker of programs; it never
    // returns.
    faults.plan(WRITE_FAULT_HANG, 0, 1);
    Command command = compiling(program, "new.onnx");
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

/// The threads of a process, the oldest first; empty if it has ended.
std::vector<pid_t> threadsOf(pid_t process) {
  std::vector<pid_t> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator
           it("/proc/" + std::to_string(process) + "/task", error),
       end;
       !error && it != end; it.increment(error))
    threads.push_back(std::stoi(it->path().filename()));
  std::sort(threads.begin(), threads.end());
  return threads;
}

TEST_F(Interrupts, AFaultOfAnotherThreadIsTold) {
  int told = 0;
  // A compilation may end before its newest thread is hit.
  for (int i = 0; i < 50 && told < 5; ++i) {
    Command command = compiling(beside, "new.onnx");
    command.arguments.push_back("--jobs=3");
    command.environment["TMPDIR"] = models.path;
    TenonProcess process(command);
    std::vector<pid_t> threads;
    // Wait for a thread besides the main thread and the signal watcher.
    for (int n = 0; n < 10000 && threads.size() < 3; ++n) {
      usleep(100);
      threads = threadsOf(process.id());
    }
    // Several faults at once must give one report.
    for (size_t t = threads.size(); t-- > 2;)
      syscall(SYS_tgkill, process.id(), threads[t], SIGSEGV);
    Ended ended = process.wait();
    if (ended.code == 0)
      continue;
    ++told;
    EXPECT_EQ(ended.code, 70);
    std::string script =
        models / ("tenon-crash-" + std::to_string(process.id()) + ".sh");
    EXPECT_NE(readWhole(script).find("--jobs=3"), std::string::npos);
    size_t at = ended.err.find("invalid memory access");
    EXPECT_NE(at, std::string::npos) << ended.err;
    EXPECT_EQ(ended.err.find("invalid", at + 1), std::string::npos);
    EXPECT_NE(ended.err.find(script), std::string::npos) << ended.err;
  }
  EXPECT_GT(told, 0);
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
