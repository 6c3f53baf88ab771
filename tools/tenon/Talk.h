// Everything the tool says on the error stream: diagnostics as text or JSON,
// notes, and progress. Results go to the standard output and never pass through
// here.
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
  /// Text without colours or progress, until `configure`.
  Talk() = default;

  /// Reads --color, --diagnostics-format, --progress, -q and -v; the status is
  /// not Success where a value is unknown.
  Status configure(const llvm::opt::InputArgList &args);

  /// Prints a diagnostic; returns its class. Notes and warnings are silent
  /// under -q.
  Status say(const Diagnostic &d);

  /// From now on messages about the file `path` name it `shown`.
  void showAs(std::string path, std::string shown);

  /// The text that `say` prints.
  std::string render(const Diagnostic &d) const;

  /// An error of the class `status` about the command line or a file.
  Status fail(Status status, std::string file, std::string text,
              std::vector<std::string> details = {}, std::string help = {});

  /// A usage error.
  Status usage(std::string text, std::string help = {});

  void note(std::string text);

  /// A line only -v shows.
  void detail(std::string text);

  /// A finished phase, on a terminal or where asked for; a note where it was
  /// slow.
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

/// True when the result is asked for as JSON.
bool wantsJson(const llvm::opt::InputArgList &args);

/// Closes the result: Io where the standard output could not be written.
Status finishResult(Talk &talk, Status status);

/// `n` bytes for people: "98.4 MiB".
std::string formatBytes(uint64_t n);

/// `seconds` for people: "0.31 s", "14.9 ms", "2.10 us".
std::string formatTime(double seconds);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TALK_H
