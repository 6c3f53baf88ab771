// Lets the disk fail, or kills the compiler, at every single call of the part
// that writes. The files must be all old or all new. A failure's message must
// name the file and the reason.
#include "test/process/CompileTest.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <set>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::test {
namespace {

class WriteFaults : public CompileTest {
protected:
  /// Lets every call fail in turn, until a compilation succeeds.
  void failEveryCall(const Recipe &recipe, bool lasting) {
    const Files fresh = made(recipe, "new.onnx");
    Files old;
    for (const std::string &name : recipe.names)
      old[name] = "the old " + name;
    clear();
    restore(old);
    const int errors[] = {ENOSPC, EIO, EDQUOT};
    std::set<std::string> failed;
    for (long n = 1; n < 1000; ++n) {
      int error = errors[n % 3];
      faults.plan(WRITE_FAULT_ERROR, error, n, lasting);
      Ended ended = compileWithFaults(recipe);
      std::string at = "call " + std::to_string(n) + ", " + faults->call +
                       ", " + strerror(error) + ": " + ended.err;
      if (!faults->fired) {
        EXPECT_EQ(ended.code, 0) << at;
        EXPECT_EQ(differs(fresh), "");
        EXPECT_GT(n, 5);
        EXPECT_TRUE(failed.count("write")) << "no write was seen to fail";
        return;
      }
      if (ended.code == 0) {
        // The compiler used a fallback, or the call did not matter.
        EXPECT_TRUE(mayBeSurvived()) << at;
        EXPECT_EQ(differs(fresh), "") << at;
        restore(old);
        continue;
      }
      failed.insert(faults->call);
      EXPECT_EQ(ended.code, 6) << at;
      EXPECT_EQ(differs(old), "") << at;
      EXPECT_NE(ended.err.find(strerror(error)), std::string::npos) << at;
      EXPECT_NE(ended.err.find(output / "m"), std::string::npos) << at;
    }
    FAIL() << "no compilation got through";
  }

  /// True if the failing call has a fallback: lld can read and write instead of
  /// mapping, copy instead of renaming, and rename instead of exchanging names.
  /// A close may fail for a file that is then removed.
  bool mayBeSurvived() const {
    std::string call = faults->call;
    return call == "mmap" || call == "mmap64" || call == "close" ||
           call == "renameat2" || call == "rename by the linker";
  }

