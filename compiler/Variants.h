// What the user asks for with --specialize, held against the model.
#ifndef TENON_COMPILER_VARIANTS_H
#define TENON_COMPILER_VARIANTS_H

#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// Writes `tenon.specialize` on an imported module, a dictionary of sizes for
/// each variant, and `tenon.pad`, one of multiples; passes obey them. False
/// after an error was reported: a dim the model does not have, or a size that
/// it does not take.
bool requestVariants(mlir::ModuleOp module, const CompileOptions &options,
                     const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_VARIANTS_H
