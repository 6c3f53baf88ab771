// `tenon verify`: compiled code against the reference. Where the outputs
// differ, the model is compiled once more with every value as an output, and
// the first that differs names its node.
#include "compiler/verify/Reference.h"
#include "tools/tenon/Comparison.h"
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/InputValues.h"
#include "tools/tenon/Interrupts.h"
#include "tools/tenon/LoadedModel.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>

using namespace tenon::cli::options;

namespace tenon::cli {

namespace {
struct VerifyFlags {
  CompileOptions options;
  std::string format;
  std::map<std::string, int64_t> sizes;
  LoadedModel::Options loading;
  Tolerance tolerance;
};

/// One compilation, its run and the reference on the same inputs.
struct Trial {
  std::vector<Tensor> inputs;
  std::vector<Tensor> actual;
  std::vector<Tensor> expected;
};
} // namespace

static Status readFlags(Invocation &call, VerifyFlags &flags) {
  int64_t threads = 0;
  Status status = readOnePositional(call, "a model", flags.options.input);
  auto then = [&](auto step) {
    if (status == Status::Success)
      status = step();
  };
  then([&] {
    return readChoice(call, OPT_format, {"text", "json"}, "text", flags.format);
  });
  then([&] { return readCodeFlags(call, flags.options); });
  then([&] { return readEntryFlags(call, flags.options); });
  then([&] { return readDimSizes(call, flags.sizes); });
  then([&] { return readNumber(call, OPT_threads, 0, 1024, threads); });
  then(
      [&] { return readDuration(call, OPT_deadline, flags.loading.deadline); });
  then(
      [&] { return readSize(call, OPT_mem_limit, flags.loading.memoryLimit); });
  then([&] { return readTolerance(call, OPT_rtol, flags.tolerance.rtol); });
  then([&] { return readTolerance(call, OPT_atol, flags.tolerance.atol); });
  flags.loading.threads = static_cast<int32_t>(threads);
  flags.loading.function = functionName(call);
  if (status == Status::Success && isArtifact(flags.options.input))
    return call.talk.usage("verify needs a model, '" + flags.options.input +
                           "' is an artifact");
  return status;
}

static ReferenceTensor toReference(const Tensor &tensor) {
  return {tensor.name,
          tenon_dtype_name(tensor.dtype),
          tensor.dims,
          {tensor.bytes.begin(), tensor.bytes.end()}};
}

static Tensor fromReference(const ReferenceTensor &tensor) {
  return {tensor.name,
          dtypeNamed(tensor.dtype).value_or(0),
          tensor.dims,
          {tensor.bytes.begin(), tensor.bytes.end()}};
}

/// Compiles and runs, and evaluates the reference on the same inputs, which are
/// read from the flags when `trial` has none.
static Status runTrial(Invocation &call, const VerifyFlags &flags, bool exposed,
                       Trial &trial) {
  TemporaryDirectory directory;
  if (std::string why = directory.create(); !why.empty())
    return call.talk.fail(Status::Io, "tenon", why);
  CompileOptions options = flags.options;
  options.exposeIntermediates = exposed;
  options.emit = EmitKind::Shared;
  options.output = directory.getPath() + "/model.so";
  setCurrentStage("compile");
  Compiler compiler(call.talk.handler());
  int count = Compiler::phases().size(), done = 0;
  compiler.onPhase = [&](const PhaseReport &phase) {
    setCurrentStage("after " + phase.name);
    call.talk.phase(phase, ++done, count);
  };
  CompileReport report = compiler.compile(options);
  if (report.status != Status::Success)
    return report.status;

  setCurrentStage("run");
  LoadedModel model;
  Status status =
      model.open(call.talk, options.output, options.input, flags.loading);
  if (status == Status::Success && trial.inputs.empty())
    status = readInputs(call, signatureOf(model.getFunction()), flags.sizes,
                        OpenInputs::Random, trial.inputs);
  if (status == Status::Success)
    status = model.run(call.talk, trial.inputs);
  if (status != Status::Success)
    return status;
  trial.actual = model.copyOutputs();

  setCurrentStage("reference");
  std::vector<ReferenceTensor> inputs, outputs;
  for (const Tensor &input : trial.inputs)
    inputs.push_back(toReference(input));
  status = evaluateReference(options, model.getFunction().name, inputs, outputs,
                             call.talk.handler());
  if (status != Status::Success)
    return status;
  for (const ReferenceTensor &output : outputs)
    trial.expected.push_back(fromReference(output));
  if (trial.expected.size() == trial.actual.size())
    return Status::Success;
  return call.talk.fail(Status::Internal, options.input,
                        "the reference has " +
                            std::to_string(trial.expected.size()) +
                            " outputs, the compiled model " +
                            std::to_string(trial.actual.size()));
}

/// Sums of many terms cancel: what is small beside the tensor's largest element
/// is judged by that.
static Tolerance toleranceFor(const Tensor &expected, Tolerance tolerance) {
  if (tolerance.atol || !isFloat(expected.dtype))
    return tolerance;
  double largest = 0;
  for (int64_t i = 0, n = expected.getNumElements(); i < n; ++i) {
    double value = std::fabs(elementAsDouble(expected, i));
    if (std::isfinite(value))
      largest = std::max(largest, value);
  }
  double share = expected.dtype == TENON_F16    ? 1e-3
                 : expected.dtype == TENON_BF16 ? 1e-2
                                                : 1e-5;
  tolerance.atol = std::max(1e-7, share * largest);
  return tolerance;
}

/// The index of the first output from `begin` on that differs, or -1.
static int64_t firstDifference(const VerifyFlags &flags, const Trial &trial,
                               size_t begin, Difference &difference) {
  for (size_t i = begin; i < trial.actual.size(); ++i) {
    difference =
        compareTensors(trial.actual[i], trial.expected[i],
                       toleranceFor(trial.expected[i], flags.tolerance));
    if (!difference.same)
      return i;
  }
  return -1;
}

static void printAgreement(const VerifyFlags &flags, const Trial &trial) {
  llvm::raw_ostream &out = llvm::outs();
  if (flags.format == "json") {
    out << llvm::formatv("{0:2}\n",
                         llvm::json::Value(llvm::json::Object{
                             {"schema", 1},
                             {"same", true},
                             {"outputs", int64_t(trial.actual.size())}}));
    return;
  }
  for (size_t i = 0; i < trial.actual.size(); ++i) {
    Difference d = compareTensors(trial.actual[i], trial.expected[i], {});
    out << escapeForTerminal(trial.actual[i].name) << "  "
        << typeText(trial.actual[i].dtype, trial.actual[i].dims)
        << llvm::formatv("  agrees, largest difference {0:e2}\n",
                         d.maxAbsolute);
  }
}

static Status reportDifference(Invocation &call, const VerifyFlags &flags,
                               const Trial &trial, const std::string &place,
                               const Difference &difference) {
  if (flags.format == "json")
    llvm::outs() << llvm::formatv(
        "{0:2}\n", llvm::json::Value(llvm::json::Object{
                       {"schema", 1},
                       {"same", false},
                       {"first", llvm::json::fixUTF8(place)},
                       {"max_absolute", std::isfinite(difference.maxAbsolute)
                                            ? difference.maxAbsolute
                                            : -1}}));
  Diagnostic d;
  d.file = flags.options.input;
  d.place = place;
  d.text = difference.text;
  d.details = difference.details;
  d.status = Status::Mismatch;
  return call.talk.say(d);
}

Status verifyVerb(Invocation &call) {
  VerifyFlags flags;
  if (Status status = readFlags(call, flags); status != Status::Success)
    return status;
  Trial trial;
  if (Status status = runTrial(call, flags, /*exposed=*/false, trial);
      status != Status::Success)
    return status;
  Difference difference;
  int64_t differing = firstDifference(flags, trial, 0, difference);
  if (differing < 0) {
    printAgreement(flags, trial);
    return Status::Success;
  }
  std::string place = "output \"" + trial.actual[differing].name + "\"";

  Trial exposed;
  exposed.inputs = trial.inputs;
  call.talk.note("the outputs differ; looking for the first op that does");
  if (runTrial(call, flags, /*exposed=*/true, exposed) == Status::Success) {
    Difference first;
    int64_t at = firstDifference(flags, exposed, trial.actual.size(), first);
    if (at >= 0)
      return reportDifference(call, flags, exposed, exposed.actual[at].name,
                              first);
  }
  return reportDifference(call, flags, trial, place, difference);
}

} // namespace tenon::cli
