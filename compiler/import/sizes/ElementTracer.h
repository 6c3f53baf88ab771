// Traces the elements of small tensors through the ops that compute them.
#ifndef TENON_COMPILER_IMPORT_SIZES_ELEMENTTRACER_H
#define TENON_COMPILER_IMPORT_SIZES_ELEMENTTRACER_H

#include "compiler/import/sizes/ShapeValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace tenon {

class ElementTracer {
public:
  using Known = llvm::DenseMap<mlir::Value, Sizes>;
  /// Returns the elements of an integer tensor that cannot be traced; nullopt
  /// if it has none to offer.
  using Reader = llvm::function_ref<std::optional<Sizes>(mlir::Value)>;

  /// Looks up `known` first, and adds all elements found.
  ElementTracer(GraphBuilder &builder, ShapeValues &shapes, Known &known,
                Reader read)
      : g(builder), shapes(shapes), known(known), read(read) {}

  /// The elements in row-major order: sizes for integers and bools, float
  /// attributes or values for f32 and f64. Null if their number is dynamic or
  /// greater than ShapeValues::maxElements. Also null for floats that do not
  /// come from extents and constants: these are data.
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
  llvm::DenseSet<mlir::Value> untraceable; ///< in the current walk
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_ELEMENTTRACER_H
