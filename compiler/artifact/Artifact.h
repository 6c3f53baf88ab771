// The last step of a compilation. Input: modules in the LLVM dialect, one for
// each target, and the model's facts. Output: files that appear all or not at
// all.
#ifndef TENON_COMPILER_ARTIFACT_ARTIFACT_H
#define TENON_COMPILER_ARTIFACT_ARTIFACT_H

#include "compiler/artifact/ModelFacts.h"
#include "compiler/codegen/Target.h"
#include "compiler/codegen/Workers.h"
#include "compiler/report/CompileReport.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// Writes options.output and its companion files, for every kind but Mlir.
/// `workers` generate the code, `report` receives errors, `onStep` receives the
/// duration of each step. The status of the result is its error class.
CompileReport
writeArtifact(llvm::ArrayRef<mlir::ModuleOp> versions, const ModelFacts &facts,
              const CompileOptions &options,
              const std::vector<TargetChoice> &targets, Workers &workers,
              const DiagnosticHandler &report,
              const std::function<void(const PhaseReport &)> &onStep);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_ARTIFACT_H
