// Evaluates the model by the oracle after the ordinary import; no later phase
// is shared with the compiler. One exception: if weights are stored in fewer
// bits, the oracle runs after the phase that decides their stored form, because
// the stored values are then the model's weights.
#include "compiler/verify/Reference.h"

#include "compiler/formats/ModelLoader.h"
#include "compiler/oracle/Oracle.h"
#include "compiler/pipeline/Pipelines.h"
#include "compiler/report/PassDiagnostics.h"
#include "compiler/verify/ExposeIntermediates.h"
#include "dialects/tenon/Annotations.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tenon {

static constexpr std::pair<const char *, const char *> unsignedNames[] = {
    {"u8", "ui8"}, {"u16", "ui16"}, {"u32", "ui32"}, {"u64", "ui64"}};

static Type elementNamed(const std::string &dtype, MLIRContext *context) {
  if (dtype == "bool")
    return IntegerType::get(context, 1);
  for (auto [ours, theirs] : unsignedNames)
    if (dtype == ours)
      return parseType(theirs, context);
  return parseType(dtype, context);
}

static std::string nameOfElement(Type type) {
  if (type.isInteger(1))
    return "bool";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  for (auto [ours, theirs] : unsignedNames)
    if (text == theirs)
      return ours;
  return text;
}

/// Reads weights from the files that the reader has left open, so that the
/// bytes are those that were checked.
static WeightLoader weightsOf(OpenFiles files) {
  return [files = std::move(files)](
             StringRef path, int64_t offset,
             int64_t length) mutable -> llvm::Expected<std::vector<char>> {
    std::shared_ptr<const OpenFile> &file = files[path.str()];
    FileError error;
    if (!file && !(file = OpenFile::tryOpen(path.str(), error)))
      return llvm::createStringError(path + ": " + error.text);
    if (offset < 0 || length < 0 || uint64_t(length) > file->size())
      return llvm::createStringError(path + ": expected a range of its bytes");
    std::vector<char> bytes(length);
    if (!file->read(offset, bytes.data(), length))
      return llvm::createStringError(
          path + ": the file changed while the model was verified");
    return bytes;
  };
}

static Status fail(const DiagnosticHandler &report, const std::string &file,
                   Status status, std::string text) {
  Diagnostic d;
  d.file = file;
  d.place = "reference";
  d.text = std::move(text);
  d.status = status;
  report(d);
  return status;
}

/// Runs the phases up to the one that decides the stored form of weights.
static Status storeWeights(ModuleOp module, const CompileOptions &options,
                           PassDiagnostics &diagnostics,
                           const DiagnosticHandler &report) {
  PassManager passes(module.getContext());
  const Phase *storing = llvm::find_if(
      phaseTable(), [](const Phase &phase) { return phase.storesWeights; });
  buildPhases(passes, phaseTable().front(), *storing, PipelineOptions(options));
  LogicalResult result = passes.run(module);
  // The compilation has already reported notes and warnings.
  auto errors = [&](const tenon::Diagnostic &diagnostic) {
    if (diagnostic.severity == Severity::Error)
      report(diagnostic);
  };
  Status status = diagnostics.flush(errors, /*parsing=*/false);
  return failed(result) && status == Status::Success ? Status::Internal
                                                     : status;
}

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerPipelineDialects(registry);
  return registry;
}

struct Reference::Model {
  Model(const CompileOptions &options, const DiagnosticHandler &report,
        std::function<uint64_t()> memoryLeft)
      : options(options), report(report), memoryLeft(std::move(memoryLeft)),
        diagnostics(context, options.input) {
    context.loadAllAvailableDialects();
    loaded = loadModel(context, options, report);
    status = loaded.status;
    if (!loaded.module) {
      Status collected = diagnostics.flush(report, /*parsing=*/true);
      if (collected != Status::Success)
        status = collected;
      return;
    }
    weights = weightsOf(std::move(loaded.openFiles));
    if (options.exposeIntermediates)
      for (auto function : loaded.module->getOps<func::FuncOp>())
        if (!function.isPrivate())
          exposeIntermediates(function);
    if (options.weightFormat != WeightFormat::F32)
      status = storeWeights(*loaded.module, options, diagnostics, report);
  }

  const CompileOptions &options;
  const DiagnosticHandler &report;
  std::function<uint64_t()> memoryLeft;
  MLIRContext context{makeRegistry(), MLIRContext::Threading::DISABLED};
  PassDiagnostics diagnostics;
  LoadedModel loaded;
  WeightLoader weights;
  std::map<std::string, int64_t> contextExtents;
  Status status = Status::Success;
};

Reference::Reference(const CompileOptions &options,
                     const DiagnosticHandler &report,
                     std::function<uint64_t()> memoryLeft)
    : model(std::make_unique<Model>(options, report, std::move(memoryLeft))) {}

Reference::~Reference() = default;

Status Reference::getStatus() const { return model->status; }

void Reference::setContextExtents(std::map<std::string, int64_t> extents) {
  model->contextExtents = std::move(extents);
}

Status Reference::evaluate(const std::string &functionName,
                           const std::vector<ReferenceTensor> &inputs,
                           std::vector<ReferenceTensor> &outputs) {
  const CompileOptions &options = model->options;
  const DiagnosticHandler &report = model->report;
  auto function =
      model->loaded.module->lookupSymbol<func::FuncOp>(functionName);
  if (!function)
    return fail(report, options.input, Status::InvalidModel,
                "there is no function '" + functionName + "'");

  std::vector<HostTensor> values;
  for (const ReferenceTensor &input : inputs) {
    Type element = elementNamed(input.dtype, &model->context);
    llvm::Expected<HostTensor> value =
        HostTensor::fromBytes(element, input.dims, input.bytes);
    if (!value)
      return fail(report, options.input, Status::BadInput,
                  "input '" + input.name +
                      "': " + llvm::toString(value.takeError()));
    values.push_back(std::move(*value));
  }
  OracleOptions evaluating;
  evaluating.roundToType = true;
  evaluating.memoryLeft = model->memoryLeft;
  evaluating.contextExtents = model->contextExtents;
  llvm::Expected<std::vector<HostTensor>> results =
      tenon::evaluate(function, values, model->weights, evaluating);
  if (!results) {
    llvm::Error error = results.takeError();
    Status kind = error.isA<RangeFault>() ? Status::BadInput : Status::Failure;
    std::string text;
    llvm::handleAllErrors(
        std::move(error), [&](const llvm::ErrorInfoBase &info) {
          text = info.message();
          if (info.convertToErrorCode() == std::errc::not_enough_memory)
            kind = Status::Limit;
        });
    return fail(report, options.input, kind, text);
  }
  for (auto [i, result] : llvm::enumerate(*results)) {
    StringAttr name = annotation::name.ofResult(function, i);
    outputs.push_back({name ? name.str() : "output " + std::to_string(i),
                       nameOfElement(result.element),
                       {result.shape.begin(), result.shape.end()},
                       result.toBytes()});
  }
  return Status::Success;
}

} // namespace tenon
