// The interface of a model format: how its files are recognized, read, imported
// and described. One file implements a format, and one row of ModelFormats.cpp
// lists it.
#ifndef TENON_COMPILER_FORMATS_MODELFORMAT_H
#define TENON_COMPILER_FORMATS_MODELFORMAT_H

#include "compiler/files/OpenFile.h"
#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"
#include "compiler/report/ModelSummary.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon {

/// A file that a model was read from.
struct ModelFile {
  std::string path;                     ///< as in messages and `tenon.source`
  std::shared_ptr<const OpenFile> file; ///< null if closed after reading
};

/// A model that its reader has checked; it has no IR yet.
class ReadModel {
public:
  virtual ~ReadModel() = default;

  /// Imports the model as a module at phase `imported`. Null after an error,
  /// which was sent to `report` or to the diagnostics of `context`.
  virtual mlir::OwningOpRef<mlir::ModuleOp>
  import(mlir::MLIRContext &context, const CompileOptions &options,
         const DiagnosticHandler &report) = 0;

  /// A description of the model, unsupported operators included. Null after an
  /// error was reported.
  virtual std::optional<ModelSummary>
  describe(const CompileOptions &options, const DiagnosticHandler &report) = 0;

  /// The model's own file first, then the files that it names.
  std::vector<ModelFile> files;
};

class ModelFormat {
public:
  virtual ~ModelFormat() = default;

  /// True if the content of `path` has this format; false if it cannot be read.
  virtual bool recognise(const std::string &path) const = 0;

  /// Checks that options.input can be compiled with `options`, before it is
  /// read. False after an error was reported. Descriptions do not call this.
  virtual bool checkRequest(const CompileOptions &options,
                            const DiagnosticHandler &report) const {
    return true;
  }

  /// Reads options.input. Null after an error was reported.
  virtual std::unique_ptr<ReadModel>
  read(const CompileOptions &options,
       const DiagnosticHandler &report) const = 0;

  /// The files that a compilation of options.input may read, the model's own
  /// first. Empty if the model cannot be read. The default implementation reads
  /// the model.
  virtual std::vector<std::string>
  listFiles(const CompileOptions &options) const;

  /// Resets the options that only this format supports.
  virtual void takeOwnOptions(CompileOptions &options) const {}

  /// An error message for models of other formats, if `options` has options
  /// that only this format supports; else empty.
  virtual std::string refuseElsewhere(const CompileOptions &options) const {
    return "";
  }
};

} // namespace tenon

#endif // TENON_COMPILER_FORMATS_MODELFORMAT_H
