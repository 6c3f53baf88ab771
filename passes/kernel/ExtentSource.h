// Finds the operand's extent that a result's extent equals, for ops whose
// results have their operands' extents in another order.
#ifndef TENON_PASSES_KERNEL_EXTENTSOURCE_H
#define TENON_PASSES_KERNEL_EXTENTSOURCE_H

#include "mlir/IR/Value.h"

#include <optional>
#include <utility>

namespace tenon {

/// The operand and its dimension whose extent is that of dimension `dim` of the
/// op's result, which is not known. Null unless the op is a transpose, a
/// reduction, a gather or a product.
std::optional<std::pair<mlir::Value, int64_t>> extentSource(mlir::Operation *op,
                                                            int64_t dim);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_EXTENTSOURCE_H
