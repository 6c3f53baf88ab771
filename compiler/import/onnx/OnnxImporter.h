// The ONNX importer: a checked model goes in, a module at phase `imported`
// comes out, or diagnostics and nothing.
#ifndef TENON_COMPILER_IMPORT_ONNX_ONNXIMPORTER_H
#define TENON_COMPILER_IMPORT_ONNX_ONNXIMPORTER_H

#include "compiler/CompileOptions.h"
#include "compiler/import/onnx/OnnxModel.h"
#include "compiler/report/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon {

/// What the user says about a model's inputs.
struct ImportOptions {
  std::vector<DimOption> dims;     ///< a range of one number makes it static
  std::vector<ShapeOption> shapes; ///< replaces an input's declared shape
};

/// One func.func @main with its weights as symbols. Inputs, outputs, dynamic
/// dimensions and the module have the annotations that Annotations.td says
/// importers write. All unsupported uses of a model are reported as one error.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(mlir::MLIRContext &context,
                                             const onnx::Model &model,
                                             const ImportOptions &options,
                                             const DiagnosticHandler &report);

/// Loads the dialects an imported module is written in.
void loadImportDialects(mlir::MLIRContext &context);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_ONNX_ONNXIMPORTER_H
