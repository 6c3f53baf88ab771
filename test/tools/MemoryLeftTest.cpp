// Tests the memory limits, read from files as a kernel writes them.
#include "tools/tenon/MemoryLeft.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace tenon::cli;

namespace {

constexpr uint64_t mebibyte = 1 << 20;

class MemoryLeftTest : public testing::Test {
protected:
  void SetUp() override {
    root = std::filesystem::temp_directory_path() /
           ("memory-left-" + std::to_string(getpid()));
    std::filesystem::remove_all(root);
    write("proc/meminfo",
          "MemTotal:  8388608 kB\nMemAvailable:    4096000 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  void writeGroup(const std::string &folder, const std::string &maximum,
                  uint64_t current, uint64_t cached) {
    write(folder + "/memory.max", maximum + "\n");
    write(folder + "/memory.current", std::to_string(current) + "\n");
    write(folder + "/memory.stat", "anon 5\ninactive_file " +
                                       std::to_string(cached) +
                                       "\nactive_file 0\n");
  }
  uint64_t left() { return findMemoryLeft(root).bytes; }

  std::filesystem::path root;
};

TEST_F(MemoryLeftTest, TheMachines) {
  EXPECT_EQ(left(), uint64_t(4096000) * 1024);
  // Part of it is reserved for other programs.
  EXPECT_EQ(findMemoryLeft(root).usable, left() - left() / 3);
  EXPECT_NE(findMemoryLeft(root).whose.find("this machine"), std::string::npos);
}

TEST_F(MemoryLeftTest, NothingToReadLimitsNothing) {
  std::filesystem::remove_all(root);
  EXPECT_EQ(left(), UINT64_MAX);
}

TEST_F(MemoryLeftTest, TheGroupOfAContainerThatSeesItselfAsTheRoot) {
  write("proc/self/cgroup", "0::/\n");
  writeGroup("sys/fs/cgroup", std::to_string(512 * mebibyte), 100 * mebibyte,
             30 * mebibyte);
  EXPECT_EQ(left(), 442 * mebibyte) << "cached files are given back";
  EXPECT_NE(findMemoryLeft(root).whose.find("memory.max"), std::string::npos);
}

TEST_F(MemoryLeftTest, TheTightestOfTheGroupsAbove) {
  write("proc/self/cgroup", "0::/a/b/c\n");
  writeGroup("sys/fs/cgroup/a/b/c", "max", 10, 0);
  writeGroup("sys/fs/cgroup/a/b", std::to_string(64 * mebibyte), 24 * mebibyte,
             0);
  writeGroup("sys/fs/cgroup/a", std::to_string(900 * mebibyte), 0, 0);
  EXPECT_EQ(left(), 40 * mebibyte);
  EXPECT_EQ(findMemoryLeft(root).usable, 40 * mebibyte / 16 * 15);
}

TEST_F(MemoryLeftTest, AGroupThatUsesMoreThanItsLimit) {
  write("proc/self/cgroup", "0::/a\n");
  writeGroup("sys/fs/cgroup/a", "1000", 2000, 0);
  EXPECT_EQ(left(), 0u);
}

TEST_F(MemoryLeftTest, VersionOneUnderThePathOfTheHost) {
  // In a container the mount's root is the container's own group.
  write("proc/self/cgroup",
        "9:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n0::/docker/x\n");
  std::string mount = "sys/fs/cgroup/memory/";
  write(mount + "memory.limit_in_bytes", std::to_string(256 * mebibyte));
  write(mount + "memory.usage_in_bytes", std::to_string(56 * mebibyte));
  write(mount + "memory.stat", "cache 1\ntotal_inactive_file 1048576\n");
  EXPECT_EQ(left(), 201 * mebibyte);
  // Version 1 without a limit has this number, more than any machine has.
  write(mount + "memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(left(), uint64_t(4096000) * 1024);
}

TEST_F(MemoryLeftTest, InUseIsWhatWasTouched) {
  uint64_t before = memoryInUse();
  EXPECT_GT(before, 0u);
  std::vector<char> touched(64 * mebibyte, 1);
  EXPECT_GE(memoryInUse() + mebibyte, before + touched.size());
}

} // namespace
