// Shape rules as pure functions of extents: what verifiers and builders both
// call. An extent is a size or kDynamic.
#ifndef TENON_DIALECTS_TENON_SHAPERULES_H
#define TENON_DIALECTS_TENON_SHAPERULES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tenon {

using Extents = llvm::ArrayRef<int64_t>;

/// A shape, or why there is none (the label of the violated constraint stands
/// in the text).
struct ShapeOrError {
  llvm::SmallVector<int64_t> shape;
  std::string error; ///< empty when all is well
  bool ok() const { return error.empty(); }
};

ShapeOrError shapeError(const llvm::Twine &text);

/// Whether two extents may be equal: one is unknown, or they are.
bool compatible(int64_t a, int64_t b);

/// The two shapes agree wherever both are known.
bool compatible(Extents a, Extents b);

/// The product of all extents; kDynamic when one is unknown (zero wins), or
/// when it exceeds int64_t.
int64_t elementCount(Extents shape);

/// Batch, lhs free, rhs free (dot_general C1 to C4).
ShapeOrError dotGeneralShape(Extents lhs, Extents rhs, Extents lhsBatch,
                             Extents rhsBatch, Extents lhsContract,
                             Extents rhsContract);

/// One extent of a window op: the number of places a dilated window takes in a
/// padded, dilated extent; never negative.
int64_t windowExtent(int64_t size, int64_t window, int64_t stride, int64_t low,
                     int64_t high, int64_t sizeDilation,
                     int64_t windowDilation);

/// [batch, spatial..., outputs] (convolution C1 to C3).
ShapeOrError convolutionShape(Extents lhs, Extents rhs, Extents strides,
                              Extents padding, Extents lhsDilation,
                              Extents rhsDilation, int64_t groups);

/// (reduce_window C1).
ShapeOrError reduceWindowShape(Extents operand, Extents window, Extents strides,
                               Extents dilations, Extents padding);

/// The operand's shape without `dims` (reduce C1).
ShapeOrError reduceShape(Extents operand, Extents dims);

/// (transpose C1).
ShapeOrError transposeShape(Extents operand, Extents permutation);

/// (concatenate C1, C2).
ShapeOrError concatenateShape(llvm::ArrayRef<Extents> operands, int64_t dim);

/// (pad C1, C3); unknown where any part is.
ShapeOrError padShape(Extents operand, Extents low, Extents high,
                      Extents interior);

/// (gather C1 to C5).
ShapeOrError gatherShape(Extents operand, Extents indices, Extents offsetDims,
                         Extents collapsedDims, Extents operandBatching,
                         Extents indicesBatching, Extents startIndexMap,
                         int64_t indexVectorDim, Extents sliceSizes);

/// Extents in the order [batch..., rows or keys, depth] of a tensor whose
/// dimension `order[i]` is the i-th of these.
llvm::SmallVector<int64_t> inOrder(Extents shape, Extents order);

/// [batch..., rows, value depth] from extents in that order (attention C2, C3).
ShapeOrError attentionShape(Extents query, Extents key, Extents value);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_SHAPERULES_H
