// The compiler as users start it: a process with arguments, an environment and
// a folder, its output, its end and its leftovers.
#ifndef TENON_TEST_PROCESS_TENONPROCESS_H
#define TENON_TEST_PROCESS_TENONPROCESS_H

#include "test/process/write_faults.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tenon::test {

struct Command {
  std::vector<std::string> arguments;             ///< after `tenon`
  std::map<std::string, std::string> environment; ///< added to the test's
                                                  ///< environment
  std::vector<std::string> unset;                 ///< removed from the
                                                  ///< environment
  std::string folder;            ///< working folder; empty: the test's
  std::function<void()> prepare; ///< called in the child before it starts
};

struct Ended {
  int code = 0; ///< exit status, or minus the signal
  std::string out, err;
  double seconds = 0;     ///< processor time
  long peakMegabytes = 0; ///< resident memory
};

/// A started compiler in its own process group. Its children become children of
/// this process if the compiler ends first.
class TenonProcess {
public:
  explicit TenonProcess(const Command &command);
  TenonProcess(const TenonProcess &) = delete;

  pid_t id() const { return child; }
  Ended wait();

private:
  pid_t child = -1;
  int out = -1, err = -1;
};

Ended runTenon(const Command &command);

/// Waits at most ten seconds for the children of ended compilers, and kills
/// those that still run. True if none had to be killed.
bool leftNothingRunning();

/// A fault plan for the preloaded library, in shared memory, for one folder.
class Faults {
public:
  explicit Faults(const std::string &folder);
  ~Faults();
  Faults(const Faults &) = delete;

  /// Plans a fault at the `n`-th call of the next compilation.
  void plan(write_fault_kind kind, int number, long n, bool lasting = false);
  /// Makes `command` run with the plan.
  void applyTo(Command &command) const;
  const write_faults *operator->() const { return shared; }

private:
  std::string path;
  write_faults *shared = nullptr;
};

} // namespace tenon::test

#endif // TENON_TEST_PROCESS_TENONPROCESS_H
