// Runs code that may end, close or change its process in a child of the test.
#ifndef TENON_TEST_CHILDPROCESS_H
#define TENON_TEST_CHILDPROCESS_H

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::test {

/// Runs `body` in a child process. Returns its exit code, or minus the signal
/// that ended it.
template <typename Body> int inChild(Body body) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int state = 0;
  waitpid(child, &state, 0);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
}

} // namespace tenon::test

#endif // TENON_TEST_CHILDPROCESS_H
