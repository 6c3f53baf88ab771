// Finds the format that recognizes the model and reads the model with it.
#include "compiler/formats/ModelLoader.h"

#include "compiler/formats/ModelFormat.h"

using namespace mlir;

namespace tenon {

static const ModelFormat *findFormat(const CompileOptions &options,
                                     FormatTable formats,
                                     const DiagnosticHandler &report) {
  for (const ModelFormat *format : formats)
    if (format->recognise(options.input))
      return format;
  report({.file = options.input,
          .text = "expected a model of a known format",
          .status = Status::InvalidModel});
  return nullptr;
}

/// Refuses options that only formats other than `own` support.
static bool checkOptions(const ModelFormat &own, FormatTable formats,
                         const CompileOptions &options,
                         const DiagnosticHandler &report) {
  CompileOptions others = options;
  own.takeOwnOptions(others);
  for (const ModelFormat *format : formats)
    if (std::string text = format->refuseElsewhere(others); !text.empty()) {
      report({.file = options.input, .text = text, .status = Status::Usage});
      return false;
    }
  return true;
}

/// Passes diagnostics to `report` and stores the status of the last error in
/// `status`.
static DiagnosticHandler keepStatus(const DiagnosticHandler &report,
                                    Status &status) {
  return [&](const tenon::Diagnostic &diagnostic) {
    if (diagnostic.severity == Severity::Error &&
        diagnostic.status != Status::Success)
      status = diagnostic.status;
    report(diagnostic);
  };
}

LoadedModel loadModel(MLIRContext &context, const CompileOptions &options,
                      const DiagnosticHandler &report, FormatTable formats) {
  LoadedModel loaded;
  loaded.filesRead.push_back(options.input);
  Status refusal = Status::Failure;
  DiagnosticHandler remember = keepStatus(report, refusal);
  std::unique_ptr<ReadModel> model;
  if (const ModelFormat *format = findFormat(options, formats, remember))
    if (format->checkRequest(options, remember) &&
        checkOptions(*format, formats, options, remember))
      model = format->read(options, remember);
  if (model) {
    loaded.filesRead.clear();
    for (const ModelFile &file : model->files) {
      loaded.filesRead.push_back(file.path);
      if (file.file)
        loaded.openFiles.emplace(file.path, file.file);
    }
    // Errors of MLIR's parser do not pass through `remember`, so set their
    // status here.
    refusal = Status::InvalidModel;
    loaded.module = model->import(context, options, remember);
  }
  loaded.status = loaded.module ? Status::Success : refusal;
  return loaded;
}

ModelSummary describeModel(const CompileOptions &options,
                           const DiagnosticHandler &report, Status &status,
                           FormatTable formats) {
  Status refusal = Status::Failure;
  DiagnosticHandler remember = keepStatus(report, refusal);
  std::unique_ptr<ReadModel> model;
  if (const ModelFormat *format = findFormat(options, formats, remember))
    model = format->read(options, remember);
  std::optional<ModelSummary> summary;
  if (model)
    summary = model->describe(options, remember);
  status = summary ? Status::Success : refusal;
  return summary.value_or(ModelSummary());
}

std::vector<std::string> listModelFiles(const CompileOptions &options,
                                        FormatTable formats) {
  const ModelFormat *format =
      findFormat(options, formats, [](const tenon::Diagnostic &) {});
  return format ? format->listFiles(options) : std::vector<std::string>();
}

std::vector<std::string>
ModelFormat::listFiles(const CompileOptions &options) const {
  std::unique_ptr<ReadModel> model =
      read(options, [](const tenon::Diagnostic &) {});
  std::vector<std::string> paths;
  if (model)
    for (const ModelFile &file : model->files)
      paths.push_back(file.path);
  return paths;
}

} // namespace tenon
