// Tests the cache of `tenon run`. A model is found only if everything is equal,
// by any number of processes at once. Entries are complete after any kill.
#include "test/process/CacheFixture.h"

#include <fcntl.h>
#include <memory>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Cache, FoundWhenAllIsEqual) {
  Ended ended = runTenon(running("new.onnx"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(compiled(ended)) << ended.err;
  EXPECT_EQ(row(), expectedRow(2));
  struct stat folder;
  ASSERT_EQ(stat(root().c_str(), &folder), 0);
  EXPECT_EQ(int(folder.st_mode & 0777), 0700);

  auto expectFound = [&](const Command &command, bool found, const char *why) {
    Ended ended = runTenon(command);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(compiled(ended), !found) << why;
    EXPECT_EQ(warnings(ended), 0) << ended.err;
  };
  fs::remove(result());
  expectFound(running("new.onnx"), true, "again");
  EXPECT_EQ(row(), expectedRow(2));
  fs::last_write_time(models / "new.onnx", fs::file_time_type::clock::now());
  expectFound(running("new.onnx"), true, "touched");
  fs::create_directory(models / "copy");
  fs::copy(models / "new.onnx", models / "copy/new.onnx");
  expectFound(running("copy/new.onnx"), true, "elsewhere");
  Command threads = running("new.onnx");
  threads.arguments.push_back("--threads=1");
  expectFound(threads, true, "a flag of the run");
  EXPECT_EQ(entries().size(), 1u);

  Command level = running("new.onnx");
  level.arguments.push_back("-O1");
  expectFound(level, false, "another level");
  Command precision = running("new.onnx");
  precision.arguments.push_back("--matmul-precision=bf16");
  expectFound(precision, false, "another precision");
  Command cpu = running("new.onnx");
  cpu.arguments[2] = "-mcpu=x86-64-v2";
  expectFound(cpu, false, "another processor");
  fs::copy_file(models / "old.onnx", models / "new.onnx",
                fs::copy_options::overwrite_existing);
  expectFound(running("new.onnx"), false, "other weights");
  EXPECT_EQ(row(), expectedRow(1));
  EXPECT_EQ(entries().size(), 5u);
  EXPECT_TRUE(leftovers().empty());
}

TEST_F(Cache, DataBesideTheModelCount) {
  std::string data = writeModelApart(models);
  EXPECT_TRUE(compiled(runTenon(running("apart.onnx"))));
  EXPECT_FALSE(compiled(runTenon(running("apart.onnx"))));
  EXPECT_EQ(row(), expectedRow(2));
  data.back() ^= '\x80'; // the sign of the last weight
  models.write("w.bin", data);
  EXPECT_TRUE(compiled(runTenon(running("apart.onnx"))));
  EXPECT_NE(row(), expectedRow(2));
  data.back() ^= '\x80'; // the sign of the last weight
  models.write("w.bin", data);
  EXPECT_FALSE(compiled(runTenon(running("apart.onnx"))));
  EXPECT_EQ(row(), expectedRow(2));
}

TEST_F(Cache, AModelThatCannotBeCompiledIsNotThere) {
  models.write("bad.onnx", "no model");
  Ended ended = runTenon(running("bad.onnx"));
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(warnings(ended), 0) << ended.err;
  ended = runTenon(caching("missing.onnx"));
  EXPECT_EQ(ended.code, 6) << ended.err;
}

TEST_F(Cache, ManyProcessesOnOneColdEntry) {
  std::vector<std::unique_ptr<TenonProcess>> processes;
  for (int i = 0; i < 16; ++i) {
    Command command = running("new.onnx");
    command.arguments.back() =
        "--output=@" + (models / ("y" + std::to_string(i) + ".npy"));
    processes.push_back(std::make_unique<TenonProcess>(command));
  }
  int compilations = 0;
  for (auto &process : processes) {
    Ended ended = process->wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(warnings(ended), 0) << ended.err;
    compilations += compiled(ended);
  }
  // All other processes waited for the first.
  EXPECT_EQ(compilations, 1);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(readWhole(models / ("y" + std::to_string(i) + ".npy")),
              readWhole(models / "y0.npy"));
  EXPECT_EQ(entries().size(), 1u);
  EXPECT_TRUE(leftovers().empty());
  EXPECT_EQ(runArtifact(cached("new.onnx")), expectedRow(2));
}

TEST_F(Cache, AKilledMakerLeavesNoEntryOrAWholeOne) {
  for (long n = 1; n < 1000; ++n) {
    clear();
    faults.plan(WRITE_FAULT_KILL, 0, n);
    Command command = running("new.onnx");
    faults.applyTo(command);
    runTenon(command);
    EXPECT_TRUE(leftNothingRunning());
    std::string at = std::to_string(n) + ", " + faults->call;
    bool fired = faults->fired;
    Ended ended = runTenon(running("new.onnx"));
    EXPECT_EQ(ended.code, 0) << at << ended.err;
    EXPECT_EQ(warnings(ended), 0) << at << ended.err;
    EXPECT_EQ(row(), expectedRow(2)) << at;
    EXPECT_EQ(entries().size(), 1u) << at;
    // A process that makes an entry removes leftovers.
    if (compiled(ended))
      EXPECT_TRUE(leftovers().empty()) << at << leftovers()[0];
    if (!fired) {
      EXPECT_GT(n, 20);
      return;
    }
  }
  FAIL() << "no run got through";
}

TEST_F(Cache, EveryCallFails) {
  for (bool lasting : {false, true})
    for (long n = 1; n < 1000; ++n) {
      clear();
      faults.plan(WRITE_FAULT_ERROR, ENOSPC, n, lasting);
      Command command = running("new.onnx");
      faults.applyTo(command);
      Ended ended = runTenon(command);
      std::string at = std::to_string(n) + ", " + faults->call;
      if (!faults->fired) {
        EXPECT_GT(n, 20);
        break;
      }
      // The runtime could not read the artifact, so the run may fail.
      if (ended.code == 6 &&
          ended.err.find("error: cannot ") != std::string::npos &&
          ended.err.find("cannot write") == std::string::npos)
        continue;
      EXPECT_EQ(ended.code, 0) << at << ended.err;
      EXPECT_LE(warnings(ended), 1) << at << ended.err;
      EXPECT_EQ(row(), expectedRow(2)) << at;
    }
}

TEST_F(Cache, ASmallFileSystem) {
  fs::create_directory(root());
  int cached = 0, refused = 0;
  for (int kilobytes : {4, 16, 64, 100, 160, 240, 1000}) {
    fs::remove(result());
    Command command = running("new.onnx");
    command.prepare = [&, this] {
      std::string size = "mode=0700,size=" + std::to_string(kilobytes) + "k";
      if (unshare(CLONE_NEWNS) != 0 ||
          mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          mount("none", root().c_str(), "tmpfs", 0, size.c_str()) != 0)
        _exit(99);
    };
    Ended ended = runTenon(command);
    if (ended.code == 99)
      GTEST_SKIP() << "mounting needs a privilege";
    EXPECT_EQ(ended.code, 0) << kilobytes << ended.err;
    EXPECT_EQ(row(), expectedRow(2)) << kilobytes;
    EXPECT_EQ(warnings(ended), !compiled(ended)) << kilobytes << ended.err;
    if (warnings(ended))
      EXPECT_NE(ended.err.find(strerror(ENOSPC)), std::string::npos)
          << ended.err;
    ++(compiled(ended) ? cached : refused);
  }
  EXPECT_GT(cached, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(Cache, TheLongestUnusedGo) {
  std::vector<std::string> paths;
  for (int i = 0; i < 4; ++i) {
    paths.push_back(cached("new.onnx", {"-O" + std::to_string(i)}));
    std::string list = fs::path(paths.back()).parent_path() / "entry";
    timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, list.c_str(), times, 0), 0);
  }
  output.write("cache/mine", "stays");
  fs::create_directory(output / "cache/tenon-of-mine");
  // Using the oldest entry makes it the most recently used.
  EXPECT_EQ(cached("new.onnx", {"-O0"}), paths[0]);
  Ended ended = runTenon(with({"cache", "--limit=200K"}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "2 removed, 2 left\n");
  EXPECT_TRUE(fs::exists(paths[0]));
  EXPECT_TRUE(fs::exists(paths[3]));
  // The environment's limit applies after each compilation.
  Command command = caching("old.onnx");
  command.environment["TENON_CACHE_LIMIT"] = "100K";
  ended = runTenon(command);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(entries().size(), 1u);
  EXPECT_TRUE(fs::exists(ended.out.substr(0, ended.out.size() - 1)));

  ended = runTenon(with({"cache"}));
  EXPECT_NE(ended.out.find("old.onnx"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("1, "), std::string::npos) << ended.out;
  EXPECT_EQ(runTenon(with({"cache", "--dir"})).out, root() + "\n");
  ended = runTenon(with({"cache", "--clear"}));
  EXPECT_EQ(ended.out, "1 removed, 0 left\n");
  EXPECT_TRUE(entries().empty());
  EXPECT_EQ(readWhole(output / "cache/mine"), "stays");
  EXPECT_TRUE(fs::exists(output / "cache/tenon-of-mine"));
}

TEST_F(Cache, EntriesInUseStay) {
  std::string path = cached("new.onnx");
  int folder = open(fs::path(path).parent_path().c_str(),
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(folder, LOCK_SH), 0);
  EXPECT_EQ(runTenon(with({"cache", "--clear"})).out, "0 removed, 1 left\n");
  close(folder);
  EXPECT_EQ(runTenon(with({"cache", "--clear"})).out, "1 removed, 0 left\n");
}

} // namespace
} // namespace tenon::test
