// The exception that a reader throws at an error, and that ReaderBoundary
// reports.
#ifndef TENON_COMPILER_FILES_READFAILURE_H
#define TENON_COMPILER_FILES_READFAILURE_H

#include "compiler/report/Diagnostic.h"

#include <string>
#include <string_view>
#include <utility>

namespace tenon {

/// An error in the model. It must not leave the reader.
struct ReadFailure {
  Status status;
  std::string place; ///< as Diagnostic::place
  std::string text;
  std::string help = {}; ///< as Diagnostic::help
};

[[noreturn]] inline void fail(std::string place, std::string text,
                              Status status = Status::InvalidModel) {
  throw ReadFailure{status, std::move(place), std::move(text)};
}

/// A name in quotes for messages; a long one is cut.
inline std::string quoted(std::string_view name) {
  if (name.size() > 256)
    return "\"" + std::string(name.substr(0, 256)) + "...\"";
  return "\"" + std::string(name) + "\"";
}

} // namespace tenon

#endif // TENON_COMPILER_FILES_READFAILURE_H
