// Rules for moving an op above the transpose of its operands.
#ifndef TENON_PASSES_GRAPH_SINKRULES_H
#define TENON_PASSES_GRAPH_SINKRULES_H

#include "passes/graph/TransposedValue.h"

#include <functional>
#include <optional>

namespace tenon {

/// The form of an op above the transpose of its operands.
struct Sunk {
  int64_t operands = 0; ///< number of leading operands that are transposed
  /// Adapts the attributes of the clone, which already has the new operands.
  std::function<void(mlir::Operation *)> adapt = [](mlir::Operation *) {};
  /// Set if the result's dimensions differ from the operand's.
  std::optional<Permutation> resultPermutation;
};

/// How `op` changes when it moves above the transpose of its operands; nullopt
/// if it depends on the order of dimensions.
std::optional<Sunk> sinkInto(mlir::Operation *op,
                             llvm::ArrayRef<int64_t> permutation);

} // namespace tenon

#endif // TENON_PASSES_GRAPH_SINKRULES_H
