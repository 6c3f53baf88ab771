// What passes and the parser say through MLIR, in the words users read: the
// model's file, the node, the cause.
#ifndef TENON_COMPILER_REPORT_PASSDIAGNOSTICS_H
#define TENON_COMPILER_REPORT_PASSDIAGNOSTICS_H

#include "compiler/report/Diagnostic.h"

#include "mlir/IR/Diagnostics.h"

#include <string>
#include <vector>

namespace tenon {

/// The names of the model nodes a location stands for, in order and once each.
std::vector<std::string> nodesOf(mlir::Location loc);

/// While it lives, errors of `context` are collected. A refusal meant for users
/// begins with `unsupported: ` or `limit: `; every other error of a pass is a
/// bug of ours.
class PassDiagnostics {
public:
  PassDiagnostics(mlir::MLIRContext &context, std::string file);

  /// Reports what was collected, as the user's mistakes in text (`parsing`) or
  /// as results of passes; the worst class, or Success.
  Status flush(const DiagnosticHandler &report, bool parsing);

private:
  std::string file;
  std::vector<Diagnostic> collected;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tenon

#endif // TENON_COMPILER_REPORT_PASSDIAGNOSTICS_H
