// The importer of checkpoint folders. Input: a folder as read. Output: a module
// at phase `imported`, or null and diagnostics. Weights refer to the bytes of
// the folder's files.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GRAPH_HUGGINGFACEIMPORTER_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GRAPH_HUGGINGFACEIMPORTER_H

#include "compiler/import/huggingface/reader/Checkpoint.h"
#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon {

/// Imports the entries that docs/huggingface.md lists, or those that the
/// options name.
mlir::OwningOpRef<mlir::ModuleOp>
importHuggingFace(mlir::MLIRContext &context, const hf::Checkpoint &checkpoint,
                  const CompileOptions &options,
                  const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GRAPH_HUGGINGFACEIMPORTER_H
