// All output on the error stream: diagnostics as text or JSON, notes, and
// progress. Results go to the standard output and not through this class.
#ifndef TENON_TOOLS_TENON_TALK_H
#define TENON_TOOLS_TENON_TALK_H

#include "compiler/Compiler.h"

#include "llvm/Option/ArgList.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <string>

namespace tenon::cli {

class Talk {
public:
  /// Until `configure`: text without colours or progress.
  Talk() = default;

  /// Reads --color, --diagnostics-format, --progress, -q and -v. The status is
  /// an error if a value is unknown.
  Status configure(const llvm::opt::InputArgList &args);

  /// Prints a diagnostic and returns its class. With -q notes and warnings are
  /// not printed.
  Status say(const Diagnostic &d);

  /// From this call on, messages about the file `path` call it `shown`.
  void showAs(std::string path, std::string shown);

  /// The text that `say` prints.
  std::string render(const Diagnostic &d) const;

  /// Reports an error of class `status` about the command line or a file;
  /// returns `status`.
  Status fail(Status status, std::string file, std::string text,
              std::vector<std::string> details = {}, std::string help = {});

  /// Reports a usage error.
  Status usage(std::string text, std::string help = {});

  void note(std::string text);

  /// Prints a line with -v only.
  void detail(std::string text);

  /// Reports a finished phase, on a terminal or if requested; a slow phase gets
  /// a note.
  void phase(const PhaseReport &phase, int index, int count);

  DiagnosticHandler handler();
  bool isQuiet() const { return quiet; }

private:
  std::mutex mutex;
  std::vector<std::pair<std::string, std::string>> shownNames;
  bool json = false;
  bool color = false;
  bool quiet = false;
  bool verbose = false;
  bool progress = false;
};

/// True if the user wants the result as JSON.
bool wantsJson(const llvm::opt::InputArgList &args);

/// Ends the output of a result. Returns Io if the standard output could not be
/// written, otherwise `status`.
Status finishResult(Talk &talk, Status status);

/// `n` bytes as text like "98.4 MiB".
std::string formatBytes(uint64_t n);

/// `seconds` as text like "0.31 s", "14.9 ms", "2.10 us".
std::string formatTime(double seconds);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TALK_H
