// The TensorFlow importer. Input: a graph as read. Output: a module at phase
// `imported`, or null and diagnostics. It imports only nodes reachable from the
// chosen entries, so nodes for training, saving and summaries are ignored.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFIMPORTER_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFIMPORTER_H

#include "compiler/import/tensorflow/reader/TfModel.h"
#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon {

/// Checks which extents of an imported module must be equal and marks them with
/// `tenon.check_size`. It is a function pointer because importers must not
/// depend on passes.
using SizeChecker = llvm::LogicalResult (*)(mlir::ModuleOp);

/// Imports a function for each of `options.entries`, or one for `options.feeds`
/// and `options.fetches`. Without these options: the only signature, else
/// `serving_default`. For a frozen graph: from its placeholders to the results
/// without users.
mlir::OwningOpRef<mlir::ModuleOp>
importTensorFlow(mlir::MLIRContext &context, tf::Model &model,
                 const CompileOptions &options, SizeChecker checkSizes,
                 const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFIMPORTER_H
