// Linking by LLD as a child process: an object goes in, a shared library or a
// program comes out.
#ifndef TENON_COMPILER_ARTIFACT_LINKER_H
#define TENON_COMPILER_ARTIFACT_LINKER_H

#include "compiler/report/Diagnostic.h"

#include <string>
#include <vector>

namespace tenon {

struct LinkJob {
  std::vector<std::string> objects;
  std::string output; ///< where the linker writes
  bool needsLibm = false;
};

/// Links a shared library, which has no name in it, so that equal models are
/// equal files. Its exported names are those of default visibility.
/// Reports what is wrong and returns false.
bool linkShared(const LinkJob &job, const DiagnosticHandler &report,
                Status &status);

/// Links a program that has a `main`.
bool linkExecutable(const LinkJob &job, const DiagnosticHandler &report,
                    Status &status);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_LINKER_H
