// `tenon verify` compares compiled code with the reference. If outputs differ,
// the model is compiled again with every value as an output. The first value
// that differs names its node.
#include "compiler/verify/Reference.h"
#include "tools/tenon/Comparison.h"
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/DeviceFlags.h"
#include "tools/tenon/InputValues.h"
#include "tools/tenon/Interrupts.h"
#include "tools/tenon/LimitWatch.h"
#include "tools/tenon/LoadedModel.h"
#include "tools/tenon/PhaseProgress.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace tenon::cli::options;

namespace tenon::cli {

namespace {
struct VerifyFlags {
  CompileOptions options;
  std::string format;
  std::map<std::string, int64_t> sizes;
  LoadedModel::Options loading;
  Tolerance tolerance;
  bool perOp = false; ///< compare every value, not only outputs
};

/// One function's inputs, its outputs and the reference's outputs.
struct Trial {
  std::string function;
  int32_t numOutputs; ///< of the model; `actual` may have more values
  std::vector<InputSignature> signature;
  std::vector<Tensor> inputs;
  std::vector<Tensor> actual;
  std::vector<Tensor> expected;
};

/// A model that is compiled and also evaluated by the reference.
class Subject {
public:
  /// `exposed`: every value is an output.
  Subject(Invocation &call, const VerifyFlags &flags, bool exposed)
      : call(call), flags(flags), options(flags.options) {
    options.exposeIntermediates = exposed;
  }

  /// Compiles the model and opens the artifact.
  Status compile();

  /// Finds the functions to check: those that the flags name, by default all.
  Status describe(std::vector<Trial> &trials);

  /// Runs the trial's inputs and evaluates the reference; states have their
  /// initial values in both.
  Status run(Trial &trial);

  /// The precision of products that the code was compiled with.
  MatmulPrecision getProducts() const { return products; }

private:
  Status evaluate(Trial &trial);

