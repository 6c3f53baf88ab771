// Reads the limits from files of the kernel. A control group counts cached file
// pages as used, but drops them before it refuses memory; so they count as
// left.
#include "tools/tenon/MemoryLeft.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace tenon::cli {

/// The number at the start of a file; nullopt for "max" or a missing file.
static std::optional<uint64_t> numberIn(const std::string &path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number)
    return number;
  return std::nullopt;
}

/// The number after `key` in the line that starts with it.
static std::optional<uint64_t> numberAfter(const std::string &path,
                                           const std::string &key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    uint64_t number = 0;
    if (words >> first >> number && first == key)
      return number;
  }
  return std::nullopt;
}

// The reserves: one part in this many of a limit is not used. The reserve of a
// machine is larger, because other programs need memory too. The reserve of
// this process's own limit is only for the tool itself.
static constexpr uint64_t reserveOfMachine = 3, reserveOfLimit = 16;

/// Applies a limit if it is the tightest so far. One part in `reserve` of it
/// may not be used.
static void limit(MemoryLeft &left, uint64_t bytes, uint64_t reserve,
                  const std::string &whose) {
  uint64_t taken = bytes - bytes / reserve;
  if (taken < left.usable)
    left = {bytes, taken, whose};
}

static uint64_t lessOrZero(uint64_t from, uint64_t what) {
  return from > what ? from - what : 0;
}

namespace {
/// The file names of one version of control groups.
struct GroupFiles {
  const char *limit, *usage, *inactive, *active;
};
} // namespace

static constexpr GroupFiles version1 = {
    "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
    "total_active_file"};
static constexpr GroupFiles version2 = {"memory.max", "memory.current",
                                        "inactive_file", "active_file"};

/// Applies the limits of a group and of its parent groups up to `mount`. In a
/// container the path may be the host's, of which only the end or nothing
/// exists here.
static void limitByGroups(const std::string &mount, std::string path,
                          const GroupFiles &files, MemoryLeft &left) {
  while (true) {
    std::string group = mount + path + "/";
    std::optional<uint64_t> maximum = numberIn(group + files.limit);
    std::optional<uint64_t> usage = numberIn(group + files.usage);
    if (maximum && usage) {
      uint64_t cached =
          numberAfter(group + "memory.stat", files.inactive).value_or(0) +
          numberAfter(group + "memory.stat", files.active).value_or(0);
      limit(left, lessOrZero(*maximum, lessOrZero(*usage, cached)),
            reserveOfLimit,
            "the container may still take (" + group + files.limit + ")");
    }
    size_t slash = path.rfind('/');
    if (path.empty() || slash == std::string::npos)
      return;
    path.resize(slash);
  }
}

MemoryLeft findMemoryLeft(const std::string &root) {
  MemoryLeft left;
  if (std::optional<uint64_t> available =
          numberAfter(root + "/proc/meminfo", "MemAvailable:"))
    limit(left, *available * 1024, reserveOfMachine,
          "this machine has available, and a third of that is kept back");

  // Lines are like "4:memory:/a/b" (version 1) and "0::/a/b" (version 2).
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    std::string controllers =
        "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    if (path == "/")
      path.clear();
    if (controllers == ",,")
      limitByGroups(root + "/sys/fs/cgroup", path, version2, left);
    else if (controllers.find(",memory,") != std::string::npos)
      limitByGroups(root + "/sys/fs/cgroup/memory", path, version1, left);
  }

  struct rlimit space;
  uint64_t pages = numberIn(root + "/proc/self/statm").value_or(0);
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    limit(left, lessOrZero(space.rlim_cur, pages * getpagesize()),
          reserveOfLimit, "the limit on this process leaves (ulimit -v)");
  return left;
}

/// The resident pages of a process without those of files.
static uint64_t pagesOf(const std::string &process) {
  std::ifstream file("/proc/" + process + "/statm");
  uint64_t size = 0, resident = 0, shared = 0;
  file >> size >> resident >> shared;
  return lessOrZero(resident, shared);
}

uint64_t memoryInUse() {
  uint64_t pages = pagesOf("self");
  std::ifstream children("/proc/self/task/" + std::to_string(getpid()) +
                         "/children");
  for (std::string child; children >> child;)
    pages += pagesOf(child);
  return pages * getpagesize();
}

} // namespace tenon::cli
