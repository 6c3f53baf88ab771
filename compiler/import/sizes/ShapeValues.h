// Integer tensors that denote shapes, positions and axes, as sizes: their
// elements are traced through the ops that computed them to constants and
// extents, and read from the tensor in the run where that is not possible.
#ifndef TENON_COMPILER_IMPORT_SIZES_SHAPEVALUES_H
#define TENON_COMPILER_IMPORT_SIZES_SHAPEVALUES_H

#include "compiler/import/graph/GraphBuilder.h"
#include "compiler/import/sizes/NumberRanges.h"

namespace tenon {

class ShapeValues {
public:
  /// Tensors of more elements are not traced.
  static constexpr int64_t maxElements = 1024;

  explicit ShapeValues(GraphBuilder &builder)
      : g(builder), ranges(builder, *this) {}

  /// The elements of an integer or bool tensor of rank 0 or 1 (or more, row by
  /// row) of at most maxElements elements; nothing when their number is not
  /// static or too great. Elements that cannot be traced become
  /// `tensor.extract`.
  std::optional<Sizes> elements(mlir::Value tensor);

  /// The elements of integers or floats, where all can be traced.
  std::optional<Sizes> tracedElements(mlir::Value tensor);

  /// The elements where all of them are constants.
  std::optional<llvm::SmallVector<int64_t>> constants(mlir::Value tensor);

  /// The elements of a constant tensor of floats or integers.
  std::optional<llvm::SmallVector<double>> constantFloats(mlir::Value tensor);

  /// The constant a value is, through reshapes and broadcasts of splats, or
  /// null.
  mlir::DenseElementsAttr constantOf(mlir::Value tensor);

private:
  GraphBuilder &g;
  llvm::DenseMap<mlir::Value, Sizes> memo;
  NumberRanges ranges;

  std::optional<Sizes> trace(mlir::Value tensor);
  Sizes extractAll(mlir::Value tensor, int64_t count);
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_SHAPEVALUES_H
