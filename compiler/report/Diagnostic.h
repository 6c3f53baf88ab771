// The compiler's messages to its user. There is one structure for every
// message; only the tools print or serialize it.
#ifndef TENON_COMPILER_REPORT_DIAGNOSTIC_H
#define TENON_COMPILER_REPORT_DIAGNOSTIC_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tenon {

/// The result of a command: the exit code of the tools, and the class of every
/// error.
enum class Status : int {
  Success = 0,
  Failure = 1,      ///< a diagnosed reason that no other class names
  Usage = 2,        ///< the command line is wrong
  InvalidModel = 3, ///< the model or a data file is invalid or corrupt
  Unsupported = 4,  ///< valid, but uses an unsupported feature
  Limit = 5,        ///< a size, depth or memory limit was hit
  Io = 6,           ///< a file could not be read or written
  BadArtifact = 7,  ///< damaged, of another ABI, or not for this machine
  BadInput = 8,     ///< wrong inputs at run time
  Mismatch = 9,     ///< results differ
  Cancelled = 10,   ///< cancelled, or past the deadline
  Internal = 70     ///< a bug of ours
};

/// A remark tells what an optimization did or did not do. Users ask for
/// remarks, so they are printed even if notes are not.
enum class Severity { Error, Warning, Note, Remark };

/// One message. It is printed as `file: place: severity: text`, then one
/// indented line per detail, then `help: ...`.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string file = {};  ///< as the user named it; may be empty
  std::string place = {}; ///< `node "x" (MatMul)`, `offset 12`; may be empty
  std::string text = {};  ///< lower case, no final period, expected then got
  std::vector<std::string> details = {};
  std::string help = {};           ///< what to type or change; may be empty
  Status status = Status::Success; ///< class of an error
};

using DiagnosticHandler = std::function<void(const Diagnostic &)>;

/// `d` as text with a final newline. Control characters and invalid UTF-8 are
/// escaped.
std::string formatDiagnostic(const Diagnostic &d);

/// `s` with control characters, DEL and bytes that are not UTF-8 written as
/// \xNN.
std::string escapeForTerminal(const std::string &s);

} // namespace tenon

#endif // TENON_COMPILER_REPORT_DIAGNOSTIC_H
