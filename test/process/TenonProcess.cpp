// Starts the compiler as a process and waits for it.
#include "test/process/TenonProcess.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::test {
namespace {
std::string readAll(int fd) {
  std::string text;
  char buffer[4096];
  lseek(fd, 0, SEEK_SET);
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, size_t(n));
  return text;
}
} // namespace

TenonProcess::TenonProcess(const Command &command)
    : out(memfd_create("out", 0)), err(memfd_create("err", 0)) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::vector<char *> argv = {const_cast<char *>(TENON_TEST_COMPILER)};
  for (const std::string &argument : command.arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  fflush(stdout);
  child = fork();
  if (child != 0) {
    setpgid(child, child);
    return;
  }
  setpgid(0, 0);
  dup2(out, 1);
  dup2(err, 2);
  close(out);
  close(err);
  // Disable the cache, so that tests do not affect one another.
  setenv("TENON_CACHE_LIMIT", "0", 1);
  for (const std::string &name : command.unset)
    unsetenv(name.c_str());
  for (const auto &[name, value] : command.environment)
    setenv(name.c_str(), value.c_str(), 1);
  if (!command.folder.empty() && chdir(command.folder.c_str()) != 0)
    _exit(126);
  if (command.prepare)
    command.prepare();
  execv(argv[0], argv.data());
  _exit(127);
}

Ended TenonProcess::wait() {
  int state = 0;
  rusage used = {};
  while (wait4(child, &state, 0, &used) < 0 && errno == EINTR) {
  }
  Ended ended;
  auto seconds = [](const timeval &time) {
    return double(time.tv_sec) + double(time.tv_usec) * 1e-6;
  };
  ended.seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  ended.peakMegabytes = used.ru_maxrss >> 10;
  ended.code = WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
  ended.out = readAll(out);
  ended.err = readAll(err);
  close(out);
  close(err);
  return ended;
}

bool leftNothingRunning() {
  // Orphaned children of the compiler have become children of this process.
  auto allGone = [] {
    pid_t ended;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    return ended < 0;
  };
  for (int i = 0; i < 1000; ++i) {
    if (allGone())
      return true;
    usleep(10000);
  }
  std::ifstream children("/proc/self/task/" + std::to_string(getpid()) +
                         "/children");
  for (pid_t child; children >> child;)
    kill(child, SIGKILL);
  while (waitpid(-1, nullptr, 0) > 0) {
  }
  return false;
}

Ended runTenon(const Command &command) { return TenonProcess(command).wait(); }

Faults::Faults(const std::string &folder) {
  char name[] = "/tmp/tenon-faults-XXXXXX";
  int fd = mkstemp(name);
  path = name;
  EXPECT_EQ(ftruncate(fd, sizeof *shared), 0);
  shared = static_cast<write_faults *>(
      mmap(nullptr, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  close(fd);
  EXPECT_LT(folder.size(), sizeof shared->folder);
  strncpy(shared->folder, folder.c_str(), sizeof shared->folder - 1);
}

Faults::~Faults() {
  munmap(shared, sizeof *shared);
  unlink(path.c_str());
}

void Faults::plan(write_fault_kind kind, int number, long n, bool lasting) {
  shared->calls = 0;
  shared->at = n;
  shared->kind = kind;
  shared->number = number;
  shared->lasting = lasting;
  shared->fired = 0;
  shared->compiler = 0;
  memset(shared->call, 0, sizeof shared->call);
}

void Faults::applyTo(Command &command) const {
  command.environment["LD_PRELOAD"] = TENON_TEST_FAULT_LIBRARY;
  command.environment[WRITE_FAULTS_VARIABLE] = path;
}

} // namespace tenon::test
