// Describes a module of tenon ops.
#ifndef TENON_COMPILER_DESCRIBE_DESCRIBEMLIR_H
#define TENON_COMPILER_DESCRIBE_DESCRIBEMLIR_H

#include "compiler/report/ModelSummary.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// Inputs and outputs are those of the function `main`, or of the first public
/// function.
ModelSummary describeMlir(mlir::ModuleOp module);

} // namespace tenon

#endif // TENON_COMPILER_DESCRIBE_DESCRIBEMLIR_H
