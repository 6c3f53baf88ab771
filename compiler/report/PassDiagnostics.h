// Translates errors that passes and the parser emit through MLIR into messages
// for users: the model's file, the node, the cause.
#ifndef TENON_COMPILER_REPORT_PASSDIAGNOSTICS_H
#define TENON_COMPILER_REPORT_PASSDIAGNOSTICS_H

#include "compiler/report/Diagnostic.h"

#include "mlir/IR/Diagnostics.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tenon {

/// The names of the model nodes in a location, in order and without repeats.
std::vector<std::string> nodesOf(mlir::Location loc);

/// Collects the errors and remarks of `context` during its lifetime. An error
/// for users begins with `unsupported: ` or `limit: `; any other error of a
/// pass is a bug of Tenon.
class PassDiagnostics {
public:
  PassDiagnostics(mlir::MLIRContext &context, std::string file);

  /// Reports the collected errors and returns the worst class, or Success.
  /// Errors are the user's if the input is a text (`parsing`), otherwise they
  /// come from passes.
  Status flush(const DiagnosticHandler &report, bool parsing);

  /// The code for the CPU `cpu` is made from here on.
  void setVersion(std::string cpu) { version = std::move(cpu); }

  /// Reports the remarks that were emitted since the last call, each once. A
  /// remark that not all `versions` have is reported with the CPUs that have
  /// it.
  void reportRemarks(const DiagnosticHandler &report, size_t versions);

private:
  std::string file, version;
  std::vector<Diagnostic> collected;
  /// Remarks in order, and for each place and text the versions that have it.
  std::vector<Diagnostic> remarks;
  std::map<std::string, std::vector<std::string>> versionsOf;
  std::set<std::string> reported;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tenon

#endif // TENON_COMPILER_REPORT_PASSDIAGNOSTICS_H
