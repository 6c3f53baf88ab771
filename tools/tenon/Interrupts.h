// Cleans up on signals. An interrupt, hang-up or termination removes this
// process's temporary files and ends its children; a crash is reported. The
// process ends with the exit code that the manual states.
#ifndef TENON_TOOLS_TENON_INTERRUPTS_H
#define TENON_TOOLS_TENON_INTERRUPTS_H

#include "compiler/report/Diagnostic.h"

#include <functional>
#include <string>

namespace tenon::cli {

/// Opens standard streams that are closed, so that no file of ours gets their
/// descriptors. Reads and writes on such a stream fail.
void holdStandardStreams();

/// Installs the signal handlers of the process. A crash report quotes the
/// command line `argv`.
void installInterrupts(int argc, char **argv);

/// Ends the process with `status` as an interrupt does: prints `message`,
/// removes temporary files and ends children. Must be called on a thread that
/// blocks signals; does not return.
[[noreturn]] void endProcess(Status status, const std::string &message);

/// The status of a command that an interrupt ended, as shells give it.
constexpr Status interruptStatus = static_cast<Status>(130);

/// While this object lives, the first interrupt (Ctrl-C) calls `action`, on a
/// thread of its own, and does not end the process. The second one ends it.
class OnInterrupt {
public:
  explicit OnInterrupt(std::function<void()> action);
  ~OnInterrupt();
  OnInterrupt(const OnInterrupt &) = delete;
  OnInterrupt &operator=(const OnInterrupt &) = delete;
};

/// Sets the stage that a crash report names.
void setCurrentStage(const std::string &stage);

/// Sets the folder in which an interrupt also removes unfinished outputs.
void setOutputFolder(const std::string &folder);

/// Writes a script that repeats this command. Returns its path, or "" if it
/// cannot be written.
std::string writeReproducer();

/// A temporary directory. It is removed with its contents when this object is
/// destroyed or the process is interrupted.
class TemporaryDirectory {
public:
  TemporaryDirectory() = default;
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

  /// Creates the directory in `parent`, by default under TMPDIR. Returns the
  /// reason of a failure, or an empty string.
  std::string create(const std::string &parent = {});

  const std::string &getPath() const { return path; }

private:
  std::string path;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_INTERRUPTS_H
