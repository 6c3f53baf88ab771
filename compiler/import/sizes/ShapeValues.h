// Integer tensors that hold shapes, positions or axes, as sizes. Their elements
// are traced through the ops that compute them to constants and extents. Other
// elements are read from the tensor at run time.
#ifndef TENON_COMPILER_IMPORT_SIZES_SHAPEVALUES_H
#define TENON_COMPILER_IMPORT_SIZES_SHAPEVALUES_H

#include "compiler/import/graph/GraphBuilder.h"
#include "compiler/import/sizes/NumberRanges.h"

namespace tenon {

class ShapeValues {
public:
  /// Tensors with more elements are not traced.
  static constexpr int64_t maxElements = 1024;

  explicit ShapeValues(GraphBuilder &builder)
      : g(builder), ranges(builder, *this) {}

  /// The elements of an integer or bool tensor in row-major order. Null if
  /// their number is dynamic or greater than maxElements. Elements that cannot
  /// be traced become `tensor.extract`.
  std::optional<Sizes> elements(mlir::Value tensor);

  /// The elements of integers or floats, where all can be traced.
  std::optional<Sizes> tracedElements(mlir::Value tensor);

  /// The elements where all of them are constants.
  std::optional<llvm::SmallVector<int64_t>> constants(mlir::Value tensor);

  /// Remembers the elements of a vector that is stored as a weight.
  void remember(mlir::Value weight, mlir::DenseElementsAttr elements) {
    vectors[weight] = elements;
  }

  /// The elements of a constant tensor of floats or integers, or of a vector
  /// that is remembered; null for others.
  std::optional<llvm::SmallVector<double>> constantFloats(mlir::Value tensor);

  /// The constant that `tensor` is equal to, found through reshapes and
  /// broadcasts of splats; null if there is none.
  mlir::DenseElementsAttr constantOf(mlir::Value tensor);

private:
  GraphBuilder &g;
  llvm::DenseMap<mlir::Value, Sizes> memo;
  llvm::DenseMap<mlir::Value, mlir::DenseElementsAttr> vectors;
  NumberRanges ranges;

  std::optional<Sizes> trace(mlir::Value tensor);
  Sizes extractAll(mlir::Value tensor, int64_t count);
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_SHAPEVALUES_H
