// From a model file to a module at phase `imported`, whatever its format: found
// by content, not by name.
#ifndef TENON_COMPILER_MODELLOADER_H
#define TENON_COMPILER_MODELLOADER_H

#include "compiler/files/OpenFile.h"
#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace tenon {

struct LoadedModel {
  mlir::OwningOpRef<mlir::ModuleOp>
      module; ///< null after an error was reported
  Status status = Status::Success;
  std::vector<std::string> filesRead;
  OpenFiles openFiles; ///< those its weights lie in
};

/// Reads options.input: an ONNX model, a folder with a SavedModel, a frozen
/// TensorFlow graph, or MLIR text of a module at phase `imported`.
LoadedModel loadModel(mlir::MLIRContext &context, const CompileOptions &options,
                      const DiagnosticHandler &report);

/// The files a compilation of `input` may read, `input` or the first file of a
/// SavedModel's folder foremost; none where it is no model.
std::vector<std::string> listModelFiles(const std::string &input);

/// Whether the file is MLIR text; false also for files that cannot be read.
bool isMlirText(const std::string &path);

} // namespace tenon

#endif // TENON_COMPILER_MODELLOADER_H
