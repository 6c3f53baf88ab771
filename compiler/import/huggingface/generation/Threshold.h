// Elements of long rows by the weight of those before them, found without
// sorting.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_THRESHOLD_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_THRESHOLD_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon::hf {

/// The greatest number t of each row, f32 [rows, 1], for which the elements of
/// `x`, f32 [rows, n], that are at least t weigh `target` or more together;
/// -inf if there is none. `weights` is [rows, n], not negative, and `target` of
/// its element type can be broadcast to [rows, 1].
mlir::Value thresholdOf(GraphBuilder &g, mlir::Value x, mlir::Value weights,
                        mlir::Value target);

/// True for the elements of `x` that a stable descending sort has behind the
/// first ones that weigh `target` or more together. One element at least comes
/// before them.
mlir::Value isBehind(GraphBuilder &g, mlir::Value x, mlir::Value weights,
                     mlir::Value target);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_THRESHOLD_H
