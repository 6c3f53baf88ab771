// Values as they are before a transpose: their types, and themselves where that
// costs nothing in the run.
#ifndef TENON_PASSES_GRAPH_TRANSPOSEDVALUE_H
#define TENON_PASSES_GRAPH_TRANSPOSEDVALUE_H

#include "dialects/tenon/TenonDialect.h"

namespace tenon {

using Permutation = llvm::SmallVector<int64_t>;

/// `list` of a transposed value, in the order before the transpose.
template <typename List>
auto beforeTranspose(const List &list, llvm::ArrayRef<int64_t> permutation) {
  llvm::SmallVector<std::decay_t<decltype(list[0])>> before(list.begin(),
                                                            list.end());
  for (auto [i, dim] : llvm::enumerate(permutation))
    before[dim] = list[i];
  return before;
}

mlir::RankedTensorType typeBefore(mlir::Value value,
                                  llvm::ArrayRef<int64_t> permutation);

/// Whether only extents of one change places.
bool movesOnlyOnes(mlir::RankedTensorType type,
                   llvm::ArrayRef<int64_t> permutation);

/// Whether the compiler knows the elements: a transpose is made once.
bool isKnownTensor(mlir::Value value);

/// Whether `value` is, at no cost in the run, a transpose by `permutation`.
bool canStripTranspose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);

/// The value whose transpose by `permutation` is `value`.
mlir::Value stripTranspose(mlir::OpBuilder &builder, mlir::Value value,
                           llvm::ArrayRef<int64_t> permutation);

} // namespace tenon

#endif // TENON_PASSES_GRAPH_TRANSPOSEDVALUE_H