  Invocation &call;
  const VerifyFlags &flags;
  CompileOptions options;
  TemporaryDirectory directory;
  LoadedModel model;
  MatmulPrecision products = MatmulPrecision::Strict;
  DiagnosticHandler report = call.talk.handler();
  std::unique_ptr<Reference> reference;
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
  then([&] { return readShapes(call, flags.options); });
  then([&] { return readVariantFlags(call, flags.options); });
  then([&] { return readDevice(call, flags.loading.device); });
  then([&] { return readEntryFlags(call, flags.options.tensorflow); });
  then([&] { return readDimSizes(call, flags.sizes); });
  then([&] { return readContextExtents(call, flags.loading.contextExtents); });
  then([&] { return readNumber(call, OPT_threads, 0, 1024, threads); });
  then(
      [&] { return readDuration(call, OPT_deadline, flags.loading.deadline); });
  then(
      [&] { return readSize(call, OPT_mem_limit, flags.loading.memoryLimit); });
  then([&] { return readTolerance(call, OPT_rtol, flags.tolerance.rtol); });
  then([&] { return readTolerance(call, OPT_atol, flags.tolerance.atol); });
  flags.perOp = call.args.hasArg(OPT_per_op);
  flags.loading.threads = static_cast<int32_t>(threads);
  flags.loading.memory = call.memory;
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

Status Subject::compile() {
  if (std::string why = directory.create(); !why.empty())
    return call.talk.fail(Status::Io, "tenon", why);
  options.emit = EmitKind::Shared;
  options.output = directory.getPath() + "/model.so";
  Compiler compiler(report);
  showPhases(call, compiler, Compiler::countSteps(options));
  CompileReport compiled = compiler.compile(options);
  if (compiled.status != Status::Success)
    return compiled.status;
  products = compiled.products;
  setCurrentStage("run");
  return model.open(call.talk, options.output, options.input, flags.loading);
}

Status Subject::describe(std::vector<Trial> &trials) {
  std::vector<std::string> names;
  for (const EntryOption &entry : options.tensorflow.entries)
    names.push_back(entry.name);
  if (names.empty())
    for (int32_t i = 0; i < model.getDesc().num_functions; ++i)
      names.push_back(model.getDesc().functions[i].name);
  for (const std::string &name : names) {
    const tenon_function_desc *function = nullptr;
    if (Status status = model.find(call.talk, name, function);
        status != Status::Success)
      return status;
    trials.push_back(
        {name, function->num_outputs, signatureOf(*function), {}, {}, {}});
  }
  return Status::Success;
}

Status Subject::run(Trial &trial) {
  setCurrentStage("run");
  Status status = model.choose(call.talk, trial.function);
  if (status == Status::Success)
    status = model.admit(call.talk, trial.inputs);
  if (status == Status::Success)
    status = model.run(call.talk, trial.inputs);
  if (status != Status::Success)
    return status;
  trial.actual = model.copyOutputs();
  return evaluate(trial);
}

Status Subject::evaluate(Trial &trial) {
  setCurrentStage("reference");
  if (!reference)
    reference = std::make_unique<Reference>(
        options, report, [this] { return call.memory.left(); });
  reference->setContextExtents(flags.loading.contextExtents);
  Status status = reference->getStatus();
  std::vector<ReferenceTensor> inputs, outputs;
  for (const Tensor &input : trial.inputs)
    inputs.push_back(toReference(input));
  if (status == Status::Success)
    status = reference->evaluate(trial.function, inputs, outputs);
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

/// The tolerance for a tensor. The absolute part is relative to the largest
/// element, because sums of many terms cancel. With bf16 products an f32 result
/// is as accurate as bf16. With products of two bf16 parts it is, after several
/// layers, as accurate as f16. Fifty convolutions in f32 were up to 2e-5 of the
/// largest element off.
static Tolerance toleranceFor(const Tensor &expected, MatmulPrecision products,
                              Tolerance tolerance) {
  int32_t like = expected.dtype;
  if (like == TENON_F32)
    like = products == MatmulPrecision::Bf16   ? TENON_BF16
           : products == MatmulPrecision::High ? TENON_F16
                                               : TENON_F32;
  if (!tolerance.rtol)
    tolerance.rtol = defaultRelative(like);
  if (tolerance.atol || !isFloat(expected.dtype))
    return tolerance;
  double largest = 0;
  for (int64_t i = 0, n = expected.getNumElements(); i < n; ++i) {
    double value = std::fabs(elementAsDouble(expected, i));
    if (std::isfinite(value))
      largest = std::max(largest, value);
  }
  double share = like == TENON_BF16 ? 1e-2 : like == TENON_F16 ? 1e-3 : 1e-4;
  tolerance.atol = std::max(1e-7, share * largest);
  return tolerance;
}

/// The index of the first output from `begin` on that differs, or -1.
/// `products` is the precision of the code that ran.
static int64_t firstDifference(const VerifyFlags &flags, const Trial &trial,
                               MatmulPrecision products, size_t begin,
                               Difference &difference) {
  for (size_t i = begin; i < trial.actual.size(); ++i) {
    difference = compareTensors(
        trial.actual[i], trial.expected[i],
        toleranceFor(trial.expected[i], products, flags.tolerance));
    if (!difference.same)
      return i;
  }
  return -1;
}

/// Reads the inputs of every trial. A size of --dim applies to the functions
/// that have the extent; if none has it, the flag is refused.
static Status readAllInputs(Invocation &call, const VerifyFlags &flags,
                            std::vector<Trial> &trials) {
  auto has = [](const Trial &trial, const std::string &name) {
    return llvm::any_of(trial.signature, [&](const InputSignature &input) {
      return llvm::any_of(input.dims, [&](const InputSignature::Dim &dim) {
        return dim.size < 0 && dim.name == name;
      });
    });
  };
  TimeLimit limit(call.talk, flags.options.input, "the deadline",
                  flags.loading.deadline);
  for (Trial &trial : trials) {
    auto sizes = flags.sizes;
    std::erase_if(sizes, [&](const auto &size) {
      return !has(trial, size.first) &&
             llvm::any_of(trials, [&](const Trial &other) {
               return has(other, size.first);
             });
    });
    Status status = readInputs(call, trial.signature, std::move(sizes),
                               OpenInputs::Random, trial.inputs);
    if (status == Status::Success)
      continue;
    if (trials.size() > 1)
      call.talk.note("these are inputs of '" + trial.function +
                     "', one of the " + std::to_string(trials.size()) +
                     " functions that are verified; choose one with "
                     "--function=");
    return status;
  }
  return Status::Success;
}

/// A number; null if it is infinite or NaN, which JSON lacks.
static llvm::json::Value finiteOrNull(double number) {
  return std::isfinite(number) ? llvm::json::Value(number)
                               : llvm::json::Value(nullptr);
}

/// Appends the errors of a trial's outputs to `values`.
static void appendErrors(const VerifyFlags &flags, const Trial &trial,
                         MatmulPrecision products, llvm::json::Array &values) {
  for (auto [actual, expected] : llvm::zip(trial.actual, trial.expected)) {
    Difference d = compareTensors(
        actual, expected, toleranceFor(expected, products, flags.tolerance));
    values.push_back(
        llvm::json::Object{{"function", llvm::json::fixUTF8(trial.function)},
                           {"name", llvm::json::fixUTF8(actual.name)},
                           {"type", typeText(actual.dtype, actual.dims)},
                           {"same", d.same},
                           {"max_absolute", finiteOrNull(d.maxAbsolute)},
                           {"max_relative", finiteOrNull(d.maxRelative)}});
  }
}

static void printAgreement(const VerifyFlags &flags,
                           const std::vector<Trial> &trials,
                           MatmulPrecision products) {
  llvm::raw_ostream &out = llvm::outs();
  if (flags.format == "json") {
    llvm::json::Array functions, values;
    int64_t outputs = 0;
    for (const Trial &trial : trials) {
      appendErrors(flags, trial, products, values);
      functions.push_back(llvm::json::fixUTF8(trial.function));
      outputs += trial.numOutputs;
    }
    out << llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{
                                        {"schema", 1},
                                        {"same", true},
                                        {"functions", std::move(functions)},
                                        {"products", nameOf(products)},
                                        {"outputs", outputs},
                                        {"values", std::move(values)}}));
    return;
  }
  for (const Trial &trial : trials) {
    if (trials.size() > 1)
      out << escapeForTerminal(trial.function) << '\n';
    for (size_t i = 0; i < trial.actual.size(); ++i) {
      Difference d = compareTensors(trial.actual[i], trial.expected[i], {});
      out << escapeForTerminal(trial.actual[i].name) << "  "
          << typeText(trial.actual[i].dtype, trial.actual[i].dims)
          << llvm::formatv("  agrees, largest difference {0:e2}\n",
                           d.maxAbsolute);
    }
  }
}

static Status reportDifference(Invocation &call, const VerifyFlags &flags,
                               const Trial &trial, MatmulPrecision products,
                               const std::string &place,
                               const Difference &difference) {
  if (flags.format == "json") {
    llvm::json::Array values;
    appendErrors(flags, trial, products, values);
    llvm::outs() << llvm::formatv(
        "{0:2}\n", llvm::json::Value(llvm::json::Object{
                       {"schema", 1},
                       {"same", false},
                       {"function", llvm::json::fixUTF8(trial.function)},
                       {"products", nameOf(products)},
                       {"first", llvm::json::fixUTF8(place)},
                       {"max_absolute", finiteOrNull(difference.maxAbsolute)},
                       {"values", std::move(values)}}));
  }
  Diagnostic d;
  d.file = flags.options.input;
  d.place = place;
  d.text = difference.text;
  d.details = difference.details;
  d.details.push_back("in function '" + trial.function + "'");
  d.status = Status::Mismatch;
  return call.talk.say(d);
}

/// Reports where the outputs of `trial`, computed by `subject`, differ from the
/// reference. On a difference `subject` is replaced by the model compiled with
/// all values as outputs.
static Status reportDifferences(Invocation &call, const VerifyFlags &flags,
                                std::optional<Subject> &subject,
                                const Trial &trial) {
  Difference difference;
  MatmulPrecision products = subject->getProducts();
  int64_t differing = firstDifference(flags, trial, products, 0, difference);
  if (differing < 0)
    return Status::Success;
  std::string place = "output \"" + trial.actual[differing].name + "\"";

  call.talk.note("the outputs differ; looking for the first op that does");
  // The first model is freed before the second is opened, so that only one is
  // in memory.
  subject.emplace(call, flags, /*exposed=*/true);
  Trial exposed = trial;
  exposed.expected.clear();
  if (subject->compile() == Status::Success &&
      subject->run(exposed) == Status::Success) {
    Difference first;
    int64_t at = firstDifference(flags, exposed, subject->getProducts(),
                                 trial.actual.size(), first);
    if (at >= 0)
      return reportDifference(call, flags, exposed, subject->getProducts(),
                              exposed.actual[at].name, first);
  }
  return reportDifference(call, flags, trial, products, place, difference);
}

/// Compares every value of the trials: `subject` is replaced by the model
/// compiled with all values as outputs, and `trials` get these outputs.
static Status compareEveryValue(Invocation &call, const VerifyFlags &flags,
                                std::optional<Subject> &subject,
                                std::vector<Trial> &trials) {
  subject.emplace(call, flags, /*exposed=*/true);
  if (Status status = subject->compile(); status != Status::Success)
    return status;
  for (Trial &trial : trials) {
    trial.expected.clear();
    if (Status status = subject->run(trial); status != Status::Success)
      return status;
    Difference difference;
    int64_t at =
        firstDifference(flags, trial, subject->getProducts(), 0, difference);
    if (at >= 0)
      return reportDifference(call, flags, trial, subject->getProducts(),
                              trial.actual[at].name, difference);
  }
  return Status::Success;
}

Status verifyVerb(Invocation &call) {
  VerifyFlags flags;
  if (Status status = readFlags(call, flags); status != Status::Success)
    return status;
  std::optional<Subject> subject(std::in_place, call, flags,
                                 /*exposed=*/false);
  std::vector<Trial> trials;
  Status status = subject->compile();
  if (status == Status::Success)
    status = subject->describe(trials);
  if (status == Status::Success)
    status = readAllInputs(call, flags, trials);
  for (Trial &trial : trials) {
    if (status == Status::Success)
      status = subject->run(trial);
    if (status == Status::Success)
      status = reportDifferences(call, flags, subject, trial);
  }
  if (status == Status::Success && flags.perOp)
    status = compareEveryValue(call, flags, subject, trials);
  if (status == Status::Success)
    printAgreement(flags, trials, subject->getProducts());
  return status;
}

} // namespace tenon::cli
