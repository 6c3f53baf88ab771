// Loads a model file of any format as a module at phase `imported`, or
// describes it. The format is found by the content, not by the name.
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
  OpenFiles openFiles;                ///< files with the model's weights
};

/// Reads and imports options.input. Options that only another format of
/// `formats` supports are refused.
LoadedModel loadModel(mlir::MLIRContext &context, const CompileOptions &options,
                      const DiagnosticHandler &report,
                      FormatTable formats = modelFormats());

/// Reads and describes options.input. After an error the summary is empty and
/// `status` is the class of the error.
ModelSummary describeModel(const CompileOptions &options,
                           const DiagnosticHandler &report, Status &status,
                           FormatTable formats = modelFormats());

/// The files that a compilation of options.input may read: first the model's
/// own file, or the first file in the folder of a SavedModel. Empty if
/// options.input is no model.
std::vector<std::string> listModelFiles(const CompileOptions &options,
                                        FormatTable formats = modelFormats());

} // namespace tenon

#endif // TENON_COMPILER_FORMATS_MODELLOADER_H
