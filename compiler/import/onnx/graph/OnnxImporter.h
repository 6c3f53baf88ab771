// The ONNX importer: a checked model goes in, a module at phase `imported`
// comes out, or diagnostics and nothing.
#ifndef TENON_COMPILER_IMPORT_ONNX_GRAPH_ONNXIMPORTER_H
#define TENON_COMPILER_IMPORT_ONNX_GRAPH_ONNXIMPORTER_H

#include "compiler/import/onnx/reader/OnnxModel.h"
#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon {

/// The user's options about a model's inputs.
struct ImportOptions {
  std::vector<DimOption> dims;     ///< a range of one number makes it static
  std::vector<ShapeOption> shapes; ///< replaces an input's declared shape
};

/// One func.func @main with `tenon.name` and `tenon.dims` on its arguments and
/// `tenon.name` on its results; weights as symbols. Module attributes:
/// `tenon.producer`, `tenon.source`, and `tenon.ranges`, a dictionary from the
/// name of a dynamic dimension to [min, max, multiple] where the user gave one.
/// All unsupported uses of a model are reported as one error.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(mlir::MLIRContext &context,
                                             const onnx::Model &model,
                                             const ImportOptions &options,
                                             const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_ONNX_GRAPH_ONNXIMPORTER_H
