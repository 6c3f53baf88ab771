// Checks --specialize and --pad against the model.
#ifndef TENON_COMPILER_VARIANTS_H
#define TENON_COMPILER_VARIANTS_H

#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// Annotates an imported module with the variants and the padding that the
/// options ask for; passes obey them. False after an error was reported: the
/// model does not have the dim, or does not take the size.
bool requestVariants(mlir::ModuleOp module, const CompileOptions &options,
                     const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_VARIANTS_H
