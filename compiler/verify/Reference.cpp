// The model is read through the facade, as any compilation reads it, and taken
// over as text: the oracle shares the import with the compiler and nothing
// after it.
#include "compiler/verify/Reference.h"

#include "compiler/Compiler.h"
#include "compiler/oracle/Oracle.h"
#include "dialects/tenon/TenonDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

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

/// Weights name their file as the user did, or relative to the model.
static WeightLoader weightsOf(const std::string &model) {
  std::string folder = llvm::sys::path::parent_path(model).str();
  return [asGiven = weightsFromFiles(), beside = weightsFromFiles(folder)](
             StringRef file, int64_t offset, int64_t length) {
    return llvm::sys::fs::exists(file) ? asGiven(file, offset, length)
                                       : beside(file, offset, length);
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

Status evaluateReference(const CompileOptions &options,
                         const std::vector<ReferenceTensor> &inputs,
                         std::vector<ReferenceTensor> &outputs,
                         const DiagnosticHandler &report) {
  CompileOptions importing = options;
  importing.stopAfter = "imported";
  Status status = Status::Success;
  std::string text = Compiler(report).printStage(importing, status);
  if (status != Status::Success)
    return status;

  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<TenonDialect, arith::ArithDialect, func::FuncDialect,
                      scf::SCFDialect, tensor::TensorDialect>();
  auto module = parseSourceString<ModuleOp>(text, &context);
  func::FuncOp function;
  if (module)
    for (func::FuncOp candidate : module->getOps<func::FuncOp>())
      if (!function || candidate.getName() == "main")
        function = candidate;
  if (!function)
    return fail(report, options.input, Status::Internal,
                "the imported model does not read back");

  std::vector<HostTensor> values;
  for (const ReferenceTensor &input : inputs) {
    Type element = elementNamed(input.dtype, &context);
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
  llvm::Expected<std::vector<HostTensor>> results =
      evaluate(function, values, weightsOf(options.input), evaluating);
  if (!results) {
    llvm::Error error = results.takeError();
    Status kind = error.isA<RangeFault>() ? Status::BadInput : Status::Failure;
    return fail(report, options.input, kind, llvm::toString(std::move(error)));
  }
  for (auto [i, result] : llvm::enumerate(*results)) {
    auto name = function.getResultAttrOfType<StringAttr>(i, "tenon.name");
    outputs.push_back({name ? name.str() : "output " + std::to_string(i),
                       nameOfElement(result.element),
                       {result.shape.begin(), result.shape.end()},
                       result.toBytes()});
  }
  return Status::Success;
}

} // namespace tenon
