// `tenon inspect` shows the contents of a model file or an artifact without
// running it, as text, as JSON or as a page.
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/LoadedModel.h"
#include "tools/tenon/PhaseProgress.h"
#include "tools/tenon/inspect/Artifact.h"
#include "tools/tenon/inspect/Model.h"
#include "tools/tenon/report/Report.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tenon::cli::options;

namespace tenon::cli {

static void printJson(llvm::json::Object object) {
  llvm::outs() << llvm::formatv("{0:2}\n",
                                llvm::json::Value(std::move(object)));
}

static Status inspectArtifact(Invocation &call, const std::string &path,
                              const std::string &format) {
  LoadedModel model;
  LoadedModel::Options loading;
  loading.describeOnly = true;
  Status status = model.open(call.talk, path, path, loading);
  if (status != Status::Success)
    return status;
  if (call.args.hasArg(OPT_html))
    return writeReport(call, artifactAsJson(model),
                       launchesOf(model.getDesc()));
  if (format == "json")
    printJson(artifactAsJson(model));
  else
    printArtifact(model, call.args.hasArg(OPT_ops));
  return Status::Success;
}

/// Compiles the model up to its kernels and writes the page.
static Status reportModel(Invocation &call, const CompileOptions &options,
                          const ModelSummary &summary) {
  Status status = Status::Success;
  Compiler compiler(call.talk.handler());
  showPhases(call, compiler, Compiler::countGraphSteps());
  ModelGraph graph = compiler.graph(options, status);
  if (status != Status::Success)
    return status;
  return writeReport(call, summaryAsJson(summary), graph);
}

Status inspectVerb(Invocation &call) {
  std::string path, format;
  CompileOptions options;
  Status status = readOnePositional(call, "a model or artifact", path);
  auto then = [&](auto step) {
    if (status == Status::Success)
      status = step();
  };
  then([&] {
    return readChoice(call, OPT_format, {"text", "json"}, "text", format);
  });
  then([&] { return readShapeFlags(call, options); });
  then([&] { return readCodeFlags(call, options); });
  then([&] { return readVariantFlags(call, options); });
  then([&] { return readEntryFlags(call, options.tensorflow); });
  then([&] { return checkReportFlags(call, path); });
  if (status != Status::Success)
    return status;
  if (isArtifact(path))
    return inspectArtifact(call, path, format);
  options.input = path;
  options.emit = EmitKind::Mlir;
  ModelSummary summary =
      Compiler(call.talk.handler()).describe(options, status);
  if (status != Status::Success)
    return status;
  if (call.args.hasArg(OPT_html))
    return reportModel(call, options, summary);
  if (format == "json")
    printJson(summaryAsJson(summary));
  else
    printSummary(summary, call.args.hasArg(OPT_ops));
  return Status::Success;
}

} // namespace tenon::cli
