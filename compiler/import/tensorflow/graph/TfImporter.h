// The TensorFlow importer: a graph as read goes in, a module at phase
// `imported` comes out, or diagnostics and nothing. Only what the chosen entry
// reaches is looked at: training, saving and summaries stay in the file.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFIMPORTER_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFIMPORTER_H

#include "compiler/import/tensorflow/reader/TfModel.h"
#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon {

/// Checks which extents of an imported module must agree and marks them with
/// `tenon.check_size`; passes do that, and importers stand below passes.
using SizeChecker = llvm::LogicalResult (*)(mlir::ModuleOp);

/// A function for each of `options.tensorflow.entries`, or one for its `feeds`
/// and `fetches`, else the only signature or `serving_default`, else, for a
/// frozen graph, its placeholders and what nothing consumes.
mlir::OwningOpRef<mlir::ModuleOp>
importTensorFlow(mlir::MLIRContext &context, tf::Model &model,
                 const CompileOptions &options, SizeChecker checkSizes,
                 const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFIMPORTER_H
