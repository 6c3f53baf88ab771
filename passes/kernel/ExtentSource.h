// Where an extent of a value inside a fusion comes from, for ops whose results
// have their operands' extents in another order.
#ifndef TENON_PASSES_KERNEL_EXTENTSOURCE_H
#define TENON_PASSES_KERNEL_EXTENTSOURCE_H

#include "mlir/IR/Value.h"

#include <optional>
#include <utility>

namespace tenon {

/// The operand of a transpose, a reduction or a product, and the dimension of
/// it, that has the extent of dimension `dim` of the result; nothing for other
/// ops.
std::optional<std::pair<mlir::Value, int64_t>> extentSource(mlir::Operation *op,
                                                            int64_t dim);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_EXTENTSOURCE_H
