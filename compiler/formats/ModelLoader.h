// From a model file to a module at phase `imported` or to a description,
// whatever its format: found by content, not by name.
#ifndef TENON_COMPILER_FORMATS_MODELLOADER_H
#define TENON_COMPILER_FORMATS_MODELLOADER_H

#include "compiler/files/OpenFile.h"
#include "compiler/formats/ModelFormats.h"
#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"
#include "compiler/report/ModelSummary.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace tenon {

struct LoadedModel {
  mlir::OwningOpRef<mlir::ModuleOp>
      module; ///< null after an error was reported
  Status status = Status::Success;
  std::vector<std::string> filesRead; ///< the model's own file first
  OpenFiles openFiles;                ///< those its weights lie in
};

/// Reads options.input and imports it. Options that only another format of
/// `formats` understands are refused.
LoadedModel loadModel(mlir::MLIRContext &context, const CompileOptions &options,
                      const DiagnosticHandler &report,
                      FormatTable formats = modelFormats());

/// Reads options.input and says what it holds. `status` is the class of the
/// error after which the summary is empty.
ModelSummary describeModel(const CompileOptions &options,
                           const DiagnosticHandler &report, Status &status,
                           FormatTable formats = modelFormats());

/// The files a compilation of options.input may read, its own or the first file
/// of a SavedModel's folder foremost; none where it is no model.
std::vector<std::string> listModelFiles(const CompileOptions &options,
                                        FormatTable formats = modelFormats());

} // namespace tenon

#endif // TENON_COMPILER_FORMATS_MODELLOADER_H
