// Shape rules as pure functions of extents, called by verifiers and builders.
// An extent is a size or kDynamic.
#ifndef TENON_DIALECTS_TENON_SHAPERULES_H
#define TENON_DIALECTS_TENON_SHAPERULES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tenon {

using Extents = llvm::ArrayRef<int64_t>;

/// A shape, or an error text that contains the label of the violated
/// constraint.
struct ShapeOrError {
  llvm::SmallVector<int64_t> shape;
  std::string error; ///< empty when all is well
  bool ok() const { return error.empty(); }
};

ShapeOrError shapeError(const llvm::Twine &text);

/// True if two extents may be equal: they are equal or one is unknown.
bool compatible(int64_t a, int64_t b);

/// True if the two shapes have equal rank and every two extents may be equal.
bool compatible(Extents a, Extents b);

/// The product of all extents; kDynamic if it exceeds int64_t or an extent is
/// unknown. It is 0 if any extent is 0.
int64_t elementCount(Extents shape);

/// The shape [batch..., lhs free..., rhs free...] (dot_general C1 to C4).
ShapeOrError dotGeneralShape(Extents lhs, Extents rhs, Extents lhsBatch,
                             Extents rhsBatch, Extents lhsContract,
                             Extents rhsContract);

/// One result extent of a window op: the number of positions of a dilated
/// window in a padded, dilated extent; never negative.
int64_t windowExtent(int64_t size, int64_t window, int64_t stride, int64_t low,
                     int64_t high, int64_t sizeDilation,
                     int64_t windowDilation);

/// The shape [batch, spatial..., outputs] (convolution C1 to C3).
ShapeOrError convolutionShape(Extents lhs, Extents rhs, Extents strides,
                              Extents padding, Extents lhsDilation,
                              Extents rhsDilation, int64_t groups);

/// The number of window positions along each dimension (reduce_window C1).
ShapeOrError reduceWindowShape(Extents operand, Extents window, Extents strides,
                               Extents dilations, Extents padding);

/// The operand's shape without `dims` (reduce C1).
ShapeOrError reduceShape(Extents operand, Extents dims);

/// The operand's shape in the order of `permutation` (transpose C1).
ShapeOrError transposeShape(Extents operand, Extents permutation);

/// The shape with the sum of all extents at `dim` (concatenate C1, C2).
ShapeOrError concatenateShape(llvm::ArrayRef<Extents> operands, int64_t dim);

/// The padded shape (pad C1, C3); an extent is unknown if any part of it is.
ShapeOrError padShape(Extents operand, Extents low, Extents high,
                      Extents interior);

/// The shape of the gathered slices (gather C1 to C5).
ShapeOrError gatherShape(Extents operand, Extents indices, Extents offsetDims,
                         Extents collapsedDims, Extents operandBatching,
                         Extents indicesBatching, Extents startIndexMap,
                         int64_t indexVectorDim, Extents sliceSizes);

/// The extents of `shape` in the order [batch..., rows or keys, depth];
/// order[i] is the dimension of the i-th of these.
llvm::SmallVector<int64_t> inOrder(Extents shape, Extents order);

/// The shape [batch..., rows, value depth]. The operands' extents come in the
/// order of the definition (attention C2, C3). With `byTable`, keys have a
/// first batch extent of their own.
ShapeOrError attentionShape(Extents query, Extents key, Extents value,
                            bool byTable = false);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_SHAPERULES_H
