// A model small enough to write by hand in both of its forms, compiled by the
// tests into every kind of artifact: y[N,4] = x[N,4] + w[4].
#ifndef TENON_TEST_ARTIFACT_SMALLMODEL_H
#define TENON_TEST_ARTIFACT_SMALLMODEL_H

#include "compiler/artifact/Artifact.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace tenon::test {

class SmallModel {
public:
  /// A folder of its own under the build, holding the weights' source file.
  explicit SmallModel(const std::string &name);

  /// Compiles into `path(output)`.
  CompileReport write(const std::string &output,
                      EmitKind emit = EmitKind::Shared);

  std::string path(const std::string &name) const {
    return folder + "/" + name;
  }
  std::string text() const;

  CompileOptions options;
  std::vector<Diagnostic> diagnostics;
  std::string folder;

private:
  // Without threads: tests fork.
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &content);
/// The names in a folder, sorted.
std::vector<std::string> namesIn(const std::string &folder);

} // namespace tenon::test

#endif // TENON_TEST_ARTIFACT_SMALLMODEL_H
