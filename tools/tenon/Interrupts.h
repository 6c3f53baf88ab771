// Leaving no mess: an interrupt, a hang-up or a termination removes the
// temporary files of this process and ends its children; a crash is reported.
// All end it with the exit code of the manual.
#ifndef TENON_TOOLS_TENON_INTERRUPTS_H
#define TENON_TOOLS_TENON_INTERRUPTS_H

#include "compiler/report/Diagnostic.h"

#include <string>

namespace tenon::cli {

/// Fills the places of standard streams that are closed, so that no file of
/// ours gets them: what is read or written there fails.
void holdStandardStreams();

/// Takes over the signals of the process. `commandLine` is what a crash report
/// quotes.
void installInterrupts(int argc, char **argv);

/// Ends the process with `status` as an interrupt does: `message` is printed,
/// temporary files are removed, children are ended. Called from a thread that
/// holds signals back; does not return.
[[noreturn]] void endProcess(Status status, const std::string &message);

/// The stage a crash report names.
void setCurrentStage(const std::string &stage);

/// The folder an interrupt also searches for parts of outputs.
void setOutputFolder(const std::string &folder);

/// Writes a script that repeats this command; returns its path, or "" where it
/// cannot be written.
std::string writeReproducer();

/// A directory of our own, removed with all it holds when this dies or the
/// process is interrupted.
class TemporaryDirectory {
public:
  TemporaryDirectory() = default;
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

  /// Makes the directory in `parent`, by default under TMPDIR; on failure
  /// returns the reason.
  std::string create(const std::string &parent = {});

  const std::string &getPath() const { return path; }

private:
  std::string path;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_INTERRUPTS_H
