// What the compiler says to its user: one structure for every message, printed
// or serialized by the tools alone.
#ifndef TENON_COMPILER_REPORT_DIAGNOSTIC_H
#define TENON_COMPILER_REPORT_DIAGNOSTIC_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tenon {

/// How a command ended: the exit code of the tools and the class of every
/// error.
enum class Status : int {
  Success = 0,
  Failure = 1,      ///< a diagnosed reason that no other class names
  Usage = 2,        ///< the command line is wrong
  InvalidModel = 3, ///< the model or a data file is invalid or corrupt
  Unsupported = 4,  ///< the model is valid but uses something unsupported
  Limit = 5,        ///< a size, depth or memory limit was hit
  Io = 6,           ///< a file could not be read or written
  BadArtifact = 7,  ///< damaged, of another ABI, or not for this machine
  BadInput = 8,     ///< wrong inputs at run time
  Mismatch = 9,     ///< results differ
  Cancelled = 10,   ///< cancelled, or past the deadline
  Internal = 70     ///< a bug of ours
};

enum class Severity { Error, Warning, Note };

/// One message: `file: place: severity: text`, then one indented line per
/// detail, then `help: ...`.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string file; ///< as the user named it; may be empty
  std::string
      place; ///< `node "x" (MatMul)`, `offset 12`, `input "data"`; may be empty
  std::string text; ///< lower case, no final period, expected then got
  std::vector<std::string> details;
  std::string help;                ///< what to type or change; may be empty
  Status status = Status::Success; ///< the class, for errors
};

using DiagnosticHandler = std::function<void(const Diagnostic &)>;

/// `d` as text, control characters and invalid UTF-8 escaped, with a final
/// newline.
std::string formatDiagnostic(const Diagnostic &d);

/// `s` with control characters, DEL and bytes that are not UTF-8 written as
/// \xNN.
std::string escapeForTerminal(const std::string &s);

} // namespace tenon

#endif // TENON_COMPILER_REPORT_DIAGNOSTIC_H
