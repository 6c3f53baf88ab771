// The last step of a compilation: modules in the LLVM dialect, one a target,
// and the model's facts go in; files that appear all or not at all come out.
#ifndef TENON_COMPILER_ARTIFACT_ARTIFACT_H
#define TENON_COMPILER_ARTIFACT_ARTIFACT_H

#include "compiler/artifact/ModelFacts.h"
#include "compiler/codegen/Target.h"
#include "compiler/codegen/Workers.h"
#include "compiler/report/CompileReport.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// Writes options.output, and what belongs beside it, for every kind but Mlir.
/// `workers` make the code; `report` hears what goes wrong, `onStep` what each
/// step cost; the result's status is its class.
CompileReport
writeArtifact(llvm::ArrayRef<mlir::ModuleOp> versions, const ModelFacts &facts,
              const CompileOptions &options,
              const std::vector<TargetChoice> &targets, Workers &workers,
              const DiagnosticHandler &report,
              const std::function<void(const PhaseReport &)> &onStep);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_ARTIFACT_H
