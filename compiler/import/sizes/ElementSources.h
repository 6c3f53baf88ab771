// Finds the operand element that each element of a movement op's result copies.
#ifndef TENON_COMPILER_IMPORT_SIZES_ELEMENTSOURCES_H
#define TENON_COMPILER_IMPORT_SIZES_ELEMENTSOURCES_H

#include "dialects/tenon/TenonDialect.h"

#include <optional>

namespace tenon {

struct ElementSource {
  unsigned operand; ///< the number of the operand
  int64_t element;  ///< the row-major number of the element
};

/// The source of every element of the result, in row-major order. Null if `op`
/// is no movement op, if a shape is dynamic, or if a box, a padding or a
/// position is known only at run time.
std::optional<llvm::SmallVector<ElementSource>>
elementSources(mlir::Operation *op);

/// The source of every element of a gather's result. `indices` has the gathered
/// positions in row-major order.
std::optional<llvm::SmallVector<ElementSource>>
gatherSources(GatherOp op, llvm::ArrayRef<int64_t> indices);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_ELEMENTSOURCES_H