  /// Kills the compiler at every call in turn, and calls `check` on the folder
  /// each time.
  void killAtEveryCall(const Recipe &recipe,
                       const std::function<void(const std::string &)> &check) {
    const Files fresh = made(recipe, "new.onnx");
    const Files old = made(recipe, "old.onnx");
    for (const std::string &name : recipe.names)
      if (name != "m.h")
        ASSERT_NE(old.at(name), fresh.at(name));
    int killed = 0;
    for (long n = 1; n < 1000; ++n) {
      restore(old);
      faults.plan(WRITE_FAULT_KILL, 0, n);
      Ended ended = compileWithFaults(recipe);
      std::string at =
          "killed at call " + std::to_string(n) + ", " + faults->call;
      if (!faults->fired) {
        EXPECT_EQ(ended.code, 0) << at << ended.err;
        break;
      }
      EXPECT_EQ(ended.code, -SIGKILL) << at;
      ++killed;
      for (const auto &[name, content] : written()) {
        // Hidden files are invisible to programs that look for artifacts.
        if (name[0] == '.')
          continue;
        ASSERT_TRUE(old.count(name)) << name << " " << at;
        EXPECT_TRUE(content == old.at(name) || content == fresh.at(name))
            << name << " " << at;
      }
      check(at);
    }
    EXPECT_GT(killed, 10);
    // The compilation that succeeded must have removed the leftovers of all
    // others.
    EXPECT_EQ(differs(fresh), "");
  }
};

TEST_F(WriteFaults, EveryCallFailsForASharedObject) {
  failEveryCall(shared, false);
}
TEST_F(WriteFaults, EveryCallFailsForAnObjectAndItsHeader) {
  failEveryCall(object, false);
}
TEST_F(WriteFaults, EveryCallFailsForAnObjectAndItsRule) {
  failEveryCall(objectAndRule, false);
}
TEST_F(WriteFaults, EveryCallFailsForAProgram) {
  failEveryCall(program, false);
}
TEST_F(WriteFaults, EveryCallFailsForWeightsBeside) {
  failEveryCall(beside, false);
}
TEST_F(WriteFaults, EveryCallFailsForAnObjectAndWeightsBeside) {
  failEveryCall(objectBeside, false);
}
TEST_F(WriteFaults, EveryCallFailsForAssembly) {
  failEveryCall(assembly, false);
}
TEST_F(WriteFaults, EveryCallFailsForThePrintedStage) {
  failEveryCall({{"--stop-after=imported"}, {"m.mlir"}}, false);
}
TEST_F(WriteFaults, ADiskThatStaysFull) { failEveryCall(beside, true); }

TEST_F(WriteFaults, AKilledCompilerLeavesTheOldOrTheNew) {
  const std::vector<float> before = expectedRow(1), after = expectedRow(2);
  for (const Recipe &recipe : {shared, beside})
    killAtEveryCall(recipe, [&](const std::string &at) {
      std::vector<float> row = runArtifact(output / "m.so");
      EXPECT_TRUE(row == before || row == after) << at;
    });
}

TEST_F(WriteFaults, AKilledCompilerLeavesWholeObjects) {
  killAtEveryCall(object, [](const std::string &) {});
}

TEST_F(WriteFaults, AFirstCompilationKilledLeavesNothingOrAll) {
  const Files fresh = made(beside, "new.onnx");
  const std::vector<float> after = expectedRow(2);
  for (long n = 1; n < 1000; ++n) {
    for (const std::string &name : beside.names)
      std::filesystem::remove(output / name);
    faults.plan(WRITE_FAULT_KILL, 0, n);
    Ended ended = compileWithFaults(beside);
    if (std::filesystem::exists(output / "m.so"))
      EXPECT_EQ(runArtifact(output / "m.so"), after) << n << faults->call;
    if (!faults->fired)
      break;
  }
  EXPECT_EQ(differs(fresh), "");
}

TEST_F(WriteFaults, StreamsThatAreFull) {
  Command command = compiling(assembly, "new.onnx");
  command.environment["TMPDIR"] = output.path;
  command.arguments[4] = "/dev/full";
  Ended ended = runTenon(command);
  EXPECT_EQ(ended.code, 6);
  EXPECT_NE(ended.err.find("/dev/full"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find(strerror(ENOSPC)), std::string::npos) << ended.err;

  command.arguments[4] = "-";
  command.prepare = [] { dup2(open("/dev/full", O_WRONLY), 1); };
  ended = runTenon(command);
  EXPECT_EQ(ended.code, 6);
  EXPECT_NE(ended.err.find(strerror(ENOSPC)), std::string::npos) << ended.err;
  EXPECT_EQ(differs({}), "");
}

TEST_F(WriteFaults, ASmallFileSystem) {
  for (const Recipe &recipe : {shared, object, program, beside})
    for (int kilobytes : {4, 16, 64, 100, 128, 160}) {
      Command command = compiling(recipe, "new.onnx");
      command.prepare = [&, this] {
        std::string size = "size=" + std::to_string(kilobytes) + "k";
        if (unshare(CLONE_NEWNS) != 0 ||
            mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            mount("none", output.path.c_str(), "tmpfs", 0, size.c_str()) != 0)
          _exit(99);
      };
      Ended ended = runTenon(command);
      if (ended.code == 99)
        GTEST_SKIP() << "mounting needs a privilege";
      // The weights are 80 KiB, so larger limits may suffice.
      if (ended.code == 0 && kilobytes > 80)
        continue;
      EXPECT_EQ(ended.code, 6) << kilobytes << ended.err;
      EXPECT_NE(ended.err.find(output / "m"), std::string::npos) << ended.err;
      EXPECT_NE(ended.err.find(strerror(ENOSPC)), std::string::npos)
          << ended.err;
      EXPECT_EQ(ended.err.find("bug report"), std::string::npos) << ended.err;
    }
}

} // namespace
} // namespace tenon::test
