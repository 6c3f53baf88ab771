// Tests failing writes: whatever the reason, the old files stay unchanged and
// no part of the new ones remains.
#include "test/ChildProcess.h"
#include "test/artifact/SmallModel.h"

#include "compiler/artifact/AtomicFile.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::test {
namespace {

std::string freshFolder(const std::string &name) {
  std::string folder = std::string(TENON_TEST_FOLDER) + "/" + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

TEST(AtomicFile, ReplacesTogether) {
  std::string folder = freshFolder("together");
  writeFile(folder + "/a", "old a");
  {
    OutputFiles files;
    AtomicFile &a = files.add(folder + "/a");
    AtomicFile &b = files.add(folder + "/b", /*executable=*/true);
    ASSERT_TRUE(a.write("new a") && a.finish());
    ASSERT_TRUE(b.write("new b") && b.writeAt(0, "NEW") && b.finish());
    EXPECT_EQ(readFile(folder + "/a"), "old a");
    EXPECT_EQ(files.commit(), nullptr);
  }
  EXPECT_EQ(readFile(folder + "/a"), "new a");
  EXPECT_EQ(readFile(folder + "/b"), "NEW b");
  EXPECT_EQ(namesIn(folder), (std::vector<std::string>{"a", "b"}));
}

TEST(AtomicFile, ALateFailurePutsAllBack) {
  std::string folder = freshFolder("late");
  writeFile(folder + "/a", "old a");
  std::filesystem::create_directories(folder + "/c/full");
  {
    OutputFiles files;
    for (const char *name : {"/a", "/b", "/c"}) {
      AtomicFile &file = files.add(folder + name);
      ASSERT_TRUE(file.write("new") && file.finish());
    }
    AtomicFile *failed = files.commit(); // fails, because /c is a folder
    ASSERT_NE(failed, nullptr);
    EXPECT_EQ(failed->path(), folder + "/c");
    EXPECT_NE(failed->error(), 0);
  }
  EXPECT_EQ(readFile(folder + "/a"), "old a");
  EXPECT_EQ(namesIn(folder), (std::vector<std::string>{"a", "c"}));
}

TEST(AtomicFile, ModesFollowTheUmaskAndStaySane) {
  for (auto [mask, plain, program] :
       {std::tuple{077, 0600, 0700}, {0, 0644, 0755}, {022, 0644, 0755}}) {
    std::string folder = freshFolder("modes");
    mode_t before = umask(mask);
    OutputFiles files;
    ASSERT_TRUE(files.add(folder + "/a").finish());
    ASSERT_TRUE(files.add(folder + "/b", true).finish());
    umask(before);
    ASSERT_EQ(files.commit(), nullptr);
    struct stat info;
    stat((folder + "/a").c_str(), &info);
    EXPECT_EQ(int(info.st_mode & 07777), plain);
    stat((folder + "/b").c_str(), &info);
    EXPECT_EQ(int(info.st_mode & 07777), program);
  }
}

TEST(AtomicFile, StalePartsOfTheDeadAreRemoved) {
  std::string folder = freshFolder("stale");
  int code = inChild([&] {
    AtomicFile file(folder + "/a", false);
    if (!file.create() || !file.write("half"))
      return 1;
    kill(getpid(), SIGKILL);
    return 0;
  });
  EXPECT_EQ(code, -SIGKILL);
  ASSERT_EQ(namesIn(folder).size(), 1u);
  writeFile(folder + "/" + namesIn(folder)[0] + ".tmp1f", "a linker's");
  // The part of a living process must stay.
  std::string mine = ".tenon-" + std::to_string(getppid()) + "-7.part";
  writeFile(folder + "/" + mine, "in use");
  {
    OutputFiles files;
    ASSERT_TRUE(files.add(folder + "/b").finish());
    EXPECT_EQ(files.commit(), nullptr);
  }
  EXPECT_EQ(namesIn(folder), (std::vector<std::string>{mine, "b"}));
}

TEST(ArtifactFailures, AFileThatMayNotGrow) {
  SmallModel model("rlimit");
  for (EmitKind kind :
       {EmitKind::Object, EmitKind::Shared, EmitKind::Assembly}) {
    writeFile(model.path("small.so"), "old");
    for (rlim_t limit : {0, 100, 1000, 3000}) {
      int code = inChild([&] {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit room = {limit, limit};
        setrlimit(RLIMIT_FSIZE, &room);
        CompileReport report = model.write("small.so", kind);
        return report.status == Status::Io && !model.diagnostics.empty() ? 42
               : report.status == Status::Success ? 0
                                                  : int(report.status);
      });
      EXPECT_EQ(code, 42) << int(kind) << " " << limit;
      EXPECT_EQ(readFile(model.path("small.so")), "old");
      EXPECT_EQ(namesIn(model.folder),
                (std::vector<std::string>{"small.so", "weights.bin"}));
    }
  }
}

TEST(ArtifactFailures, AFolderThatMayNotBeWritten) {
  SmallModel model("nowhere");
  CompileReport report = model.write("missing/small.so");
  EXPECT_EQ(report.status, Status::Io);
  ASSERT_EQ(model.diagnostics.size(), 1u);
  EXPECT_NE(model.diagnostics[0].text.find("No such file"), std::string::npos);

  // Root may write everywhere, so the child becomes the user nobody.
  std::filesystem::create_directories(model.path("closed"));
  writeFile(model.path("closed/small.so"), "old");
  std::filesystem::permissions(model.path("closed"),
                               std::filesystem::perms(0555));
  int code = inChild([&] {
    if (geteuid() == 0 && setuid(65534) != 0)
      return 1;
    report = model.write("closed/small.so");
    return report.status == Status::Io ? 42 : int(report.status);
  });
  EXPECT_EQ(code, 42);
  EXPECT_EQ(readFile(model.path("closed/small.so")), "old");
}

TEST(ArtifactFailures, TheHeaderFailsTheObject) {
  SmallModel model("header-fails");
  writeFile(model.path("small.o"), "old");
  std::filesystem::create_directories(model.path("small.h/full"));
  EXPECT_EQ(model.write("small.o", EmitKind::Object).status, Status::Io);
  EXPECT_EQ(readFile(model.path("small.o")), "old");
  EXPECT_EQ(namesIn(model.folder),
            (std::vector<std::string>{"small.h", "small.o", "weights.bin"}));
}

// Tests an object compiled on one thread. The tool must also end linkers and
// other threads: see test/process/InterruptTest.cpp.
TEST(ArtifactFailures, AnInterruptLeavesNothing) {
  SmallModel model("interrupt");
  model.options.jobs = 1;
  writeFile(model.path("small.o"), "old");
  for (int microseconds : {1000, 5000, 20000, 40000, 60000, 90000}) {
    pid_t child = fork();
    if (child == 0) {
      model.write("small.o", EmitKind::Object);
      _exit(0);
    }
    usleep(microseconds);
    kill(child, SIGTERM);
    int state = 0;
    waitpid(child, &state, 0);
    std::string now = readFile(model.path("small.o"));
    EXPECT_TRUE(now == "old" || now.size() > 1000);
    std::vector<std::string> names = namesIn(model.folder);
    llvm::erase_if(names,
                   [](const std::string &name) { return name[0] != '.'; });
    EXPECT_EQ(names, std::vector<std::string>()) << microseconds;
  }
}

} // namespace
} // namespace tenon::test
