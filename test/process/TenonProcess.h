// The compiler as its users start it: a process with arguments, an environment
// and a folder, what it said, how it ended and what it left behind.
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
  std::map<std::string, std::string> environment; ///< added to the test's own
  std::vector<std::string> unset;                 ///< taken from it
  std::string folder;            ///< to start in; empty: the test's
  std::function<void()> prepare; ///< called in the child before it starts
};

struct Ended {
  int code = 0; ///< exit status, or minus the signal
  std::string out, err;
  double seconds = 0;     ///< of processor time
  long peakMegabytes = 0; ///< of resident memory
};

/// A started compiler, in a process group of its own. What it has started
/// becomes this process's child when the compiler ends first.
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

/// Whether everything that ended compilers have started is gone, after ten
/// seconds at most. Kills what is not.
bool leftNothingRunning();

/// A plan for the library of faults, in shared memory, on one folder.
class Faults {
public:
  explicit Faults(const std::string &folder);
  ~Faults();
  Faults(const Faults &) = delete;

  /// The next compilation's `n`-th call goes wrong.
  void plan(write_fault_kind kind, int number, long n, bool lasting = false);
  /// Makes `command` run under the plan.
  void applyTo(Command &command) const;
  const write_faults *operator->() const { return shared; }

private:
  std::string path;
  write_faults *shared = nullptr;
};

} // namespace tenon::test

#endif // TENON_TEST_PROCESS_TENONPROCESS_H
