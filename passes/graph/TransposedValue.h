// Finds the value before a transpose: its type, and the value itself if the
// transpose can be removed at no cost at run time.
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

/// True if the permutation moves only extents of one.
bool movesOnlyOnes(mlir::RankedTensorType type,
                   llvm::ArrayRef<int64_t> permutation);

/// True if the compiler knows the elements, so that a transpose is done at
/// compile time.
bool isKnownTensor(mlir::Value value);

/// True if `value` is a transpose by `permutation` that can be removed at no
/// cost at run time.
bool canStripTranspose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);

/// The value whose transpose by `permutation` is `value`.
mlir::Value stripTranspose(mlir::OpBuilder &builder, mlir::Value value,
                           llvm::ArrayRef<int64_t> permutation);

} // namespace tenon

#endif // TENON_PASSES_GRAPH_TRANSPOSEDVALUE_H
