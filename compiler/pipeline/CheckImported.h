// Checks modules that are read from text. Importers always make the right form,
// but a text may hold anything that parses.
#ifndef TENON_COMPILER_PIPELINE_CHECKIMPORTED_H
#define TENON_COMPILER_PIPELINE_CHECKIMPORTED_H

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// Refuses a module that importers would not make, with an error at its first
/// wrong op: one of a later phase, one out of place, or one with a value of
/// another type.
llvm::LogicalResult checkImported(mlir::ModuleOp module);

} // namespace tenon

#endif // TENON_COMPILER_PIPELINE_CHECKIMPORTED_H
