// What a text of tenon ops holds.
#ifndef TENON_COMPILER_DESCRIBE_DESCRIBEMLIR_H
#define TENON_COMPILER_DESCRIBE_DESCRIBEMLIR_H

#include "compiler/report/ModelSummary.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// The main function of the module, or its first public one, says the inputs
/// and outputs.
ModelSummary describeMlir(mlir::ModuleOp module);

} // namespace tenon

#endif // TENON_COMPILER_DESCRIBE_DESCRIBEMLIR_H
