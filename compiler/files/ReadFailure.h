// How the parts of a reader refuse: thrown where the fault is seen,
// reported at the reader's door.
#ifndef TENON_COMPILER_FILES_READFAILURE_H
#define TENON_COMPILER_FILES_READFAILURE_H

#include "compiler/report/Diagnostic.h"

#include <string>
#include <string_view>
#include <utility>

namespace tenon {

/// Never leaves the reader.
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

/// A name as messages quote it: a long one is cut.
inline std::string quoted(std::string_view name) {
  if (name.size() > 256)
    return "\"" + std::string(name.substr(0, 256)) + "...\"";
  return "\"" + std::string(name) + "\"";
}

} // namespace tenon

#endif // TENON_COMPILER_FILES_READFAILURE_H
