// A model format: how its files are recognised, read, imported and described.
// One file implements it, one row of ModelFormats.cpp lists it.
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
  std::string path; ///< as messages and `tenon.source` name it
  std::shared_ptr<const OpenFile> file; ///< null: closed after it was read
};

/// A model as its reader checked it; no IR yet.
class ReadModel {
public:
  virtual ~ReadModel() = default;

  /// The module at phase `imported`. Null after an error, which `report` or
  /// MLIR's diagnostics of `context` have heard.
  virtual mlir::OwningOpRef<mlir::ModuleOp>
  import(mlir::MLIRContext &context, const CompileOptions &options,
         const DiagnosticHandler &report) = 0;

  /// What the model holds, unsupported operators included; nullopt after a
  /// report.
  virtual std::optional<ModelSummary>
  describe(const CompileOptions &options, const DiagnosticHandler &report) = 0;

  /// The model's own file first, then those that it names.
  std::vector<ModelFile> files;
};

class ModelFormat {
public:
  virtual ~ModelFormat() = default;

  /// Whether the content at `path` is of this format; false for what cannot be
  /// read.
  virtual bool recognise(const std::string &path) const = 0;

  /// Whether options.input can be compiled with `options`, asked before it is
  /// read; false after a report. Descriptions are made in any case.
  virtual bool checkRequest(const CompileOptions &options,
                            const DiagnosticHandler &report) const {
    return true;
  }

  /// Reads options.input; null after a report.
  virtual std::unique_ptr<ReadModel>
  read(const CompileOptions &options,
       const DiagnosticHandler &report) const = 0;

  /// The files a compilation of options.input may read, the model's own first;
  /// none if the model cannot be read. Without an override the model is read.
  virtual std::vector<std::string>
  listFiles(const CompileOptions &options) const;

  /// Resets the options that this format understands and others do not.
  virtual void takeOwnOptions(CompileOptions &options) const {}

  /// The refusal of models of other formats if `options` has some that only
  /// this format understands; else empty.
  virtual std::string refuseElsewhere(const CompileOptions &options) const {
    return "";
  }
};

} // namespace tenon

#endif // TENON_COMPILER_FORMATS_MODELFORMAT_H
