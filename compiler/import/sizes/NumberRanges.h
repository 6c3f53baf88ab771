// Infers the range of a tensor's numbers from its ops. It bounds the sizes that
// the run reads from the tensor.
#ifndef TENON_COMPILER_IMPORT_SIZES_NUMBERRANGES_H
#define TENON_COMPILER_IMPORT_SIZES_NUMBERRANGES_H

#include "compiler/import/sizes/FloatSizes.h"

namespace tenon {

class ShapeValues;

/// The interval [low, high] that holds every number except NaN, which may occur
/// too. An end is an f64 attribute or a value that is known before the run;
/// null if nothing limits the numbers on that side.
struct NumberRange {
  Size low, high;
};

class NumberRanges {
public:
  NumberRanges(GraphBuilder &g, ShapeValues &shapes)
      : g(g), floats(g), shapes(shapes) {}

  /// `element`, an element of the integer tensor `tensor`, limited to the range
  /// of its numbers. Memory is planned by these limits. They are part of the
  /// size's arithmetic, so they hold for a number that was converted from NaN,
  /// too.
  Size limit(Size element, mlir::Value tensor);

private:
  NumberRange of(mlir::Value tensor, int depth);
  NumberRange infer(mlir::Value tensor, int depth);
  NumberRange inferOp(mlir::Operation *op, mlir::OpResult result, int depth);
  NumberRange ofConstant(mlir::DenseElementsAttr constant);
  std::optional<NumberRange> ofElements(mlir::Value tensor);
  bool isKnownBeforeRun(mlir::Value size, int depth);

  using Combine = llvm::function_ref<Size(Size, Size)>;
  Size number(double value);
  NumberRange unite(NumberRange a, NumberRange b);
  NumberRange least(NumberRange a, NumberRange b);
  NumberRange greatest(NumberRange a, NumberRange b);
  NumberRange sum(NumberRange a, NumberRange b);
  NumberRange negated(NumberRange a);
  NumberRange product(NumberRange a, NumberRange b);
  NumberRange quotient(NumberRange a, NumberRange b);
  NumberRange whole(NumberRange a);
  NumberRange corners(NumberRange a, NumberRange b, Combine apply);
  NumberRange inType(NumberRange range, mlir::Type type);

  GraphBuilder &g;
  FloatSizes floats;
  ShapeValues &shapes;
  llvm::DenseMap<mlir::Value, NumberRange> known;
  llvm::DenseMap<mlir::Value, bool> knownBeforeRun;
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_NUMBERRANGES_H
