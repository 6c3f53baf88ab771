// The elements of small tensors, traced through the ops that computed them.
#ifndef TENON_COMPILER_IMPORT_SIZES_ELEMENTTRACER_H
#define TENON_COMPILER_IMPORT_SIZES_ELEMENTTRACER_H

#include "compiler/import/sizes/ShapeValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace tenon {

class ElementTracer {
public:
  using Known = llvm::DenseMap<mlir::Value, Sizes>;
  /// Gives the elements of integers that cannot be traced, or nothing.
  using Reader = llvm::function_ref<std::optional<Sizes>(mlir::Value)>;

  /// `known` is asked first, and has all that was found afterwards.
  ElementTracer(GraphBuilder &builder, ShapeValues &shapes, Known &known,
                Reader read)
      : g(builder), shapes(shapes), known(known), read(read) {}

  /// The elements, row by row: sizes where they are integers or bools, float
  /// attributes or values where they are f32 or f64. Nothing when their number
  /// is not static or greater than ShapeValues::maxElements, and for floats
  /// that cannot be traced to extents and constants: they are data.
  std::optional<Sizes> elements(mlir::Value tensor, int depth = 0);

private:
  std::optional<Sizes> trace(mlir::Value tensor, int depth);
  std::optional<Sizes> traceOp(mlir::Operation *op,
                               llvm::ArrayRef<Sizes> operands);
  std::optional<Sizes> traceBranch(mlir::OpResult result, int depth);
  Size conditionOf(mlir::scf::IfOp branch, int depth);
  std::optional<Sizes> traceElements(mlir::Operation *op,
                                     llvm::ArrayRef<Sizes> operands);
  std::optional<Sizes> traceReduce(ReduceOp reduce, const Sizes &from);
  std::optional<Sizes> traceCumulative(CumulativeOp op, const Sizes &from);
  Sizes traceIota(IotaOp iota);

  GraphBuilder &g;
  ShapeValues &shapes;
  Known &known;
  Reader read;
  llvm::DenseSet<mlir::Value> untraceable; ///< of this walk
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_ELEMENTTRACER_H
