// Rules of elementwise ops and reductions on single elements that are sizes,
// or floats made of sizes.
#ifndef TENON_COMPILER_IMPORT_SIZES_ELEMENTRULES_H
#define TENON_COMPILER_IMPORT_SIZES_ELEMENTRULES_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// One element of the result of an elementwise op from those of its operands;
/// bools are 0 and 1. Nothing for ops without a rule, and for integers that may
/// wrap where index arithmetic does not.
std::optional<Size> elementOfResult(GraphBuilder &g, mlir::Operation *op,
                                    llvm::ArrayRef<Size> operands);

/// Two elements of a reduction as one.
std::optional<Size> combined(GraphBuilder &g, ReduceKind kind,
                             mlir::Type element, Size a, Size b);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_ELEMENTRULES_H
