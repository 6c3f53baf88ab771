// A small hand-written model in both of its forms, y[N,4] = x[N,4] + w[4].
// Tests compile it to every kind of artifact.
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
  /// Makes a folder under the build directory that holds the weights' source
  /// file.
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
  // No threads, because tests fork.
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &content);
/// The sorted names of the files in a folder.
std::vector<std::string> namesIn(const std::string &folder);

} // namespace tenon::test

#endif // TENON_TEST_ARTIFACT_SMALLMODEL_H
