// A program's stdout and stderr are one pipe, which is read to its end before
// the program is waited for.
#include "compiler/artifact/ToolProcess.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tenon {

std::vector<std::string> ToolOutcome::firstLines() const {
  constexpr size_t most = 10;
  std::vector<std::string> first;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(said).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    if (first.size() < most)
      first.push_back(line.str());
  return first;
}

ToolProcess::ToolProcess(const std::vector<std::string> &arguments,
                         Files files) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    outcome.error = errno;
    return;
  }
  pipe = ends[0];
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (files.input >= 0)
    posix_spawn_file_actions_adddup2(&actions, files.input, 0);
  else
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  if (files.output >= 0)
    posix_spawn_file_actions_adddup2(&actions, files.output, outputDescriptor);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  outcome.error =
      posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
  if (outcome.error != 0)
    child = 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
}

ToolProcess::~ToolProcess() {
  (void)finish();
  if (pipe >= 0)
    close(pipe);
}

ToolOutcome ToolProcess::finish() {
  constexpr size_t mostSaid = 65536;
  if (child == 0)
    return outcome;
  char buffer[4096];
  for (;;) {
    ssize_t n = read(pipe, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    if (outcome.said.size() < mostSaid)
      outcome.said.append(buffer, n);
  }
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  if (WIFEXITED(state))
    outcome.code = WEXITSTATUS(state);
  else if (WIFSIGNALED(state))
    outcome.signal = WTERMSIG(state);
  return outcome;
}

ToolOutcome runTool(const std::vector<std::string> &arguments) {
  return ToolProcess(arguments, {}).finish();
}

} // namespace tenon
