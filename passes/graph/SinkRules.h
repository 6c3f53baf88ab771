// How each op looks below the transpose of its operands.
#ifndef TENON_PASSES_GRAPH_SINKRULES_H
#define TENON_PASSES_GRAPH_SINKRULES_H

#include "passes/graph/TransposedValue.h"

#include <functional>
#include <optional>

namespace tenon {

/// What an op looks like below the transpose of its operands.
struct Sunk {
  int64_t operands = 0; ///< as many operands are transposed, the rest stays
  /// Adapts the attributes of the copy, which has the new operands already.
  std::function<void(mlir::Operation *)> adapt = [](mlir::Operation *) {};
  /// Set where the result has other dimensions than the operand.
  std::optional<Permutation> resultPermutation;
};

/// How `op` looks on operands before their transpose; nothing where it depends
/// on the order of dimensions.
std::optional<Sunk> sinkInto(mlir::Operation *op,
                             llvm::ArrayRef<int64_t> permutation);

} // namespace tenon

#endif // TENON_PASSES_GRAPH_SINKRULES_H
