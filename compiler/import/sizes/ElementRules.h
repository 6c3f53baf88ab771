// Rules of elementwise ops and reductions for single elements: sizes, or floats
// computed from sizes.
#ifndef TENON_COMPILER_IMPORT_SIZES_ELEMENTRULES_H
#define TENON_COMPILER_IMPORT_SIZES_ELEMENTRULES_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// One element of the result of an elementwise op, computed from the elements
/// of its operands; bools are 0 and 1. Null if the op has no rule, or if
/// integers may wrap where index arithmetic does not.
std::optional<Size> elementOfResult(GraphBuilder &g, mlir::Operation *op,
                                    llvm::ArrayRef<Size> operands);

/// Combines two elements of a reduction; null if there is no rule.
std::optional<Size> combined(GraphBuilder &g, ReduceKind kind,
                             mlir::Type element, Size a, Size b);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_ELEMENTRULES_H
