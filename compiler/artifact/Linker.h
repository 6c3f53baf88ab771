// Links objects by LLD to a shared library or a program.
#ifndef TENON_COMPILER_ARTIFACT_LINKER_H
#define TENON_COMPILER_ARTIFACT_LINKER_H

#include "compiler/report/Diagnostic.h"

#include <string>
#include <vector>

namespace tenon {

struct LinkJob {
  std::vector<std::string> objects;
  std::string output; ///< path that the linker writes
};

/// Links a shared library. The library has no name inside, so that equal models
/// give equal files. It exports the symbols of default visibility. On failure
/// it reports an error, sets `status` and returns false.
bool linkShared(const LinkJob &job, const DiagnosticHandler &report,
                Status &status);

/// Links a program that has a `main`, in a child process; otherwise as
/// linkShared.
bool linkExecutable(const LinkJob &job, const DiagnosticHandler &report,
                    Status &status);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_LINKER_H
