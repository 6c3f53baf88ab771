// Runs other programs: the linker, NVIDIA's assembler.
#ifndef TENON_COMPILER_ARTIFACT_TOOLPROCESS_H
#define TENON_COMPILER_ARTIFACT_TOOLPROCESS_H

#include <string>
#include <sys/types.h>
#include <vector>

namespace tenon {

/// How a program ended.
struct ToolOutcome {
  int code = -1;    ///< exit status, or -1
  int error = 0;    ///< errno if it could not be started
  int signal = 0;   ///< the signal that ended it
  std::string said; ///< to stdout and stderr, cut at 64 KiB

  /// The first ten lines of `said` that are not empty.
  std::vector<std::string> firstLines() const;
};

/// A program that runs without a shell. It leads a process group, so that
/// ending the group also ends its children. An interrupt finds only children of
/// the main thread, so start it there.
class ToolProcess {
public:
  /// What the program finds at its descriptors; -1: nothing.
  struct Files {
    int input = -1;  ///< descriptor 0
    int output = -1; ///< descriptor outputDescriptor
  };
  static constexpr int outputDescriptor = 3;

  /// Starts `arguments`, of which the first is the program's path.
  ToolProcess(const std::vector<std::string> &arguments, Files files);
  ~ToolProcess();
  ToolProcess(const ToolProcess &) = delete;
  ToolProcess &operator=(const ToolProcess &) = delete;

  /// Waits until the program ends.
  ToolOutcome finish();

private:
  ToolOutcome outcome;
  pid_t child = 0; ///< 0: not started, or ended
  int pipe = -1;   ///< what it says
};

/// Runs a program to its end.
ToolOutcome runTool(const std::vector<std::string> &arguments);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_TOOLPROCESS_H
