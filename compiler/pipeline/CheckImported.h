// The door for texts: importers keep the form of graphs, a text may hold
// anything that parses.
#ifndef TENON_COMPILER_PIPELINE_CHECKIMPORTED_H
#define TENON_COMPILER_PIPELINE_CHECKIMPORTED_H

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// Refuses a module that is not as importers make it, at the first op that is
/// not: one of a later phase, one out of place, a value of another type.
llvm::LogicalResult checkImported(mlir::ModuleOp module);

} // namespace tenon

#endif // TENON_COMPILER_PIPELINE_CHECKIMPORTED_H
