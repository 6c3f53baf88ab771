// Where the elements of a movement op's result come from, element by element.
#ifndef TENON_COMPILER_IMPORT_SIZES_ELEMENTSOURCES_H
#define TENON_COMPILER_IMPORT_SIZES_ELEMENTSOURCES_H

#include "dialects/tenon/TenonDialect.h"

#include <optional>

namespace tenon {

struct ElementSource {
  unsigned operand; ///< its number
  int64_t element;  ///< its place there, row by row
};

/// The source of every element of the result, row by row. Nothing where `op`
/// is no movement op, where a shape is not static, or where a box, a pad or a
/// position is known only in the run.
std::optional<llvm::SmallVector<ElementSource>>
elementSources(mlir::Operation *op);

/// The same of a gather at the positions that `indices` has, row by row.
std::optional<llvm::SmallVector<ElementSource>>
gatherSources(GatherOp op, llvm::ArrayRef<int64_t> indices);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_ELEMENTSOURCES_H
