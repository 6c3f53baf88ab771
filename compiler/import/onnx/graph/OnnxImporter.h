// The ONNX importer. Input: a checked model. Output: a module at phase
// `imported`, or null and diagnostics.
#ifndef TENON_COMPILER_IMPORT_ONNX_GRAPH_ONNXIMPORTER_H
#define TENON_COMPILER_IMPORT_ONNX_GRAPH_ONNXIMPORTER_H

#include "compiler/import/onnx/reader/OnnxModel.h"
#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon {

/// The user's options for the model's inputs.
struct ImportOptions {
  std::vector<DimOption> dims;     ///< a range of one number: static
  std::vector<ShapeOption> shapes; ///< replaces the declared shape of an input
};

/// Imports a model as one func.func @main with `tenon.name` and `tenon.dims` on
/// its arguments and `tenon.name` on its results. Weights are symbols of the
/// module. The module has the attributes `tenon.producer`, `tenon.source` and,
/// for dynamic dimensions whose range the user gave, `tenon.ranges`: name to
/// [min, max, multiple]. All unsupported uses of a model are reported as one
/// error.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(mlir::MLIRContext &context,
                                             const onnx::Model &model,
                                             const ImportOptions &options,
                                             const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_ONNX_GRAPH_ONNXIMPORTER_H
