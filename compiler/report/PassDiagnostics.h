// Translates errors that passes and the parser emit through MLIR into messages
// for users: the model's file, the node, the cause.
#ifndef TENON_COMPILER_REPORT_PASSDIAGNOSTICS_H
#define TENON_COMPILER_REPORT_PASSDIAGNOSTICS_H

#include "compiler/report/Diagnostic.h"

#include "mlir/IR/Diagnostics.h"

#include <string>
#include <vector>

namespace tenon {

/// The names of the model nodes in a location, in order and without repeats.
std::vector<std::string> nodesOf(mlir::Location loc);

/// Collects the errors of `context` during its lifetime. An error for users
/// begins with `unsupported: ` or `limit: `; any other error of a pass is a bug
/// of Tenon.
class PassDiagnostics {
public:
  PassDiagnostics(mlir::MLIRContext &context, std::string file);

  /// Reports the collected errors and returns the worst class, or Success.
  /// Errors are the user's if the input is a text (`parsing`), otherwise they
  /// come from passes.
  Status flush(const DiagnosticHandler &report, bool parsing);

private:
  std::string file;
  std::vector<Diagnostic> collected;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tenon

#endif // TENON_COMPILER_REPORT_PASSDIAGNOSTICS_H
